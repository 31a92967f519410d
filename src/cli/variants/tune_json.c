/* tune_json.c -- the same as JSON. */
#include "cli/variants/tune.h"
#include "cli/rule_json.h"

#include <math.h>
#include <string.h>

const char *ptx_tune_spills(ptxlint_spills spills)
{
    static const char *const words[] = { "spills unknown", "spills unlikely", "spills possible",
                                         "spills likely" };
    return words[spills];
}

/* NULL: it does other work. */
static void add_shape_times(json_t *value, const ptxlint_estimated *e)
{
    static const ptxlint_time none = {
        .bound_us = NAN, .predicted_us = NAN, .low_us = NAN, .high_us = NAN
    };
    const ptxlint_time *time = e ? &e->time : &none;
    const char *why = e ? NULL : "it does other work";
    json_object_set_new(value, "predicted_time_us", ptx_json_number(time->predicted_us));
    json_object_set_new(value, "predicted_low_us", ptx_json_number(time->low_us));
    json_object_set_new(value, "predicted_high_us", ptx_json_number(time->high_us));
    json_object_set_new(value, "bound_time_us", ptx_json_number(time->bound_us));
    json_object_set_new(value, "limiter", ptx_text_json(time->limiter));
    if (e && !isfinite(time->predicted_us))
        why = ptx_why_untimed(e);
    json_object_set_new(value, "why", ptx_text_json(why));
    json_object_set_new(
        value, "bound_why",
        ptx_text_json(why || isfinite(time->bound_us) ? why : ptx_why_unbound(e)));
}

static json_t *shape_json(const Tune *t, const TuneShape *s)
{
    const ptxlint_estimated *e = &s->estimated;
    json_int_t shared = s->trial.dynamic_shared_bytes >= 0 ? s->trial.dynamic_shared_bytes
                                                           : t->kernel->launch.dynamic_shared_bytes;
    static const char *const works[] = {
        [WORK_SAME] = "same", [WORK_UNKNOWN] = "unknown", [WORK_OTHER] = "other"
    };
    json_t *dynamic = shared < 0 ? json_null() : json_integer(shared);
    const bool is_recommended = s == t->best && !t->is_bound;
    json_t *value = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:s}", "block",
                              ptx_json_sizes(s->trial.block), "grid", ptx_json_sizes(s->trial.grid),
                              "dynamic_shared_bytes", dynamic,
                              "occupancy_percent", ptx_json_number(e->occupancy.percent), "waves",
                              ptx_json_number(e->waves),
                              "sectors_per_request", ptx_json_number(e->sectors_per_request),
                              "lines_per_request", ptx_json_number(e->lines_per_request),
                              "wavefronts_per_request", ptx_json_number(e->wavefronts_per_request),
                              "is_given", s->is_given, "is_recommended", is_recommended, "work",
                              works[s->work]);
    add_shape_times(value, s->work == WORK_OTHER ? NULL : e);
    return value;
}

static json_t *variant_json(const Variant *v)
{
    const ptxlint_estimated *e = &v->shape.estimated;
    const int64_t to = v->is_shared ? v->shape.trial.dynamic_shared_bytes
                                    : v->shape.trial.max_registers;
    json_t *value = json_pack("{s:s, s:I, s:I, s:o, s:o}", "changes",
                              v->is_shared ? "dynamic_shared" : "registers", "to", (json_int_t)to,
                              "blocks_per_sm", (json_int_t)e->occupancy.blocks_per_sm,
                              "occupancy_percent", ptx_json_number(e->occupancy.percent),
                              "predicted_time_us", ptx_json_number(e->time.predicted_us));
    json_object_set_new(value, "predicted_low_us", ptx_json_number(e->time.low_us));
    json_object_set_new(value, "predicted_high_us", ptx_json_number(e->time.high_us));
    json_object_set_new(value, "spills",
                        v->is_shared || !e->spills
                            ? json_null()
                            : json_string(ptx_tune_spills(e->spills) + strlen("spills ")));
    return value;
}

json_t *ptx_tune_json(const Tune *t)
{
    json_t *shapes = json_array(), *variants = json_array();
    const TuneShape *given = ptx_tune_given(t);
    Text why = { 0 }, bound = { 0 };
    if (t->best && given && !t->best->is_given)
        ptx_tune_put_reasons(&why, t->best, given);
    ptx_tune_put_bound(t, &bound);
    for (size_t i = 0; i < t->count; i++)
        json_array_append_new(shapes, shape_json(t, &t->shapes[i]));
    for (size_t i = 0; i < t->variant_count; i++)
        json_array_append_new(variants, variant_json(&t->variants[i]));
    json_t *value =
        json_pack("{s:s, s:s?, s:s, s:o, s:o}", "name", t->kernel->name, "gpu", ptx_tune_gpu(t),
                  "why", why.length ? why.bytes : "", "shapes", shapes, "variants", variants);
    json_object_set_new(value, "assumes", json_string(ptx_tune_assumption));
    json_object_set_new(value, "why_not", bound.length ? json_string(bound.bytes) : json_null());
    ptx_text_free(&why);
    ptx_text_free(&bound);
    return value;
}
