/* pages.h -- pages of memory before they are written. */
#ifndef PTX_SUPPORT_PAGES_H
#define PTX_SUPPORT_PAGES_H

#include <stddef.h>

enum { PAGE_BYTES = 4 << 10, HUGE_PAGE_BYTES = 2 << 20 };

/* Memory that is about to be written from end to end. The same pages are there whether this is
 * done or not; one call for many of them takes a fraction of the faults that they take one by one.
 * A system without it gives them as they are written. */
void ptx_pages_make_ready(void *from, size_t bytes);

/* As huge pages, where the system has them. */
void ptx_pages_make_huge(void *from, size_t bytes);

#endif
