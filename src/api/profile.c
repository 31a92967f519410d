#include "api/profile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CODE_ROOM = 16 };

typedef struct StageTime {
    double begun, seconds;
    uint64_t count, last_module;
} StageTime;

typedef struct RuleTime {
    char code[CODE_ROOM];
    double seconds;
    uint64_t count;
} RuleTime;

struct ptxlint_profile {
    uint64_t module_count;
    StageTime stages[PROFILE__COUNT];
    RuleTime *rules;            /* by code */
    size_t rule_count, rule_capacity;
};

static const char *const stage_names[PROFILE__COUNT] = {
    [PROFILE_PARSE] = "parse",           [PROFILE_FLOW] = "flow",   [PROFILE_LIVE] = "live",         [PROFILE_TRIPS] = "trips",
    [PROFILE_MIX] = "mix",               [PROFILE_THROUGHPUT] = "throughput", [PROFILE_EVALUATE] = "evaluation", [PROFILE_ESTIMATE] = "estimate",
    [PROFILE_CALLS] = "calls",
    [PROFILE_RULES] = "rules",           [PROFILE_SUPPRESS] = "suppress", [PROFILE_VIEW] = "view",
};

/* ---- adding ---------------------------------------------------------------------------------- */

double ptx_profile_clock(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) ? 0 : (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void ptx_profile_module(ptxlint_profile *profile)
{
    if (profile)
        profile->module_count++;
}

void ptx_profile_begin(ptxlint_profile *profile, ProfileStage stage)
{
    if (profile)
        profile->stages[stage].begun = ptx_profile_clock();
}

void ptx_profile_end(ptxlint_profile *profile, ProfileStage stage)
{
    if (!profile)
        return;
    StageTime *time = &profile->stages[stage];
    time->seconds += ptx_profile_clock() - time->begun;
    if (!time->count || time->last_module != profile->module_count)
        time->count++;
    time->last_module = profile->module_count;
}

/* Where the code stands, or would. */
static size_t find_profile_rule(const ptxlint_profile *profile, const char *code)
{
    size_t low = 0, high = profile->rule_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strncmp(profile->rules[middle].code, code, CODE_ROOM - 1) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static RuleTime *insert_rule(ptxlint_profile *profile, size_t at, const char *code)
{
    if (profile->rule_count == profile->rule_capacity) {
        size_t capacity = profile->rule_capacity ? 2 * profile->rule_capacity : 64;
        RuleTime *grown = realloc(profile->rules, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        profile->rules = grown;
        profile->rule_capacity = capacity;
    }
    memmove(&profile->rules[at + 1], &profile->rules[at],
            (profile->rule_count - at) * sizeof *profile->rules);
    profile->rule_count++;
    profile->rules[at] = (RuleTime){ .count = 0 };
    strncpy(profile->rules[at].code, code, CODE_ROOM - 1);
    return &profile->rules[at];
}

void ptx_profile_rule(ptxlint_profile *profile, const char *code, double seconds, uint64_t count)
{
    if (!profile)
        return;
    size_t at = find_profile_rule(profile, code);
    RuleTime *time = at < profile->rule_count
                             && !strncmp(profile->rules[at].code, code, CODE_ROOM - 1)
                         ? &profile->rules[at]
                         : insert_rule(profile, at, code);
    if (time) {
        time->seconds += seconds;
        time->count += count;
    }
}

/* ---- the public interface -------------------------------------------------------------------- */

ptxlint_status ptxlint_profile_new(ptxlint_profile **out)
{
    if (!out)
        return PTXLINT_BAD_ARGUMENT;
    *out = calloc(1, sizeof **out);
    return *out ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

void ptxlint_profile_free(ptxlint_profile *profile)
{
    if (profile)
        free(profile->rules);
    free(profile);
}

void ptxlint_profile_add(ptxlint_profile *profile, const ptxlint_profile *other)
{
    if (!profile || !other)
        return;
    for (int i = 0; i < PROFILE__COUNT; i++) {
        profile->stages[i].seconds += other->stages[i].seconds;
        profile->stages[i].count += other->stages[i].count;
    }
    for (size_t i = 0; i < other->rule_count; i++)
        ptx_profile_rule(profile, other->rules[i].code, other->rules[i].seconds,
                         other->rules[i].count);
}

int ptxlint_profile_at(const ptxlint_profile *profile, size_t index, ptxlint_profile_entry *out)
{
    if (!profile || !out || index >= PROFILE__COUNT + profile->rule_count)
        return 0;
    if (index < PROFILE__COUNT) {
        const StageTime *time = &profile->stages[index];
        *out = (ptxlint_profile_entry){ .name = stage_names[index],
                                        .seconds = time->seconds,
                                        .count = time->count };
    } else {
        const RuleTime *time = &profile->rules[index - PROFILE__COUNT];
        *out = (ptxlint_profile_entry){
            .name = time->code, .is_rule = 1, .seconds = time->seconds, .count = time->count
        };
    }
    return 1;
}
