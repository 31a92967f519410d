/* paint_plain.c -- in place of paint.c where there is no cmark-gfm: Markdown as it is, without
 * control characters. */
#include "cli/cli.h"

bool ptx_paint(Text *out, const char *markdown, size_t length, bool has_color)
{
    (void)has_color;
    for (size_t i = 0; i < length; i++) {
        bool is_control = (unsigned char)markdown[i] < 0x20 && markdown[i] != '\n';
        ptx_text_add(out, is_control ? "?" : markdown + i, 1);
    }
    return !out->has_failed;
}
