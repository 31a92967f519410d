#define _DEFAULT_SOURCE /* madvise */

#include "support/pages.h"

#include <stdint.h>
#include <sys/mman.h>

/* Of the pages that it lies in. */
static void advise_pages(void *from, size_t bytes, int advice)
{
    const size_t before = (uintptr_t)from % PAGE_BYTES;
    madvise((char *)from - before, bytes + before, advice);
}

void ptx_pages_make_ready(void *from, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    advise_pages(from, bytes, MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)bytes;
#endif
}

void ptx_pages_make_huge(void *from, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    advise_pages(from, bytes, MADV_HUGEPAGE);
#else
    (void)from;
    (void)bytes;
#endif
}
