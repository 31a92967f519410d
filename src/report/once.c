/* once.c -- findings of one rule in one CUDA line are one to a reader: template instances, files of
 * several architectures. The first is written; what is said of the others is known at the end only,
 * so that a mark stands for it, and what follows the first mark waits. */
#include "report/report.h"

#include "support/grow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAMES_SHOWN = 3,
    TARGETS_MAX = 8,
    /* no document has it of its own: control characters are shown as text */
    MARK = '\x01'
};

typedef struct Cause {
    char *first;                /* the kernel of the one that is written */
    char *names[NAMES_SHOWN];   /* of other kernels */
    uint32_t name_count, similar;       /* other kernels; further ones of the first kernel */
    char targets[TARGETS_MAX][16];
    uint32_t target_count;
} Cause;

struct Once {
    ptxlint_write_fn write;
    void *context;
    ptxlint_format format;
    Cause *causes;
    uint32_t count;
    size_t capacity;
    HashMap numbers;            /* of causes, by hash of rule, severity and line */
    HashMap kernels;            /* by cause and kernel */
    Buffer held;
    bool has_no_memory;         /* for what is held: a write failed by it */
};

Once *ptx_once_new(ptxlint_format format, ptxlint_write_fn write, void *context)
{
    Once *once = calloc(1, sizeof *once);
    if (once)
        *once = (Once){ .write = write, .context = context, .format = format };
    return once;
}

void ptx_once_free(Once *once)
{
    if (!once)
        return;
    for (uint32_t i = 0; i < once->count; i++) {
        free(once->causes[i].first);
        for (int name = 0; name < NAMES_SHOWN; name++)
            free(once->causes[i].names[name]);
    }
    free(once->causes);
    free(once->held.bytes);
    ptx_hash_map_free(&once->numbers);
    ptx_hash_map_free(&once->kernels);
    free(once);
}

/* ---- taking findings ------------------------------------------------------------------------- */

static uint64_t hash_text(uint64_t hash, const char *text)
{
    do
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001B3);
    while (*text++);
    return hash;
}

uint64_t ptx_rule_hash(const char *rule)
{
    return hash_text(UINT64_C(0xCBF29CE484222325), rule) >> 1;
}

uint64_t ptx_cause_hash(const Finding *finding)
{
    const ptxlint_diagnostic *d = finding->diagnostic;
    const ptxlint_source_place *at = &finding->source.named;
    if (!at->path || !at->line)
        return 0;
    uint64_t hash = hash_text(UINT64_C(0xCBF29CE484222325), d->rule);
    hash = hash_text(hash, ptx_text_or(finding->source.path, at->path));
    hash = (hash ^ at->line ^ ((uint64_t)d->severity << 32)) * UINT64_C(0x100000001B3);
    return (hash | 1) & (UINT64_MAX >> 1);
}

static Cause *cause_new(Once *once)
{
    if (!ptx_list_reserve(&once->causes, &once->capacity, (size_t)once->count + 1,
                          sizeof *once->causes))
        return NULL;
    Cause *cause = &once->causes[once->count++];
    *cause = (Cause){ .name_count = 0 };
    return cause;
}

static void note_target(Cause *cause, const char *gpu)
{
    for (uint32_t i = 0; i < cause->target_count; i++)
        if (!strncmp(cause->targets[i], gpu, sizeof cause->targets[i] - 1))
            return;
    if (cause->target_count == TARGETS_MAX)
        return;
    char *target = cause->targets[cause->target_count++];
    strncpy(target, gpu, sizeof cause->targets[0] - 1);
}

/* The kernel of a further finding. False: no memory. */
static bool count_kernel(Once *once, uint32_t number, const char *kernel)
{
    Cause *cause = &once->causes[number - 1];
    if (!strcmp(cause->first, kernel)) {
        cause->similar++;
        return true;
    }
    uint32_t times = ptx_hash_counts_add(&once->kernels, hash_text(number, kernel));
    if (times == 1 && cause->name_count++ < NAMES_SHOWN) {
        char **name = &cause->names[cause->name_count - 1];
        *name = strdup(ptx_kernel_short(kernel).text);
        return *name != NULL;
    }
    return times != 0;
}

ptxlint_status ptx_once_add(Once *once, const Finding *finding, uint32_t *number, bool *is_first)
{
    uint64_t hash = ptx_cause_hash(finding);
    const ptxlint_diagnostic *d = finding->diagnostic;
    *number = 0;
    *is_first = true;
    if (!hash)
        return PTXLINT_OK;
    uint32_t *at = ptx_hash_map_at(&once->numbers, NULL, hash);
    if (!at)
        return PTXLINT_NO_MEMORY;
    *is_first = !*at;
    if (*is_first) {
        Cause *cause = cause_new(once);
        if (!cause || !(cause->first = strdup(ptx_text_or(d->kernel, ""))))
            return PTXLINT_NO_MEMORY;
        *at = once->count;
    } else if (!count_kernel(once, *at, ptx_text_or(d->kernel, ""))) {
        return PTXLINT_NO_MEMORY;
    }
    *number = *at;
    note_target(&once->causes[*at - 1], ptx_text_or(d->gpu, ""));
    return PTXLINT_OK;
}

/* ---- what is said of them -------------------------------------------------------------------- */

void ptx_out_others_begin(Out *out, uint32_t number)
{
    const char mark = MARK;
    ptx_out_bytes(out, &mark, 1);
    ptx_out_format(out, "%08" PRIx32, number);
}

void ptx_out_others_end(Out *out, const char *after)
{
    const char mark = MARK;
    ptx_out_bytes(out, &mark, 1);
    ptx_out_text(out, after);
    ptx_out_bytes(out, &mark, 1);
}

void ptx_out_others(Out *out, const Finding *finding, const char *before)
{
    if (!finding->cause)
        return;
    ptx_out_others_begin(out, finding->cause);
    ptx_out_text(out, before);
    ptx_out_others_end(out, "");
}

static const char *escape_of(ptxlint_format format, char c)
{
    bool is_xml = format == PTXLINT_CHECKSTYLE || format == PTXLINT_JUNIT;
    if (is_xml && c == '<')
        return "&lt;";
    if (is_xml && c == '>')
        return "&gt;";
    if (is_xml && c == '&')
        return "&amp;";
    return "";
}

/* Names of a file's own, in what any of the formats takes as text. */
static void put_safe_name(Out *out, ptxlint_format format, const char *name)
{
    if (format == PTXLINT_MARKDOWN) {
        ptx_markdown_name(out, name, SIZE_MAX);
        return;
    }
    for (; *name; name++) {
        char c = *name;
        if (c < ' ' || c > '~' || strchr("\"\\%", c))
            c = '?';
        const char *escape = escape_of(format, c);
        ptx_out_text(out, escape);
        if (*escape != '&')
            ptx_out_bytes(out, &c, 1);
    }
}

static bool is_shared_cause(const Cause *cause)
{
    return cause->name_count || cause->similar || cause->target_count > 1;
}

static void put_kernels(Out *out, ptxlint_format format, const Cause *cause)
{
    ptx_out_format(out, " in %" PRIu32 " other kernel%s", cause->name_count,
                   ptx_plural(cause->name_count));
    for (uint32_t i = 0; i < cause->name_count && i < NAMES_SHOWN; i++) {
        ptx_out_text(out, i ? ", " : ": ");
        put_safe_name(out, format, cause->names[i]);
    }
    ptx_out_text(out, ptx_text_if(cause->name_count > NAMES_SHOWN, ", ..."));
}

/* "and in 35 other kernels: copy<float, 16>, ...; sm_80, sm_90" */
static void put_others(Out *out, ptxlint_format format, const Cause *cause)
{
    ptx_out_text(out, "and");
    if (cause->name_count)
        put_kernels(out, format, cause);
    else
        ptx_out_format(out, " %" PRIu32 " more in this kernel", cause->similar);
    for (uint32_t i = 0; cause->target_count > 1 && i < cause->target_count; i++) {
        ptx_out_text(out, i ? ", " : "; ");
        put_safe_name(out, format, cause->targets[i]);
    }
}

/* ---- the stream ------------------------------------------------------------------------------ */

int ptx_once_write(void *context, const char *bytes, size_t length)
{
    Once *once = context;
    if (!once->held.length && !memchr(bytes, MARK, length))
        return once->write(once->context, bytes, length);
    once->has_no_memory = ptx_buffer_write(&once->held, bytes, length) != 0;
    return once->has_no_memory;
}

bool ptx_once_has_no_memory(const Once *once)
{
    return once->has_no_memory;
}

/* A mark and its two texts; NULL: the byte is none, but of a text that held one. */
static const char *fill_mark(const Once *once, Out *out, const char *at, const char *end)
{
    char digits[9] = "";
    const char *before = at + 9, *middle = NULL, *last = NULL;
    if (end - at > 9)
        middle = memchr(before, MARK, (size_t)(end - before));
    if (middle)
        last = memchr(middle + 1, MARK, (size_t)(end - middle - 1));
    if (!last)
        return NULL;
    memcpy(digits, at + 1, 8);
    const unsigned long number = strtoul(digits, NULL, 16);
    if (number < 1 || number > once->count)
        return NULL;
    const Cause *cause = &once->causes[number - 1];
    if (is_shared_cause(cause)) {
        ptx_out_bytes(out, before, (size_t)(middle - before));
        put_others(out, once->format, cause);
        ptx_out_bytes(out, middle + 1, (size_t)(last - middle - 1));
    }
    return last + 1;
}

ptxlint_status ptx_once_finish(Once *once)
{
    Out out;
    const char *at = once->held.bytes ? once->held.bytes : "";
    const char *end = at + once->held.length, *mark;
    ptx_out_init(&out, once->write, once->context);
    while (at < end && (mark = memchr(at, MARK, (size_t)(end - at)))) {
        ptx_out_bytes(&out, at, (size_t)(mark - at));
        at = fill_mark(once, &out, mark, end);
        if (!at) {
            ptx_out_bytes(&out, mark, 1);
            at = mark + 1;
        }
    }
    if (at < end)
        ptx_out_bytes(&out, at, (size_t)(end - at));
    ptx_out_flush(&out);
    once->held.length = 0;
    return out.status;
}
