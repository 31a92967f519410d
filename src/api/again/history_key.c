/* history_key.c -- what findings of a function rest on, as a hash. */
#include "api/again/history.h"

#include "analysis/flow/callgraph.h"
#include "analysis/sim/program.h"
#include "api/module.h"
#include "gpu/gpu.h"
#include "input/launch.h"
#include "ir/func.h"
#include "ir/module.h"

#include <string.h>
#include <xxhash.h>

/* What findings of a function rest on. Hashes but for flags; 0 where it does not matter. */
typedef struct RecallParts {
    XXH128_hash_t own, before, outside, settings, names, called, callers, locals, sources;
    uint64_t flags;
} RecallParts;

/* What functions have in common. */
typedef struct RecallScope {
    const ptxlint_module *m;
    const SimCode *code;
    bool has_broken_func;
    XXH128_hash_t *own, *before;        /* per function */
    /* all outside of functions; names of functions; texts of each .func, and of each function that
     * calls; what each .func declares */
    XXH128_hash_t outside, names, called, callers, locals;
} RecallScope;

static XXH128_hash_t hash_more(XXH128_hash_t so_far, const void *bytes, size_t length)
{
    const XXH128_hash_t both[2] = { so_far, XXH3_128bits(length ? bytes : "", length) };
    return XXH3_128bits(both, sizeof both);
}

static XXH128_hash_t hash_span(const Module *ir, Span span)
{
    return XXH3_128bits(ir->text + span.begin, ptx_span_length(span));
}

/* Behind a comment that begins there; the place itself where none does. */
static const char *behind_comment(const char *at, const char *end)
{
    if (end - at < 2 || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
        return at;
    const bool is_line = at[1] == '/';
    for (at += 2; at < end; at++) {
        if (is_line && *at == '\n')
            return at;
        if (!is_line && end - at > 1 && at[0] == '*' && at[1] == '/')
            return at + 2;
    }
    return end;
}

static const char *behind_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

static bool is_white(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A copy with one blank for all blanks and comments between two words; its length. */
static size_t squeeze_blanks(const char *at, const char *end, char *out)
{
    char *to = out;
    while (at < end) {
        const char *next = behind_comment(at, end);
        if (next == at && is_white(*at))
            next++;
        if (next != at) {
            if (to > out && to[-1] != ' ')
                *to++ = ' ';
            at = next;
            continue;
        }
        next = *at == '"' ? behind_string(at, end) : at + 1;
        while (at < next)
            *to++ = *at++;
    }
    return (size_t)(to - out) - (to > out && to[-1] == ' ');
}

/* Goes on over what stands between two functions. */
static void hash_between(RecallScope *scope, Arena *scratch, uint32_t begin, uint32_t end)
{
    const char *text = scope->m->text;
    const ArenaMark mark = ptx_arena_mark(scratch);
    char *squeezed = ptx_arena_alloc(scratch, end - begin + (size_t)1);
    const size_t length = squeeze_blanks(text + begin, text + end, squeezed);
    if (length)
        scope->outside = hash_more(scope->outside, squeezed, length);
    ptx_arena_release(scratch, mark);
}

/* False: functions do not stand one behind the other. */
static bool hash_texts(RecallScope *scope, Arena *scratch)
{
    const Module *ir = scope->m->ir;
    uint32_t end = 0;
    for (FuncId f = 0; f < ir->func_count; f++) {
        const Func *func = &ir->funcs[f];
        if (!func->has_body)
            continue;
        if (func->span.begin < end || func->span.end < func->span.begin
            || func->span.end > ir->length)
            return false;
        hash_between(scope, scratch, end, func->span.begin);
        scope->before[f] = scope->outside;
        scope->own[f] = hash_span(ir, func->span);
        end = func->span.end;
    }
    hash_between(scope, scratch, end, ir->length);
    return true;
}

static void hash_functions(RecallScope *scope)
{
    const Module *ir = scope->m->ir;
    for (FuncId f = 0; f < ir->func_count; f++) {
        const Func *func = &ir->funcs[f];
        const uint32_t what[] = { func->is_entry, func->has_body, func->linkage, func->alias_of,
                                  func->unit, func->bounds.noreturn };
        scope->has_broken_func |= func->has_syntax_error || func->has_unknown;
        scope->names = hash_more(scope->names, what, sizeof what);
        scope->names = hash_more(scope->names, ir->text + func->name.begin,
                                 ptx_span_length(func->name));
        if (func->has_body && !func->is_entry)
            scope->called = hash_more(scope->called, &scope->own[f], sizeof scope->own[f]);
        if (func->has_body && func->has_calls)
            scope->callers = hash_more(scope->callers, &scope->own[f], sizeof scope->own[f]);
    }
}

/* Shared memory of what is called lies beside that of each kernel. */
static void hash_locals(RecallScope *scope)
{
    const Module *ir = scope->m->ir;
    for (VarId v = 0; v < ir->var_count; v++) {
        const Var *var = &ir->vars[v];
        if (var->func == NO_ID || ir->funcs[var->func].is_entry || var->is_parameter)
            continue;
        const uint64_t what[] = { var->bytes, var->align, var->space, var->unit, var->linkage };
        scope->locals = hash_more(scope->locals, what, sizeof what);
    }
}

/* How its CUDA source names its parameters. */
static XXH128_hash_t hash_sources(const Module *ir, const Func *func)
{
    XXH128_hash_t all = { 0, 0 };
    for (uint32_t p = 0; p < func->param_count; p++) {
        const Var *var = func->params[p] == NO_ID ? NULL : &ir->vars[func->params[p]];
        if (var && var->source_name)
            all = hash_more(hash_more(all, &p, sizeof p), var->source_name,
                            strlen(var->source_name));
    }
    return all;
}

static uint64_t flags_of(const RecallScope *scope, FuncId f)
{
    const Func *func = &scope->m->ir->funcs[f];
    const CallNode *node = &scope->m->calls->nodes[f];
    const bool flags[] = { func->has_syntax_error, func->has_unknown, func->is_entry,
                           node->is_recursive, node->has_indirect_call, node->is_address_taken,
                           node->is_called, ptx_code_skips_calls(scope->code, f),
                           func->linkage == LINKAGE_NONE && scope->has_broken_func };
    uint64_t all = func->unit;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        all = all << 1 | flags[i];
    return all;
}

/* But for the settings. */
static RecallParts recall_parts_of(const RecallScope *scope, FuncId f)
{
    const Func *func = &scope->m->ir->funcs[f];
    RecallParts parts;
    memset(&parts, 0, sizeof parts);
    parts.own = scope->own[f];
    parts.before = scope->before[f];
    parts.outside = scope->outside;
    parts.locals = scope->locals;
    parts.sources = hash_sources(scope->m->ir, func);
    parts.flags = flags_of(scope, f);
    if (func->has_calls || !func->is_entry) {
        parts.names = scope->names;
        parts.called = scope->called;
    }
    if (!func->is_entry)
        parts.callers = scope->callers;
    return parts;
}

/* What one history may be used with differs in these. */
static XXH128_hash_t hash_settings(const ptxlint_module *m, const ptxlint_options *options,
                                   size_t gpu)
{
    const uint64_t numbers[] = { options->findings_only != 0, options->is_unfolded != 0,
                                 options->launch_number, gpu, m->gpu_count,
                                 ptx_launches_hash(m->found), m->found && m->found->is_generated };
    XXH128_hash_t all = XXH3_128bits(numbers, sizeof numbers);
    const char *name = gpu < m->gpu_count ? m->gpus[gpu]->name : "";
    return hash_more(all, name, strlen(name));
}

static void fill_keys(const RecallScope *scope, const ptxlint_options *options, HistoryKey *out)
{
    const Module *ir = scope->m->ir;
    const size_t gpus = ptx_history_gpus(scope->m);
    for (size_t g = 0; g < gpus; g++) {
        const XXH128_hash_t settings = hash_settings(scope->m, options, g);
        for (FuncId f = 0; f < ir->func_count; f++) {
            RecallParts parts = recall_parts_of(scope, f);
            parts.settings = settings;
            const XXH128_hash_t key = XXH3_128bits(&parts, sizeof parts);
            out[f * gpus + g] = (HistoryKey){ key.low64, key.high64 };
        }
    }
}

HistoryKey *ptx_history_keys(ptxlint_module *m, const ptxlint_options *options, const SimCode *code,
                             Arena *scratch)
{
    const size_t count = m->ir->func_count + (size_t)1;
    RecallScope scope = { .m = m, .code = code,
                          .own = ptx_arena_array(&m->arena, XXH128_hash_t, count),
                          .before = ptx_arena_array(&m->arena, XXH128_hash_t, count) };
    if (!hash_texts(&scope, scratch))
        return NULL;
    hash_functions(&scope);
    hash_locals(&scope);
    HistoryKey *keys = ptx_arena_array(&m->arena, HistoryKey, count * ptx_history_gpus(m));
    fill_keys(&scope, options, keys);
    return keys;
}
