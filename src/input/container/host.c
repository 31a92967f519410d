#include "input/container/host.h"

#include "support/grow.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBELF
#include <gelf.h>
#include <libelf.h>

/* ---- ranges ---------------------------------------------------------------------------------- */

typedef struct RangeList {
    ByteRange *items;
    size_t count, capacity;
    bool has_sections;          /* some ELF file had any */
} RangeList;

static ptxlint_status add_range(RangeList *list, ByteRange range)
{
    if (!ptx_list_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return PTXLINT_NO_MEMORY;
    list->items[list->count++] = range;
    return PTXLINT_OK;
}

static int compare_ranges(const void *a, const void *b)
{
    const ByteRange *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* In the order of the file; sections that overlap are one range, so that no byte is read twice. */
static ptxlint_status scan_ranges(RangeList *list, const ByteSource *source,
                                  const FatbinVisitor *visitor)
{
    ptxlint_status status = PTXLINT_OK;
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, compare_ranges);
    for (size_t i = 0; i < list->count && status == PTXLINT_OK;) {
        ByteRange range = list->items[i];
        for (i++; i < list->count && list->items[i].begin < range.end; i++)
            if (list->items[i].end > range.end)
                range.end = list->items[i].end;
        status = ptx_fatbin_scan(source, range, false, visitor);
    }
    return status;
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool has_containers(const char *section)
{
    return section && (!strcmp(section, ".nv_fatbin") || !strcmp(section, "__nv_relfatbin"));
}

/* The section's bytes in the source, where object lies at whole. */
static ptxlint_status add_section(RangeList *list, ByteRange whole, const GElf_Shdr *header,
                                  const FatbinVisitor *visitor)
{
    const uint64_t room = whole.end - whole.begin;
    if (header->sh_type == SHT_NOBITS || !header->sh_size)
        return PTXLINT_OK;
    if (header->sh_offset >= room)
        return visitor->trouble(visitor->context, whole.begin,
                                "its section of GPU code lies behind the end of the file");
    const uint64_t left = room - header->sh_offset;
    const uint64_t begin = whole.begin + header->sh_offset;
    ptxlint_status status = PTXLINT_OK;
    if (header->sh_size > left)
        status = visitor->trouble(visitor->context, begin,
                                  "its section of GPU code is longer than the file");
    const uint64_t length = header->sh_size < left ? header->sh_size : left;
    return status == PTXLINT_OK ? add_range(list, (ByteRange){ begin, begin + length }) : status;
}

static ptxlint_status add_object(RangeList *list, Elf *elf, ByteRange whole,
                                 const FatbinVisitor *visitor)
{
    size_t names;
    ptxlint_status status = PTXLINT_OK;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names))
        return PTXLINT_OK;
    for (Elf_Scn *section = NULL;
         status == PTXLINT_OK && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        list->has_sections = true;
        if (gelf_getshdr(section, &header)
            && has_containers(elf_strptr(elf, names, header.sh_name)))
            status = add_section(list, whole, &header, visitor);
    }
    return status;
}

/* The bytes of a member; an empty range where its header makes no sense. */
static ByteRange member_range(Elf *member, uint64_t length)
{
    const Elf_Arhdr *header = elf_getarhdr(member);
    const int64_t base = elf_getbase(member);
    if (!header || base < 0 || (uint64_t)base > length || header->ar_size < 0)
        return (ByteRange){ 0, 0 };
    const uint64_t begin = (uint64_t)base, left = length - begin;
    const uint64_t size = (uint64_t)header->ar_size;
    return (ByteRange){ begin, begin + (size < left ? size : left) };
}

static ptxlint_status add_members(RangeList *list, Elf *archive, const ByteSource *source,
                                  const FatbinVisitor *visitor)
{
    ptxlint_status status = PTXLINT_OK;
    Elf_Cmd command = ELF_C_READ;
    Elf *member;
    uint64_t last = 0;
    while (status == PTXLINT_OK && (member = elf_begin(source->file, command, archive))) {
        ByteRange whole = member_range(member, source->length);
        bool is_further = whole.begin > last;   /* else the archive leads back into itself */
        last = whole.begin;
        if (is_further)
            status = add_object(list, member, whole, visitor);
        command = is_further ? elf_next(member) : ELF_C_NULL;
        elf_end(member);
        if (command == ELF_C_NULL)
            break;
    }
    return status;
}

static Elf *begin_elf(const ByteSource *source)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return NULL;
    if (!source->memory)
        return elf_begin(source->file, ELF_C_READ, NULL);
    /* libelf does not write to what it reads, but its interface does not say so */
    union {
        const unsigned char *given;
        char *taken;
    } memory = { .given = source->memory };
    return elf_memory(memory.taken, source->length);
}

static ptxlint_status collect_ranges(RangeList *list, const ByteSource *source,
                              const FatbinVisitor *visitor)
{
    Elf *elf = begin_elf(source);
    ptxlint_status status = PTXLINT_OK;
    if (elf_kind(elf) == ELF_K_AR)
        status = add_members(list, elf, source, visitor);
    else if (elf)
        status = add_object(list, elf, (ByteRange){ 0, source->length }, visitor);
    elf_end(elf);
    return status;
}

static ptxlint_status scan_sections(const ByteSource *source, const FatbinVisitor *visitor,
                                    bool *has_sections)
{
    RangeList list = { 0 };
    ptxlint_status status = collect_ranges(&list, source, visitor);
    if (status == PTXLINT_OK)
        status = scan_ranges(&list, source, visitor);
    *has_sections = list.has_sections;
    free(list.items);
    return status;
}
#else
static ptxlint_status scan_sections(const ByteSource *source, const FatbinVisitor *visitor,
                                    bool *has_sections)
{
    (void)source;
    (void)visitor;
    *has_sections = false;
    return PTXLINT_OK;
}
#endif

ptxlint_status ptx_host_scan(const ByteSource *source, const FatbinVisitor *visitor)
{
    bool has_sections;
    ptxlint_status status = scan_sections(source, visitor, &has_sections);
    if (status != PTXLINT_OK || has_sections)
        return status;
    return ptx_fatbin_scan(source, (ByteRange){ 0, source->length }, true, visitor);
}
