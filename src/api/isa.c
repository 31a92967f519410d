/* isa.c -- the instruction table behind the public interface: forms in words. */
#include "api/isa.h"

#include "model/gpu.h"
#include "check/sreg.h"
#include "support/choice.h"
#include "support/guard.h"
#include "support/minmax.h"
#include "gpu/costs.h"
#include "gpu/gpu.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- classes --------------------------------------------------------------------------------- */

/* What forms.txt calls a class, in groups that a reader would look in. */
static const struct {
    ptxlint_isa_class info;
    uint32_t forms;                     /* bits of FormClass */
} classes[] = {
    { { "integer", "integer arithmetic" },              1u << FORM_INT },
    { { "logic", "bits and shifts" },                   1u << FORM_LOGIC },
    { { "float", "floating-point arithmetic" },         1u << FORM_FP32 | 1u << FORM_FP64 | 1u << FORM_HALF | 1u << FORM_FMA | 1u << FORM_ARITH },
    { { "special", "special functions" },               1u << FORM_SFU },
    { { "division", "division and roots" },             1u << FORM_DIV },
    { { "comparison", "comparison and selection" },     1u << FORM_CMP },
    { { "conversion", "conversion" },                   1u << FORM_CVT },
    { { "move", "movement between registers" },         1u << FORM_MOVE },
    { { "memory", "memory" },                           1u << FORM_MEM },
    { { "atomic", "atomics and reductions" },           1u << FORM_ATOMIC },
    { { "texture", "textures and surfaces" },           1u << FORM_TEX },
    { { "tensor", "matrices" },                         1u << FORM_TENSOR },
    { { "warp", "lanes of a warp" },                    1u << FORM_WARP },
    { { "barrier", "barriers, fences and waits" },      1u << FORM_BARRIER },
    { { "control", "control flow" },                    1u << FORM_CONTROL },
    { { "video", "video: parts of registers" },         1u << FORM_VIDEO },
    { { "other", "everything else" },                   1u << FORM_MISC | 1u << FORM_NONE },
};

enum { CLASS_COUNT = sizeof classes / sizeof *classes };

static size_t class_of_form(FormId id)
{
    for (size_t i = 0; i < CLASS_COUNT; i++)
        if (classes[i].forms & 1u << ptx_form_info[id].class)
            return i;
    return CLASS_COUNT - 1;
}

int ptxlint_isa_class_at(size_t index, ptxlint_isa_class *out)
{
    if (!out || index >= CLASS_COUNT)
        return 0;
    *out = classes[index].info;
    return 1;
}

/* ---- opcodes --------------------------------------------------------------------------------- */

static ptxlint_isa_need need_of(unsigned version, Target target)
{
    ptxlint_isa_need need = { .version_major = (int)version / 10,
                              .version_minor = (int)version % 10 };
    snprintf(need.target, sizeof need.target, "sm_%u%.1s", (unsigned)target.sm,
             target.suffix ? &target.suffix : "");
    return need;
}

static bool is_older(Target a, Target b)
{
    return a.sm != b.sm ? a.sm < b.sm : a.suffix == 0 && b.suffix != 0;
}

int ptxlint_isa_opcode_at(size_t index, ptxlint_isa_opcode *out)
{
    if (!out || index + 1 >= ptx_opcode_count)
        return 0;
    const OpcodeInfo *info = &ptx_opcode_info[index + 1];
    const SemanticInfo *row = NULL;
    for (uint16_t i = 0; i < ptx_semantic_count && !row; i++)
        if (ptx_semantic_info[i].opcode == index + 1 && !ptx_semantic_info[i].need_count)
            row = &ptx_semantic_info[i];
    unsigned version = UINT8_MAX;
    Target target = { UINT16_MAX, 'a' };
    *out = (ptxlint_isa_opcode){ .text = info->text,
                                 .summary = row ? row->what : "",
                                 .main_class = class_of_form(info->form_first) };
    for (unsigned f = 0; f < info->form_count; f++) {
        const FormInfo *form = &ptx_form_info[info->form_first + f];
        out->classes |= (uint32_t)1 << class_of_form((FormId)(info->form_first + f));
        version = form->version < version ? form->version : version;
        target = is_older(form->target, target) ? form->target : target;
    }
    out->first = need_of(version, target);
    return 1;
}

bool ptx_isa_gpu_has_form(Target target, FormId form)
{
    return ptx_target_allows((Target){ target.sm, 'a' }, ptx_form_info[form].target);
}

/* Length is bounded as an Op's is. */
static bool read_op(Op *op, const char *text, size_t length)
{
    if (!text || length > UINT16_MAX)
        return false;
    ptx_op_resolve(op, text, length);
    return op->opcode != 0;
}

int ptxlint_isa_has(const char *text, size_t length, const ptxlint_gpu *gpu)
{
    Op op;
    if (!gpu || !read_op(&op, text, length))
        return 0;
    const OpcodeInfo *info = &ptx_opcode_info[op.opcode];
    for (unsigned id = info->form_first; id < (unsigned)info->form_first + info->form_count; id++)
        if (ptx_isa_gpu_has_form(ptx_gpu_of(gpu)->target, (FormId)id)
            && ptx_form_admits((FormId)id, &op))
            return 1;
    return 0;
}

/* a longer name that is misspelt is near no other */
enum { SUGGEST_BYTES_MAX = 48 };

const char *ptxlint_isa_suggest(const char *text, size_t length)
{
    return text && length <= SUGGEST_BYTES_MAX ? ptx_opcode_suggest(text, length) : NULL;
}

/* ---- special registers ----------------------------------------------------------------------- */

int ptxlint_isa_register_at(size_t index, ptxlint_isa_register *out)
{
    static const char *const names[SREG__COUNT] = {
#define SR(id, text, ...) [SREG_##id] = "%" text,
#include "isa/sregs.def"
#undef SR
    };
    if (!out || index + 1 >= SREG__COUNT)
        return 0;
    const SregInfo *info = &ptx_sreg_info[index + 1];
    *out = (ptxlint_isa_register){ .name = names[index + 1],
                                   .type = ptx_type_info[info->type].text,
                                   .vector = info->vector,
                                   .number_count = info->number_count,
                                   .first = need_of(info->version, (Target){ .sm = info->sm }) };
    return 1;
}

/* ---- views of a form ------------------------------------------------------------------------- */

/* Digits as numbers: .m64n8k16 before .m64n16k16. */
static int compare_naturally(const void *a, const void *b)
{
    const char *p = *(const char *const *)a, *q = *(const char *const *)b;
    while (*p && *p == *q && !(*p >= '1' && *p <= '9'))
        p++, q++;
    size_t m = strspn(p, "0123456789"), n = strspn(q, "0123456789");
    if (m && n && m != n)
        return m < n ? -1 : 1;
    int order = m && n ? memcmp(p, q, m) : 0;
    if (order)
        return order;
    if (!m || !n || !*p || !*q)
        return strcmp(p, q);
    return compare_naturally(&(const char *){ p + m }, &(const char *){ q + n });
}

static ptxlint_isa_modifier view_group(Arena *arena, uint16_t group, bool is_optional)
{
    const GroupInfo *info = &ptx_group_info[group];
    const char **values = ptx_arena_array(arena, const char *, info->count);
    for (unsigned v = 0; v < info->count; v++)
        values[v] = ptx_modifier_texts[ptx_group_values[info->first + v]];
    qsort(values, info->count, sizeof *values, compare_naturally);
    return (ptxlint_isa_modifier){ info->name, values, info->count, is_optional };
}

static ptxlint_isa_range view_range(uint16_t range)
{
    const RangeInfo *info = &ptx_range_info[range];
    return (ptxlint_isa_range){ info->low, info->high, ptx_i64_max(info->step, 0),
                                ptx_i64_max(-info->step, 0) };
}

static bool is_counted_form(const FormOperand *o)
{
    return o->elements != ELEMENTS_UNSAID && o->elements != ELEMENTS_SET;
}

static uint32_t element_count(const Op *op, const FormOperand *o)
{
    if (!is_counted_form(o) || !op->form)
        return 0;
    return o->elements == ELEMENTS_VEC ? op->vector : op->elements[o->elements];
}

static ptxlint_isa_operand view_operand(Arena *arena, FormId id, const Op *op, const FormOperand *o)
{
    bool is_address = (o->role & ROLE_ADDRESS) != 0;
    ptxlint_isa_operand operand = {
        .name = ptx_form_operand_name(o),
        .type = ptx_operand_type_text(arena, id, o),
        .pair = ptx_operand_pair_text(o),
        .is_read = (o->role & ROLE_USE) != 0,
        .is_written = (o->role & ROLE_DEF) != 0,
        .is_address = is_address,
        .is_pair_written = (o->pair_role & ROLE_DEF) != 0,
        .is_optional = o->optional,
        .is_negatable = o->negatable,
        .is_register = o->is_register,
        .is_counted = is_counted_form(o),
        .element_count = element_count(op, o),
        .has_range = o->range != 0,
        .range = view_range(o->range),
        .has_next_range = o->next_range != 0,
        .next_range = view_range(o->next_range),
    };
    if (o->pair_role)
        operand.pair_type = ".pred";
    if (o->elements == ELEMENTS_SET)
        operand.element_set = o->element_set;
    return operand;
}

static ptxlint_isa_form view_form(Arena *arena, FormId id, const Op *op)
{
    const FormInfo *info = &ptx_form_info[id];
    ptxlint_isa_modifier *modifiers = ptx_arena_array(arena, ptxlint_isa_modifier,
                                                      info->modifier_count);
    ptxlint_isa_operand *operands = ptx_arena_array(arena, ptxlint_isa_operand,
                                                    info->operand_count);
    const SemanticInfo *row = ptx_semantic_find(id, op);
    for (unsigned s = 0; s < info->modifier_count; s++) {
        const FormModifier *modifier = &ptx_form_modifiers[info->modifier_first + s];
        modifiers[s] = view_group(arena, modifier->group, modifier->optional);
    }
    for (unsigned i = 0; i < info->operand_count; i++)
        operands[i] = view_operand(arena, id, op, &ptx_form_operands[info->operand_first + i]);
    return (ptxlint_isa_form){
        .modifiers_text = ptx_form_modifiers_text(arena, id),
        .operands_text = ptx_form_operands_text(arena, id),
        .summary = row ? row->what : "",
        .class_index = class_of_form(id),
        .modifiers = modifiers,
        .modifier_count = info->modifier_count,
        .operands = operands,
        .operand_count = info->operand_count,
    };
}

/* ---- the handle ------------------------------------------------------------------------------ */

/* Number of the form before count that differs from id in its needs alone; count: there is none. */
static size_t find_isa_similar(const ptxlint_isa *isa, size_t count, FormId id)
{
    size_t i = 0;
    while (i < count && !ptx_form_is_like(isa->ids[i], id))
        i++;
    return i;
}

static void add_need(ptxlint_isa_form *form, ptxlint_isa_need *room, FormId id)
{
    ptxlint_isa_need need = need_of(ptx_form_info[id].version, ptx_form_info[id].target);
    for (size_t i = 0; i < form->need_count; i++)
        if (!memcmp(&room[i], &need, sizeof need))
            return;
    room[form->need_count++] = need;
    form->needs = room;
}

static bool is_wanted_form(const ptxlint_isa *isa, FormId id)
{
    FormId whole = 0;
    if (!isa->is_narrow || !isa->op.form)
        return ptx_form_admits(id, &isa->op);
    while ((whole = ptx_form_next(&isa->op, whole)) != 0 && whole < id)
        continue;
    return whole == id;
}

static void find_forms(ptxlint_isa *isa)
{
    const OpcodeInfo *info = &ptx_opcode_info[isa->op.opcode];
    ptxlint_isa_form *forms = ptx_arena_array(&isa->arena, ptxlint_isa_form, info->form_count);
    ptxlint_isa_need **needs = ptx_arena_array(&isa->arena, ptxlint_isa_need *, info->form_count);
    size_t count = 0;
    isa->ids = ptx_arena_array(&isa->arena, FormId, info->form_count);
    for (unsigned f = 0; f < info->form_count; f++) {
        FormId id = (FormId)(info->form_first + f);
        if (!is_wanted_form(isa, id))
            continue;
        size_t i = find_isa_similar(isa, count, id);
        if (i == count) {
            isa->ids[count] = id;
            needs[count] = ptx_arena_array(&isa->arena, ptxlint_isa_need, info->form_count - f);
            forms[count++] = view_form(&isa->arena, id, &isa->op);
        }
        add_need(&forms[i], needs[i], id);
    }
    isa->info.forms = forms;
    isa->info.form_count = count;
}

static bool has_mnemonic_group(const ptxlint_isa_modifier *groups, size_t count,
                               const ptxlint_isa_modifier *group)
{
    for (size_t i = 0; i < count; i++)
        if (groups[i].name == group->name)
            return true;
    return false;
}

static void find_groups(ptxlint_isa *isa)
{
    size_t most = 0, count = 0;
    for (size_t f = 0; f < isa->info.form_count; f++)
        most += isa->info.forms[f].modifier_count;
    ptxlint_isa_modifier *groups = ptx_arena_array(&isa->arena, ptxlint_isa_modifier, most);
    for (size_t f = 0; f < isa->info.form_count; f++)
        for (size_t m = 0; m < isa->info.forms[f].modifier_count; m++) {
            const ptxlint_isa_modifier *group = &isa->info.forms[f].modifiers[m];
            if (group->name && !has_mnemonic_group(groups, count, group))
                groups[count++] = *group;
        }
    isa->info.groups = groups;
    isa->info.group_count = count;
}

/* The narrowest row that is everyone's, and those below it that some form may be of. */
static void find_operations(ptxlint_isa *isa)
{
    ptxlint_isa_operation *operations = ptx_arena_array(&isa->arena, ptxlint_isa_operation,
                                                        ptx_semantic_count);
    const SemanticInfo *common = ptx_semantic_find(isa->ids[0], &isa->op);
    for (size_t f = 1; f < isa->info.form_count; f++)
        if (ptx_semantic_find(isa->ids[f], &isa->op) != common)
            common = NULL;
    for (uint16_t i = 0; i < ptx_semantic_count; i++) {
        const SemanticInfo *row = &ptx_semantic_info[i];
        bool is_some = false;
        if (row->opcode != isa->op.opcode || row == common)
            continue;
        if (!row->need_count && !common)
            common = row;
        for (size_t f = 0; f < isa->info.form_count && !is_some; f++)
            is_some = row->need_count && ptx_semantic_may_be(row, isa->ids[f], &isa->op)
                && ptx_semantic_find(isa->ids[f], &isa->op)->need_count <= row->need_count;
        if (is_some)
            operations[isa->info.operation_count++] = (ptxlint_isa_operation){ row->text,
                                                                               row->what };
    }
    isa->info.summary = common ? common->what : "";
    isa->info.operations = operations;
}

typedef struct IsaFill {
    ptxlint_isa *isa;
    const char *text;
    size_t length;
    ptxlint_status result;
} IsaFill;

static void fill_guarded(void *context)
{
    IsaFill *call = context;
    ptxlint_isa *isa = call->isa;
    const char *own = ptx_arena_strndup(&isa->arena, call->text, call->length);
    ptx_op_resolve(&isa->op, own, call->length);
    isa->info.text = own;
    isa->info.opcode = ptx_opcode_info[isa->op.opcode].text;
    isa->info.is_whole = isa->op.form != 0;
    find_forms(isa);
    if (isa->info.form_count) {
        find_groups(isa);
        find_operations(isa);
    }
    call->result = isa->info.form_count ? PTXLINT_OK : PTXLINT_BAD_ARGUMENT;
}

static ptxlint_status fill(ptxlint_isa *isa, const char *text, size_t length)
{
    IsaFill call = { isa, text, length, PTXLINT_NO_MEMORY };
    ptx_arena_init(&isa->arena, (size_t)1 << 30, NULL);
    bool is_complete = ptx_run_guarded_in(&isa->arena, fill_guarded, &call);
    return is_complete ? call.result : PTXLINT_NO_MEMORY;
}

/* "; did you mean ?" behind an error, where something is near */
static void add_suggestion(char *error, size_t size, const char *lead, const char *near)
{
    size_t length = strlen(error);
    if (near)
        snprintf(error + length, size - length, "; did you mean %s%s?", lead, near);
}

/* Why there is nothing of this text, and what would be near. */
static void explain_form(const Op *op, char *error, size_t size)
{
    int length = op->length < 80 ? (int)op->length : 80;
    int opcode_length = (int)strcspn(op->text, ".");
    if (!error || !size)
        return;
    if (!op->opcode) {
        size_t bytes = opcode_length < length ? (size_t)opcode_length : (size_t)length;
        const char *near = ptxlint_isa_suggest(op->text, bytes);
        snprintf(error, size, "unknown instruction '%.*s'", (int)bytes, op->text);
        add_suggestion(error, size, "", near);
    } else if (op->unknown_length) {
        const char *near = ptx_modifier_suggest(op, op->text + op->unknown_at, op->unknown_length);
        int unknown_length = op->unknown_length < 80 ? (int)op->unknown_length : 80;
        snprintf(error, size, "no instruction has a modifier '.%.*s'", unknown_length,
                 op->text + op->unknown_at);
        add_suggestion(error, size, ".", near);
    } else {
        snprintf(error, size, "no form of %s takes all of '%.*s'", ptx_opcode_info[op->opcode].text,
                 length - opcode_length, op->text + opcode_length);
    }
}

static ptxlint_status open_isa(const char *text, size_t length, bool is_narrow, ptxlint_isa **out,
                               char *error, size_t error_size)
{
    *out = NULL;
    if (error && error_size)
        *error = 0;
    if (!text || length > UINT16_MAX)
        return PTXLINT_BAD_ARGUMENT;
    ptxlint_isa *isa = calloc(1, sizeof *isa);
    if (!isa)
        return PTXLINT_NO_MEMORY;
    isa->is_narrow = is_narrow;
    isa->own = isa;
    pthread_mutex_init(&isa->lock, NULL);
    ptxlint_status status = fill(isa, text, length);
    if (status == PTXLINT_BAD_ARGUMENT)
        explain_form(&isa->op, error, error_size);
    if (status == PTXLINT_OK)
        *out = isa;
    else
        ptxlint_isa_free(isa);
    return status;
}

ptxlint_status ptxlint_isa_new(const char *text, size_t length, ptxlint_isa **out, char *error,
                               size_t error_size)
{
    return out ? open_isa(text, length, false, out, error, error_size) : PTXLINT_BAD_ARGUMENT;
}

void ptxlint_isa_free(ptxlint_isa *isa)
{
    if (!isa)
        return;
    ptx_arena_free(&isa->arena);
    pthread_mutex_destroy(&isa->lock);
    free(isa);
}

const ptxlint_isa_info *ptxlint_isa_get_info(const ptxlint_isa *isa)
{
    return isa ? &isa->info : NULL;
}

static void find_samples_guarded(void *context)
{
    ptx_isa_find_samples(context);
}

/* They cost more than all the rest. */
static void need_samples(ptxlint_isa *isa)
{
    pthread_mutex_lock(&isa->lock);
    if (!isa->has_samples && !ptx_run_guarded_in(&isa->arena, find_samples_guarded, isa))
        isa->sample_count = 0;
    isa->has_samples = true;
    pthread_mutex_unlock(&isa->lock);
}

int ptxlint_isa_sample_at(const ptxlint_isa *isa, size_t index, ptxlint_isa_sample *out)
{
    if (!isa || !out)
        return 0;
    need_samples(isa->own);
    if (index >= isa->sample_count)
        return 0;
    *out = isa->samples[index];
    return 1;
}

/* ---- hover ----------------------------------------------------------------------------------- */

enum { HOVER_FORMS_MAX = 6 };

typedef struct Hover {
    char *out;
    size_t size, length;                /* length: in full */
    bool has_latency;
} Hover;

static void put_isa_text(Hover *hover, const char *text)
{
    for (; *text; text++, hover->length++)
        if (hover->length + 1 < hover->size) {
            hover->out[hover->length] = *text;
            hover->out[hover->length + 1] = 0;
        }
}

static void put_need(Hover *hover, const ptxlint_isa_need *need)
{
    char line[64];
    snprintf(line, sizeof line, "PTX %d.%d, `%s`", need->version_major, need->version_minor,
             need->target);
    put_isa_text(hover, line);
}

static void put_isa_rate(Hover *hover, const char *text, size_t length, const ptxlint_gpu *gpu)
{
    ptxlint_isa_rate rate;
    char line[160];
    if (!gpu || !ptxlint_isa_get_rate(text, length, gpu, &rate))
        return;
    const char *name = ptxlint_gpu_get_info(gpu)->name;
    if (rate.fmas_per_clock > 0)
        snprintf(line, sizeof line, "\n\n%s: %.6g FMAs per clock per SM%s", name,
                 rate.fmas_per_clock, ptx_text_if(!rate.is_bound, ", of new factors"));
    else if (rate.results_per_clock > 0 && rate.results_per_clock < HUGE_VAL)
        snprintf(line, sizeof line, "\n\n%s: %.4g results per clock per SM (%s)", name,
                 rate.results_per_clock, rate.pipe);
    else
        return;
    put_isa_text(hover, line);
}

static void put_clocks(Hover *hover, const ptxlint_gpu *gpu, const char *key, const char *what)
{
    char line[96];
    double clocks = ptxlint_gpu_value(gpu, key);
    if (isnan(clocks))
        return;
    snprintf(line, sizeof line, "%s %.4g cycles%s", hover->has_latency ? "," : "\n\nLatency:",
             clocks, what);
    hover->has_latency = true;
    put_isa_text(hover, line);
}

/* Clocks until the result is there, where the GPU's file says them. */
static void put_latency(Hover *hover, const char *text, size_t length, const ptxlint_gpu *gpu)
{
    Op op;
    ptx_op_resolve(&op, text, length);
    const Cost *cost = op.form ? ptx_cost_find(&op, ptx_gpu_of(gpu)->target) : NULL;
    if (op.kind == OPK_LD && op.space == SPACE_GLOBAL) {
        put_clocks(hover, gpu, "l1_latency", " (L1)");
        put_clocks(hover, gpu, "l2_latency", " (L2)");
        put_clocks(hover, gpu, "global_latency_min", " or more (DRAM)");
    } else if (op.kind == OPK_LD && op.space == SPACE_SHARED) {
        put_clocks(hover, gpu, "shared_latency", "");
    } else if (cost && cost->term_count == 1 && cost->terms[0].machine == MACHINE_FP32) {
        put_clocks(hover, gpu, "arithmetic_latency", "");
    }
}

static void put_hover(Hover *hover, const ptxlint_isa *isa, const ptxlint_gpu *gpu)
{
    const ptxlint_isa_info *info = &isa->info;
    put_isa_text(hover, "```ptx\n");
    for (size_t i = 0; i < info->form_count && i < HOVER_FORMS_MAX; i++) {
        put_isa_text(hover, info->forms[i].modifiers_text);
        put_isa_text(hover, *info->forms[i].operands_text ? "  " : "");
        put_isa_text(hover, info->forms[i].operands_text);
        put_isa_text(hover, ";\n");
    }
    put_isa_text(hover, info->form_count > HOVER_FORMS_MAX ? "...\n```\n" : "```\n");
    put_isa_text(hover, info->forms[0].summary);
    put_isa_text(hover, "\n\n");
    for (size_t i = 0; i < info->forms[0].need_count; i++) {
        put_isa_text(hover, i ? " or " : "");
        put_need(hover, &info->forms[0].needs[i]);
    }
    if (info->is_whole)
        put_isa_rate(hover, info->text, strlen(info->text), gpu);
    if (info->is_whole && gpu)
        put_latency(hover, info->text, strlen(info->text), gpu);
    put_isa_text(hover, "\n");
}

/* Text as it is typed may have modifiers that are not whole yet: then the opcode is shown. */
size_t ptxlint_isa_hover(const char *text, size_t length, const ptxlint_gpu *gpu, char *out,
                         size_t size)
{
    Hover hover = { .out = out, .size = out ? size : 0 };
    ptxlint_isa *isa;
    size_t opcode_length = 0;
    if (out && size)
        *out = 0;
    while (text && opcode_length < length && text[opcode_length] != '.')
        opcode_length++;
    if (open_isa(text, length, true, &isa, NULL, 0) != PTXLINT_OK
        && open_isa(text, opcode_length, true, &isa, NULL, 0) != PTXLINT_OK)
        return 0;
    put_hover(&hover, isa, gpu);
    ptxlint_isa_free(isa);
    return hover.length;
}
