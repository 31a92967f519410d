#include "compare/diff.h"
#include "support/guard.h"
#include "support/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* kernels of one beginning, in order of size, that each is held against */
enum { SHAPE_WINDOW = 8 };

#define DIFF_ARENA_BYTES ((size_t)4 << 30)
#define SHAPE_SHARE \
    0.5 /* of the instructions, by class, that versions of a template have in common */

/* ---- matching -------------------------------------------------------------------------------- */

typedef struct Matcher {
    Arena *arena;
    const ptxlint_report *old_report, *new_report;
    uint32_t *old_of;           /* per new kernel: old one + 1; 0: none */
    uint8_t *by;                /* MatchedBy, per new kernel */
    bool *is_taken;             /* per old kernel */
    size_t old_prefix, new_prefix;      /* bytes of paths that all of a report have in common */
} Matcher;

/* Up to and with the last slash that all paths share. */
static size_t common_prefix(const ptxlint_report *r)
{
    size_t length = r->count ? strlen(r->kernels[0].path) : 0;
    for (uint32_t k = 1; k < r->count; k++) {
        size_t n = 0;
        while (n < length && r->kernels[k].path[n] == r->kernels[0].path[n])
            n++;
        length = n;
    }
    while (length && r->kernels[0].path[length - 1] != '/')
        length--;
    return length;
}

typedef uint64_t (*KeyFn)(const Matcher *m, const ReportKernel *kernel, size_t prefix);

static uint64_t key_of_place(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    (void)m;
    return ptx_key_hash(
        ptx_key_hash(ptx_key_hash(ptx_key_hash(KEY_HASH, k->name), k->gpu), k->target),
        k->path + prefix);
}

static uint64_t key_of_body(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    (void)m;
    (void)prefix;
    return ptx_key_hash(k->body ? k->body : KEY_HASH ^ (uint64_t)(uintptr_t)k, k->gpu);
}

/* Where several have one name, each is compared with the one that it was. */
static uint64_t key_of_same_place(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    return key_of_place(m, k, prefix) ^ key_of_body(m, k, prefix) * 3;
}

static uint64_t key_of_target(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    (void)m;
    (void)prefix;
    return ptx_key_hash(ptx_key_hash(ptx_key_hash(KEY_HASH, k->name), k->gpu), k->target);
}

static uint64_t key_of_same_target(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    return key_of_target(m, k, prefix) ^ key_of_body(m, k, prefix) * 3;
}

static uint64_t key_of_name(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    (void)m;
    (void)prefix;
    return ptx_key_hash(ptx_key_hash(KEY_HASH, k->name), k->gpu);
}

/* A report for another GPU: the first of each. */
static uint64_t key_of_any_gpu(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    (void)m;
    (void)prefix;
    return k->is_first_gpu ? ptx_key_hash(KEY_HASH, k->key)
                           : ptx_key_hash(KEY_HASH ^ (uint64_t)(uintptr_t)k, k->key);
}

static uint64_t key_of_key(const Matcher *m, const ReportKernel *k, size_t prefix)
{
    (void)m;
    (void)prefix;
    return ptx_key_hash(ptx_key_hash(KEY_HASH, k->key), k->gpu);
}

/* Of those with equal keys the first with the first: each list of equal ones is gone through
 * once. */
static void match_by(Matcher *m, KeyFn key, MatchedBy by)
{
    Index firsts = { 0 };
    const ptxlint_report *o = m->old_report, *n = m->new_report;
    uint32_t *next = ptx_arena_array(m->arena, uint32_t, o->count + 1),
             *head = ptx_arena_array(m->arena, uint32_t, o->count + 1);
    for (uint32_t k = o->count; k-- > 0;) {
        uint32_t at = 0, first;
        if (m->is_taken[k])
            continue;
        uint64_t hash = key(m, &o->kernels[k], m->old_prefix);
        if (!ptx_index_next(&firsts, hash, &at, &first)) {
            first = k;
            ptx_index_add(m->arena, &firsts, hash, k);
        }
        next[k] = head[first];
        head[first] = k + 1;
    }
    for (uint32_t k = 0; k < n->count; k++) {
        uint32_t at = 0, first;
        if (m->old_of[k]
            || !ptx_index_next(&firsts, key(m, &n->kernels[k], m->new_prefix), &at, &first)
            || !head[first])
            continue;
        m->old_of[k] = head[first];
        m->by[k] = (uint8_t)by;
        m->is_taken[head[first] - 1] = true;
        head[first] = next[head[first] - 1];
    }
}

/* The first name in a mangled one, or what a plain one begins with: `gemm` of
 * _Z4gemmILi128EEvPf. */
static uint64_t stem_hash(const ReportKernel *kernel)
{
    const char *name = kernel->key, *stem = name;
    size_t length = strcspn(name, "0123456789");
    if (!strncmp(name, "_Z", 2)) {
        size_t digits = strcspn(name, "123456789"), number = 0;
        for (stem = name + digits; *stem >= '0' && *stem <= '9'; stem++)
            number = number < 10000 ? 10 * number + (size_t)(*stem - '0') : number;
        length = number;
    }
    uint64_t hash = ptx_key_hash(KEY_HASH, kernel->gpu);
    for (size_t i = 0; i < length && stem[i]; i++)
        hash = (hash ^ (unsigned char)stem[i]) * UINT64_C(0x100000001B3);
    return hash;
}

typedef struct Candidate {
    uint64_t stem;
    double size;
    uint32_t number;
} Candidate;

static int compare_candidates(const void *pa, const void *pb)
{
    const Candidate *a = pa, *b = pb;
    if (a->stem != b->stem)
        return a->stem < b->stem ? -1 : 1;
    if (a->size < b->size || a->size > b->size)
        return a->size < b->size ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* Instructions in common over all, by class: 0 to 1 (Ruzicka, 1958). */
static double share_of(const ReportKernel *a, const ReportKernel *b)
{
    double common = 0, all = 0;
    for (uint32_t c = 0; c < a->class_count && c < 64; c++) {
        double x = a->classes[c].count, y = ptx_report_class_count(b, a->classes[c].name);
        common += fmin(x, y);
        all += fmax(x, y);
    }
    return all > 0 ? common / all : 0;
}

static Candidate *candidates(Matcher *m, const ptxlint_report *r, bool is_old, uint32_t *count)
{
    Candidate *out = ptx_arena_array(m->arena, Candidate, r->count + 1);
    *count = 0;
    for (uint32_t k = 0; k < r->count; k++)
        if (is_old ? !m->is_taken[k] : !m->old_of[k]) {
            double size = r->kernels[k].metrics[METRIC_INSTRUCTIONS].value;
            out[(*count)++] = (Candidate){ stem_hash(&r->kernels[k]), isnan(size) ? 0 : size, k };
        }
    qsort(out, *count, sizeof *out, compare_candidates);
    return out;
}

/* Both lists are in order of beginning and size, so a window of the old one moves along with the
 * new one. */
static void match_by_shape(Matcher *m)
{
    uint32_t old_count, new_count, low = 0;
    const Candidate *o = candidates(m, m->old_report, true, &old_count),
                    *n = candidates(m, m->new_report, false, &new_count);
    for (uint32_t i = 0; i < new_count; i++) {
        double best = SHAPE_SHARE;
        uint32_t found = UINT32_MAX, at;
        while (low < old_count && compare_candidates(&o[low], &n[i]) < 0)
            low++;
        uint32_t first = low > SHAPE_WINDOW ? low - SHAPE_WINDOW : 0;
        for (at = first; at < old_count && at < low + SHAPE_WINDOW; at++) {
            const ReportKernel *a = &m->old_report->kernels[o[at].number],
                               *b = &m->new_report->kernels[n[i].number];
            double share = o[at].stem != n[i].stem || m->is_taken[o[at].number]
                                   || strcmp(a->gpu, b->gpu) != 0
                               ? 0
                               : share_of(a, b);
            if (share < best || (found != UINT32_MAX && share <= best))
                continue;
            best = share;
            found = o[at].number;
        }
        if (found == UINT32_MAX)
            continue;
        m->old_of[n[i].number] = found + 1;
        m->by[n[i].number] = MATCHED_SHAPE;
        m->is_taken[found] = true;
    }
}

static void match_all(Matcher *m)
{
    m->old_of = ptx_arena_array(m->arena, uint32_t, m->new_report->count + 1);
    m->by = ptx_arena_array(m->arena, uint8_t, m->new_report->count + 1);
    m->is_taken = ptx_arena_array(m->arena, bool, m->old_report->count + 1);
    m->old_prefix = common_prefix(m->old_report);
    m->new_prefix = common_prefix(m->new_report);
    match_by(m, key_of_same_place, MATCHED_NAME);
    match_by(m, key_of_place, MATCHED_NAME);
    match_by(m, key_of_same_target, MATCHED_NAME);
    match_by(m, key_of_target, MATCHED_NAME);
    match_by(m, key_of_name, MATCHED_NAME);
    match_by(m, key_of_key, MATCHED_KEY);
    match_by(m, key_of_any_gpu, MATCHED_KEY);
    match_by(m, key_of_body, MATCHED_BODY);
    match_by_shape(m);
}

/* ---- findings -------------------------------------------------------------------------------- */

static uint64_t finding_hash(const ReportFinding *f, bool has_statement)
{
    return ptx_key_hash(ptx_key_hash(KEY_HASH, f->rule), has_statement ? f->statement : "");
}

/* One that others are folded into may stand elsewhere by now: it is matched by rule alone, and is
 * new where there are more of them. */
static void match_findings(Arena *arena, ReportFinding *old_list, ReportFinding *new_list,
                           bool has_statement)
{
    Index index = { 0 };
    uint32_t count = 0, at, number;
    for (ReportFinding *f = old_list; f; f = f->next)
        count++;
    ReportFinding **all = ptx_arena_array(arena, ReportFinding *, count + 1);
    count = 0;
    for (ReportFinding *f = old_list; f; f = f->next) {
        if (!f->is_matched)
            ptx_index_add(arena, &index, finding_hash(f, has_statement), count);
        all[count++] = f;
    }
    for (ReportFinding *f = new_list; f; f = f->next)
        for (at = 0; !f->is_matched
                     && ptx_index_next(&index, finding_hash(f, has_statement), &at, &number);) {
            ReportFinding *other = all[number];
            bool is_folded = f->count > 1 || other->count > 1;
            if (other->is_matched || is_folded == has_statement || strcmp(f->rule, other->rule) != 0
                || (has_statement && strcmp(f->statement, other->statement) != 0))
                continue;
            other->is_matched = true;
            f->is_matched = f->count <= other->count;
            break;
        }
}

static void reset(ReportFinding *list)
{
    for (; list; list = list->next)
        list->is_matched = false;
}

static uint32_t unmatched(const ReportFinding *list)
{
    uint32_t count = 0;
    for (; list; list = list->next)
        count += !list->is_matched;
    return count;
}

static int compare_findings(const void *pa, const void *pb)
{
    const ReportFinding *a = *(ReportFinding *const *)pa, *b = *(ReportFinding *const *)pb;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    int order = strcmp(a->rule, b->rule);
    return order ? order : strcmp(a->message, b->message);
}

static void keep_unmatched(ReportFinding **out, ReportFinding *list)
{
    uint32_t count = 0;
    for (; list; list = list->next)
        if (!list->is_matched)
            out[count++] = list;
    if (count)
        qsort(out, count, sizeof *out, compare_findings);
}

static void diff_findings(Arena *arena, Pair *pair)
{
    ReportFinding *old_list = pair->old_kernel ? pair->old_kernel->findings : NULL;
    ReportFinding *new_list = pair->new_kernel ? pair->new_kernel->findings : NULL;
    reset(old_list);
    reset(new_list);
    match_findings(arena, old_list, new_list, true);
    match_findings(arena, old_list, new_list, false);
    pair->new_count = unmatched(new_list);
    pair->fixed_count = pair->new_kernel ? unmatched(old_list) : 0;
    pair->findings = ptx_arena_array(arena, ReportFinding *,
                                     pair->new_count + pair->fixed_count + 1);
    keep_unmatched(pair->findings, new_list);
    if (pair->new_kernel)
        keep_unmatched(pair->findings + pair->new_count, old_list);
}

static double new_warnings(const Pair *pair)
{
    double count = 0;
    for (uint32_t i = 0; i < pair->new_count; i++)
        count += pair->findings[i]->severity >= PTXLINT_WARNING;
    return count;
}

/* ---- figures --------------------------------------------------------------------------------- */

bool ptx_diff_has_total(MetricId id)
{
    return id == METRIC_SPILL_BYTES || id == METRIC_INSTRUCTIONS || id == METRIC_WARP_INSTRUCTIONS
           || id == METRIC_DRAM_BYTES || id == METRIC_PREDICTED_TIME || id == METRIC_FINDINGS;
}

static double percent_of(double from, double to)
{
    return from > 0 ? 100 * (to - from) / from : (double)NAN;
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));        /* saved ones have ten digits */
}

static Change change_of(MetricId id, const ptxlint_measure *from, const ptxlint_measure *to,
                        const Tolerance *tolerance)
{
    ptxlint_metric metric;
    ptxlint_metric_at(id, &metric);
    Change c = { .old_value = from->value,
                 .new_value = to->value,
                 .percent = percent_of(from->value, to->value) };
    c.certainty = from->certainty > to->certainty ? from->certainty : to->certainty;
    if (isnan(from->value) || isnan(to->value)) {
        c.verdict = VERDICT_NOW_KNOWN;
        if (isnan(to->value))
            c.verdict = isnan(from->value) ? VERDICT_SAME : VERDICT_NOW_UNKNOWN;
        return c;
    }
    double worse = metric.is_higher_better ? from->value - to->value : to->value - from->value;
    double allowed = tolerance->is_percent ? tolerance->value / 100 * fabs(from->value)
                                           : tolerance->value;
    if (is_same(from->value, to->value))
        c.verdict = VERDICT_SAME;
    else if (worse < 0)
        c.verdict = VERDICT_BETTER;
    else
        c.verdict = tolerance->is_off || worse <= allowed + 1e-9 * fabs(from->value)
                        ? VERDICT_WORSE
                        : VERDICT_REGRESSED;
    return c;
}

/* The rule of a correctness finding that is gone, where no other has come; NULL. */
static const char *repaired_rule(const Pair *pair)
{
    const char *repaired = NULL;
    for (uint32_t i = 0; i < pair->new_count + pair->fixed_count; i++) {
        const ReportFinding *f = pair->findings[i];
        if (strncmp(f->rule, "COR", 3) != 0 || f->severity < PTXLINT_WARNING)
            continue;
        if (i < pair->new_count)
            return NULL;
        repaired = f->rule;
    }
    return repaired;
}

/* What the predicted time is made of. */
static bool is_in_time(MetricId id)
{
    switch (id) {
    case METRIC_REGISTERS: case METRIC_OCCUPANCY_PERCENT: case METRIC_INSTRUCTIONS:
    case METRIC_WARP_INSTRUCTIONS: case METRIC_DRAM_BYTES: case METRIC_SECTORS:
    case METRIC_BANK_CONFLICTS:
        return true;
    default:
        return false;
    }
}

/* Costs of a kernel that is faster, or right again, are shown and do not count, unless the user has
 * set their tolerance. */
static void excuse_costs(ptxlint_diff *d, Pair *pair)
{
    const bool is_faster = pair->changes[METRIC_PREDICTED_TIME].verdict == VERDICT_BETTER;
    const char *rule = pair->old_kernel && pair->new_kernel ? repaired_rule(pair) : NULL;
    char text[80];
    snprintf(text, sizeof text, "not counted: %.40s is repaired", rule ? rule : "");
    for (int i = 0; i < METRIC__COUNT; i++) {
        Change *c = &pair->changes[i];
        if (c->verdict != VERDICT_REGRESSED || i == METRIC_FINDINGS || d->tolerances[i].is_asked
            || !(rule || (is_faster && is_in_time((MetricId)i))))
            continue;
        c->verdict = VERDICT_WORSE;
        c->excuse = rule ? ptx_arena_strndup(&d->arena, text, strlen(text))
                         : "not counted: it is faster";
    }
}

static void weigh(Pair *pair)
{
    for (int i = 0; i < METRIC__COUNT; i++) {
        const Change *c = &pair->changes[i];
        double percent = isnan(c->percent) ? 100 : fabs(c->percent);
        if (c->verdict == VERDICT_SAME)
            continue;
        pair->is_changed = true;
        pair->is_regressed |= c->verdict == VERDICT_REGRESSED;
        pair->is_better |= c->verdict == VERDICT_BETTER;
        pair->weight = fmax(pair->weight, percent);
    }
    pair->is_changed |= pair->new_count || pair->fixed_count;
    if (pair->is_regressed)
        pair->weight += 1e12;
    if (pair->is_changed)
        pair->weight += 1e6;
}

static void diff_pair(ptxlint_diff *d, Pair *pair)
{
    const ptxlint_measure none = { (double)NAN, PTXLINT_NOT_KNOWN };
    const ReportKernel *o = pair->old_kernel, *n = pair->new_kernel;
    const Tolerance *limit = &d->tolerances[METRIC_FINDINGS];
    diff_findings(&d->arena, pair);
    for (int i = 0; i < METRIC__COUNT; i++) {
        bool is_wanted = o && n && (n->is_first_gpu || ptx_metric_is_of_gpu((MetricId)i));
        const ptxlint_measure *from = is_wanted ? &o->metrics[i] : &none;
        const ptxlint_measure *to = is_wanted ? &n->metrics[i] : &none;
        pair->changes[i] = change_of((MetricId)i, from, to, &d->tolerances[i]);
    }
    Change *findings = &pair->changes[METRIC_FINDINGS];
    if (findings->verdict == VERDICT_REGRESSED)
        findings->verdict = VERDICT_WORSE;
    if (!limit->is_off && new_warnings(pair) > limit->value) {
        findings->verdict = VERDICT_REGRESSED;
        if (!o) {
            findings->old_value = 0;
            findings->new_value = n->metrics[METRIC_FINDINGS].value;
        }
    }
    excuse_costs(d, pair);
    weigh(pair);
}

static int compare_pairs(const void *pa, const void *pb)
{
    const Pair *a = pa, *b = pb;
    const ReportKernel *x = ptx_pair_kernel(a), *y = ptx_pair_kernel(b);
    if (a->weight < b->weight || a->weight > b->weight)
        return a->weight > b->weight ? -1 : 1;
    int order = strcmp(x->name, y->name);
    order = order ? order : strcmp(x->path, y->path);
    order = order ? order : strcmp(x->gpu, y->gpu);
    return order ? order : (int)!a->new_kernel - (int)!b->new_kernel;
}

static void sum_up(ptxlint_diff *d)
{
    for (int i = 0; i < METRIC__COUNT; i++) {
        ptxlint_measure sums[2] = { { 0, PTXLINT_EXACT }, { 0, PTXLINT_EXACT } };
        for (uint32_t p = 0; p < d->count && ptx_diff_has_total((MetricId)i); p++) {
            const ReportKernel *o = d->pairs[p].old_kernel, *n = d->pairs[p].new_kernel;
            bool is_first = ptx_pair_kernel(&d->pairs[p])->is_first_gpu;
            if (!is_first || (o && isnan(o->metrics[i].value)) || (n && isnan(n->metrics[i].value)))
                continue;
            sums[0].value += o ? o->metrics[i].value : 0;
            sums[1].value += n ? n->metrics[i].value : 0;
        }
        d->totals[i] = change_of((MetricId)i, &sums[0], &sums[1], &(Tolerance){ .is_off = true });
    }
    for (uint32_t p = 0; p < d->count; p++) {
        const Pair *pair = &d->pairs[p];
        d->info.kernel_count++;
        d->info.regressed_count += pair->is_regressed;
        d->info.better_count += !pair->is_regressed && pair->is_better;
        d->info.added_count += !pair->old_kernel;
        d->info.removed_count += !pair->new_kernel;
        d->info.same_count += pair->old_kernel && pair->new_kernel && !pair->is_changed;
        d->info.new_findings += pair->new_count;
        d->info.fixed_findings += pair->fixed_count;
        for (int i = 0; i < METRIC__COUNT; i++)
            d->info.unknown_count += pair->changes[i].verdict == VERDICT_NOW_UNKNOWN;
    }
}

static void make_pairs(ptxlint_diff *d, const Matcher *m)
{
    d->pairs = ptx_arena_array(&d->arena, Pair,
                               (size_t)m->old_report->count + m->new_report->count + 1);
    for (uint32_t k = 0; k < m->new_report->count; k++)
        d->pairs[d->count++] =
            (Pair){ .new_kernel = &m->new_report->kernels[k],
                    .matched_by = (MatchedBy)m->by[k],
                    .old_kernel = m->old_of[k] ? &m->old_report->kernels[m->old_of[k] - 1] : NULL };
    for (uint32_t k = 0; k < m->old_report->count; k++)
        if (!m->is_taken[k])
            d->pairs[d->count++] = (Pair){ .old_kernel = &m->old_report->kernels[k] };
    for (uint32_t p = 0; p < d->count; p++)
        diff_pair(d, &d->pairs[p]);
    if (d->count)
        qsort(d->pairs, d->count, sizeof *d->pairs, compare_pairs);
    sum_up(d);
}

/* ---- tolerances ------------------------------------------------------------------------------ */

/* "8", "5%", "0.5%", "off". */
static bool read_tolerance(const char *text, Tolerance *out)
{
    double value = 0, scale = 1;
    bool has_point = false, has_digit = false;
    *out = (Tolerance){ .is_off = !strcmp(text, "off") };
    if (out->is_off)
        return true;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); text++) {
        has_point |= *text == '.';
        has_digit |= *text != '.';
        value = *text == '.' ? value : 10 * value + (*text - '0');
        scale *= *text != '.' && has_point ? 10 : 1;
    }
    out->is_percent = *text == '%';
    out->value = value / scale;
    return has_digit && !text[out->is_percent] && out->value <= 1e15;
}

static bool set_tolerance(ptxlint_diff *d, const char *text, char *error, size_t error_size)
{
    const char *equals = strchr(text, '=');
    MetricId id = ptx_metric_find(text, equals ? (size_t)(equals - text) : strlen(text));
    if (id == METRIC__COUNT)
        snprintf(error, error_size,
                 "'%.60s' names no metric; write registers=5%%, spill_bytes=16 or instructions=off",
                 text);
    else if (!equals || !read_tolerance(equals + 1, &d->tolerances[id]))
        snprintf(error, error_size, "'%.60s' is not METRIC=NUMBER, METRIC=NUMBER%% or METRIC=off",
                 text);
    else
        return d->tolerances[id].is_asked = true;
    return false;
}

static bool set_tolerances(ptxlint_diff *d, const char *const *texts, size_t count, char *error,
                           size_t error_size)
{
    ptxlint_metric metric;
    for (size_t i = 0; ptxlint_metric_at(i, &metric); i++)
        (void)read_tolerance(metric.tolerance, &d->tolerances[i]);
    for (size_t i = 0; i < count; i++)
        if (!set_tolerance(d, texts[i], error, error_size))
            return false;
    return true;
}

/* ---- the life of one ------------------------------------------------------------------------- */

typedef struct DiffCompare {
    ptxlint_diff *d;
    const ptxlint_report *old_report;
    const ptxlint_report *new_report;
    ptxlint_status result;
} DiffCompare;

static void compare_guarded(void *context)
{
    DiffCompare *call = context;
    Matcher m = {
        .arena = &call->d->arena, .old_report = call->old_report, .new_report = call->new_report
    };
    match_all(&m);
    make_pairs(call->d, &m);
    call->result = PTXLINT_OK;
}

static ptxlint_status compare(ptxlint_diff *d, const ptxlint_report *old_report,
                              const ptxlint_report *new_report)
{
    DiffCompare call = { d, old_report, new_report, PTXLINT_NO_MEMORY };
    ptx_arena_init(&d->arena, DIFF_ARENA_BYTES, NULL);
    ptx_run_guarded_in(&d->arena, compare_guarded, &call);
    return call.result;
}

ptxlint_status ptxlint_diff_new(const ptxlint_report *old_report, const ptxlint_report *new_report,
                                const char *const *tolerances, size_t count, ptxlint_diff **out,
                                char *error, size_t error_size)
{
    char unused[1];
    if (!old_report || !new_report || !out || (count && !tolerances)
        || !ptx_words_are_given(tolerances, count))
        return PTXLINT_BAD_ARGUMENT;
    *out = NULL;
    ptxlint_diff *d = calloc(1, sizeof *d);
    if (!d)
        return PTXLINT_NO_MEMORY;
    if (!error || !error_size) {
        error = unused;
        error_size = sizeof unused;
    }
    bool is_good = set_tolerances(d, tolerances, count, error, error_size);
    ptxlint_status status = is_good ? compare(d, old_report, new_report) : PTXLINT_BAD_FILE;
    if (status == PTXLINT_OK)
        *out = d;
    else
        ptxlint_diff_free(d);
    return status;
}

void ptxlint_diff_free(ptxlint_diff *d)
{
    if (!d)
        return;
    ptx_arena_free(&d->arena);
    free(d);
}

const ptxlint_diff_info *ptxlint_diff_get_info(const ptxlint_diff *d)
{
    return d ? &d->info : NULL;
}

/* How much the worst kernel takes. */
static double needed(const ptxlint_diff *d, MetricId id)
{
    double most = -1;
    for (uint32_t p = 0; p < d->count; p++) {
        const Change *c = &d->pairs[p].changes[id];
        double worse = id == METRIC_FINDINGS ? new_warnings(&d->pairs[p])
                                             : fabs(c->new_value - c->old_value);
        if (c->verdict == VERDICT_REGRESSED && worse > most)
            most = worse;
    }
    return most;
}

int ptxlint_diff_tolerance_at(const ptxlint_diff *d, size_t index, char *out, size_t size)
{
    ptxlint_metric metric;
    for (size_t i = 0; d && out && ptxlint_metric_at(i, &metric); i++) {
        double most = needed(d, (MetricId)i);
        if (most < 0 || index--)
            continue;
        snprintf(out, size, "%s=%s", metric.key,
                 ptx_figure_number(most < 100 ? ceil(most * 100) / 100 : ceil(most)).text);
        return 1;
    }
    return 0;
}
