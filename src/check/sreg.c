#include "check/sreg.h"

#include "check/check.h"
#include "ir/sreg.h"
#include "isa/isa.h"

#include <string.h>

const SregInfo ptx_sreg_info[SREG__COUNT] = {
#define SR(id, text, type, version, sm, narrow, vector, count) \
    [SREG_##id] = { text, sizeof text - 1, TYPE_##type, version, sm, narrow, vector, count },
#include "isa/sregs.def"
#undef SR
};

/* Digits of a number below count, without a leading zero. */
static bool is_number_below(const char *text, size_t length, unsigned count)
{
    if (!length || length > 2 || (text[0] == '0' && length > 1))
        return false;
    unsigned number = 0;
    for (size_t i = 0; i < length; i++)
        number = 10 * number + (unsigned)(text[i] - '0');
    return number < count;
}

SregId ptx_sreg_find(const char *name, size_t length, const char *suffix, size_t suffix_length,
                     int64_t *component)
{
    *component = 0;
    if (length < 3 || name[0] != '%')
        return SREG_NONE;
    name++;
    length--;
    if (suffix_length == 2) {
        static const char components[] = "xyzwrgba";
        const char *place = suffix[1] ? strchr(components, suffix[1]) : NULL;
        *component = place ? (place - components) & 3 : 0;
    }
    size_t stem = length;
    while (stem && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    for (int id = 1; id < SREG__COUNT; id++) {
        const SregInfo *info = &ptx_sreg_info[id];
        size_t n = info->number_count ? stem : length;
        if (info->length == n && !memcmp(name, info->text, n)
            && (!info->number_count
                || is_number_below(name + stem, length - stem, info->number_count)))
            return (SregId)id;
    }
    if (length == 6 && !memcmp(name, "pm", 2) && name[2] >= '0' && name[2] <= '7'
        && !memcmp(name + 3, "_64", 3))
        return SREG_PM_64;
    return SREG_NONE;
}

bool ptx_sreg_fits(SregId sreg, Type wanted, bool is_relaxed)
{
    const SregInfo *info = &ptx_sreg_info[sreg];
    const TypeInfo *want = &ptx_type_info[wanted];
    if (ptx_type_takes(wanted, (Type)info->type, is_relaxed))
        return true;
    bool is_plain = want->kind == KIND_BITS || want->kind == KIND_SIGNED
                    || want->kind == KIND_UNSIGNED;
    return is_plain && want->bits >= info->narrow_bits
           && want->bits <= ptx_type_info[info->type].bits;
}
