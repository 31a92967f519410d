/* assert.h -- our own mistakes. What one stage promises the next in its header is asserted where it
 * is made or taken, in builds with assertions: those of the tests under sanitizers and of the
 * fuzzers. A release build (NDEBUG) compiles the condition, and never evaluates it. */
#ifndef PTX_SUPPORT_ASSERT_H
#define PTX_SUPPORT_ASSERT_H

#include <assert.h>

#if defined NDEBUG && !defined __cppcheck__
#define ASSERT(condition) ((void)(0 && (condition)))
#else
#define ASSERT(condition) assert(condition)
#endif

#endif
