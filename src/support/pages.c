#define _DEFAULT_SOURCE /* madvise */

#include "support/pages.h"

#include <stdint.h>
#include <sys/mman.h>

/* A system that does not know an advice refuses it, and nothing is lost. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE (-1)
#endif
#ifndef MADV_HUGEPAGE
#define MADV_HUGEPAGE (-1)
#endif

/* Of the pages that it lies in. */
static void advise_pages(void *from, size_t bytes, int advice)
{
    const size_t before = (uintptr_t)from % PAGE_BYTES;
    madvise((char *)from - before, bytes + before, advice);
}

void ptx_pages_make_ready(void *from, size_t bytes)
{
    advise_pages(from, bytes, MADV_POPULATE_WRITE);
}

void ptx_pages_make_huge(void *from, size_t bytes)
{
    advise_pages(from, bytes, MADV_HUGEPAGE);
}
