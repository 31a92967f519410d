/* header.c -- the public header compiles alone, as C11 and as C++17. */
#include "ptxlint/ptxlint.h"
