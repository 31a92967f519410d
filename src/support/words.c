#include "support/words.h"

#include <fnmatch.h>
#include <string.h>

unsigned ptx_edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    enum { MOST = 48, FAR = 4 };
    if (n > MOST || m > MOST || (n > m ? n - m : m - n) >= FAR)
        return FAR;
    unsigned rows[3][MOST + 1], least = 0;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned *row = rows[i % 3], *up = rows[(i - 1) % 3], *up2 = rows[(i + 1) % 3];
        unsigned before = least;
        least = row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            unsigned best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best)
                best = up[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]
                && up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            row[j] = best;
            least = best < least ? best : least;
        }
        if (least >= FAR && before >= FAR)      /* what follows is made of these two rows */
            return FAR;
    }
    return rows[n % 3][m];
}

bool ptx_path_fits(const char *glob, const char *path)
{
    for (; path; path = strchr(path, '/'), path = path ? path + 1 : NULL)
        if (!fnmatch(glob, path, 0))
            return true;
    return false;
}

bool ptx_words_are_given(const char *const *words, size_t count)
{
    for (size_t i = 0; words && i < count; i++)
        if (!words[i])
            return false;
    return true;
}
