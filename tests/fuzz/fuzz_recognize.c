/* fuzz_recognize.c -- one input as a module: what its loops are recognized as, in all forms.
 *
 * Items and links lie inside the text and point at each other; with links and without the items are
 * the same. JSON parses, and a document is the same twice. */
#include "document.h"

#include "ptxlint/ptxlint.h"

#include <stdbool.h>

enum { MEMORY_BYTES = 256 << 20 };

static ptxlint_module *module_of(const char *text, size_t size)
{
    const ptxlint_gpu *gpu = ptxlint_gpu_find(size % 2 ? "h200" : "rtx4090");
    ptxlint_options options;
    ptxlint_launches *launches;
    ptxlint_module *module = NULL;
    char error[256];
    require(ptxlint_launches_new(NULL, 0, &launches, NULL, 0) == PTXLINT_OK, "nothing is known");
    require(ptxlint_launches_set(launches, "block", size % 3 ? "128" : "16,9", error, sizeof error)
                == PTXLINT_OK,
            "a launch");
    ptxlint_options_init(&options);
    options.path = "fuzz.ptx";
    options.max_memory_bytes = MEMORY_BYTES;
    options.gpus = &gpu;
    options.gpu_count = gpu != NULL;
    options.launches = size % 7 ? launches : NULL;
    const ptxlint_status status = ptxlint_module_new(text, size, &options, &module);
    require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "any bytes are a module");
    ptxlint_launches_free(launches);
    return module;
}

/* ---- what is recognized ---------------------------------------------------------------------- */

static void check_item(const ptxlint_recognized *item, const ptxlint_kernel *kernel, size_t length)
{
    require(item->span.begin <= item->span.end && item->span.end <= length, "an item's place");
    require(item->header.begin <= item->header.end && item->header.end <= length, "a loop's place");
    require(item->loop == SIZE_MAX || item->loop < kernel->loop_count, "a loop of the kernel");
    require(item->loop != SIZE_MAX || item->header.begin == item->header.end,
            "the grid has no header");
    require(ptxlint_recognized_class_text(item->recognized)[0] != 0, "a class has a name");
    require((item->recognized == PTXLINT_RECOGNIZED_NONE) == (item->why[0] != 0),
            "what is not recognized has a reason");
}

static size_t node_count(const ptxlint_recognition *of, size_t items)
{
    while (ptxlint_recognition_index_name(of, items))
        items++;
    return items;
}

static void check_links(const ptxlint_recognition *of, size_t items)
{
    size_t count, nodes = node_count(of, items);
    const ptxlint_link *links = ptxlint_recognition_links(of, &count);
    for (size_t i = 0; i < count; i++) {
        require(links[i].from < nodes && links[i].to < items, "a link has two ends");
        require(!i || links[i - 1].to < links[i].to
                    || (links[i - 1].to == links[i].to && links[i - 1].from <= links[i].from),
                "links are sorted");
    }
}

static void check_fission(const ptxlint_fission *fission, size_t length)
{
    require(fission->part_count != 1, "one part is no fission");
    require(fission->part_count || fission->why[0], "what has no parts has a reason");
    require(fission->is_advised == !fission->why[0], "what is not advised has a reason");
    for (size_t i = 0; i < fission->part_count; i++) {
        const ptxlint_fission_part *part = &fission->parts[i];
        require(part->store.end <= length && part->store_count > 0, "a part stores");
        require(part->figures.registers_low <= part->figures.registers_high, "a band");
    }
}

/* The same items, whatever else is asked for. */
static void check_recognition(const ptxlint_module *module, const ptxlint_kernel *kernel,
                              size_t length)
{
    ptxlint_recognition *plain = NULL, *linked = NULL;
    if (ptxlint_recognition_new(module, kernel, &plain) == PTXLINT_OK
        && ptxlint_recognition_new_linked(module, kernel, &linked) == PTXLINT_OK) {
        size_t count, other;
        const ptxlint_recognized *items = ptxlint_recognition_items(plain, &count);
        const ptxlint_recognized *same = ptxlint_recognition_items(linked, &other);
        require(count == other, "links change no item");
        for (size_t i = 0; i < count; i++) {
            require(items[i].recognized == same[i].recognized
                        && items[i].span.begin == same[i].span.begin,
                    "links change no class");
            check_item(&items[i], kernel, length);
        }
        check_links(linked, count);
        if (ptxlint_recognition_fission(linked))
            check_fission(ptxlint_recognition_fission(linked), length);
    }
    ptxlint_recognition_free(plain);
    ptxlint_recognition_free(linked);
}

/* ---- documents ------------------------------------------------------------------------------- */

static Document recognized_as(const ptxlint_module *module, ptxlint_format format)
{
    Document d = { 0 };
    const ptxlint_status status = ptxlint_write_recognition(module, NULL, format, keep, &d);
    require(status == PTXLINT_OK || status == PTXLINT_NO_MEMORY, "it can be written");
    if (status == PTXLINT_OK)
        return d;
    free(d.bytes);
    return (Document){ 0 };
}

/* Objects with commas between them, as the program writes them in a list. */
static void check_json(Document d)
{
    Document list = { 0 };
    keep(&list, "[", 1);
    keep(&list, d.bytes, d.length);
    keep(&list, "]", 1);
    free(d.bytes);
    json_decref(parsed(list));
}

static void check_pictures(const ptxlint_module *module, const ptxlint_kernel *kernel, size_t size)
{
    static const ptxlint_format formats[] = { PTXLINT_DOT, PTXLINT_SVG };
    Document d = { 0 };
    ptxlint_write_links(module, kernel, formats[size % 2], drop, NULL);
    if (ptxlint_write_graph(module, kernel, PTXLINT_JSON, keep, &d) == PTXLINT_OK)
        json_decref(parsed(d));
    else
        free(d.bytes);
}

static void check_documents(const ptxlint_module *module, size_t size)
{
    const ptxlint_format format = size % 2 ? PTXLINT_TEXT : PTXLINT_JSON;
    Document d = recognized_as(module, format);
    if (!d.bytes)
        return;
    if (size % 4 < 2)
        require_same(d, recognized_as(module, format), "the same input gives the same bytes");
    else if (format == PTXLINT_JSON)
        check_json(d);
    else
        free(d.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    ptxlint_module *module = module_of(text, size);
    if (module) {
        size_t count;
        const ptxlint_kernel *kernels = ptxlint_module_kernels(module, &count);
        for (size_t k = 0; k < count; k++) {
            check_recognition(module, &kernels[k], size);
            check_pictures(module, &kernels[k], size);
        }
        check_documents(module, size);
    }
    ptxlint_module_free(module);
    free(text);
    return 0;
}
