#include "findings/suppress_cuda.h"

#include "check/check_loc.h"
#include "findings/stale.h"
#include "findings/use_log.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "support/demangle.h"
#include "support/limits.h"
#include "support/words.h"

#include <stdatomic.h>
#include <stdio.h>

/* A source with comments that the module names, and what they say under its config. */
typedef struct CudaUse {
    const BookFile *file;
    const Selector **selectors; /* per name; NULL: it names no rule, or one that is locked */
    FuncId **kernels;           /* per comment of CUDA_REACH_KERNEL: those it is about, and NO_ID */
    bool *is_present;           /* per comment: the module has code that it is about */
} CudaUse;

/* The lines of a function's own code, in the file that its first line is in. */
typedef struct CudaLines {
    const CudaUse *use;         /* NULL: none with comments */
    uint32_t first, last;
} CudaLines;

typedef struct CudaPass {
    Arena *scratch;
    DiagSink *diags;
    const Module *module;
    const ptxlint_config *config;
    CudaUse *uses;
    uint32_t use_count;
    CudaUse **of_file;          /* per Module.files */
    CudaLines *lines;           /* per function */
} CudaPass;

/* ---- which sources --------------------------------------------------------------------------- */

static const char *cuda_copy(const CudaPass *p, Span span)
{
    return ptx_arena_strndup(p->scratch, p->module->text + span.begin, ptx_span_length(span));
}

static void resolve_cuda_names(CudaPass *p, CudaUse *use)
{
    const CudaComments *comments = &use->file->comments;
    use->selectors = ptx_arena_array(p->scratch, const Selector *, comments->name_count + 1);
    use->kernels = ptx_arena_array(p->scratch, FuncId *, comments->count);
    use->is_present = ptx_arena_array(p->scratch, bool, comments->count);
    for (uint32_t c = 0; c < comments->count; c++)
        for (uint32_t n = 0; n < comments->items[c].name_count; n++) {
            const Span span = comments->items[c].names[n].span;
            const Selector *selector = ptx_selector_find(p->config->selectors,
                                                         use->file->bytes + span.begin,
                                                         ptx_span_length(span));
            if (selector && !selector->is_locked && !comments->items[c].trouble)
                use->selectors[comments->items[c].name_first + n] = selector;
        }
}

static CudaUse *use_of(CudaPass *p, const BookFile *file)
{
    for (uint32_t u = 0; u < p->use_count; u++)
        if (p->uses[u].file == file)
            return &p->uses[u];
    CudaUse *use = &p->uses[p->use_count++];
    use->file = file;
    resolve_cuda_names(p, use);
    return use;
}

static void log_source(const CudaPass *p, uint32_t f, const BookFile *file)
{
    UseLog *log = p->diags->uses;
    const Span path = p->module->files[f].path;
    if (log)
        log->sources[log->source_count++] = (UsedSource){
            ptx_arena_strndup(log->arena, p->module->text + path.begin, ptx_span_length(path)), file
        };
}

static void find_uses(CudaPass *p, const char *path, ptxlint_sources *book)
{
    const Module *module = p->module;
    UseLog *log = p->diags->uses;
    if (log)
        log->sources = ptx_arena_array(log->arena, UsedSource, module->file_count + 1);
    p->uses = ptx_arena_array(p->scratch, CudaUse, module->file_count + 1);
    p->of_file = ptx_arena_array(p->scratch, CudaUse *, module->file_count + 1);
    for (uint32_t f = 0; module->file_count <= LIMIT_CUDA_FILES && f < module->file_count; f++) {
        const BookFile *file = ptx_source_book_file(book, cuda_copy(p, module->files[f].path),
                                                    path);
        p->of_file[f] = file ? use_of(p, file) : NULL;
        log_source(p, f, file);
    }
}

static CudaUse *use_at(const CudaPass *p, const Loc *loc)
{
    const File *file = loc->line ? ptx_loc_file(p->module, loc) : NULL;
    return file ? p->of_file[file - p->module->files] : NULL;
}

/* ---- where code is --------------------------------------------------------------------------- */

/* Lines of code that was inlined are not the function's own. */
static CudaLines own_lines(const CudaPass *p, const Func *func)
{
    CudaLines lines = { NULL, 0, 0 };
    for (InsnId i = 0, last = 0, of; i < func->insn_count; i++, last = of) {
        of = ptx_insn_loc(p->module, &func->insns[i]);
        if (!of || of == last)
            continue;
        const Loc *loc = &p->module->locs[of];
        const CudaUse *use = loc->inlined_line ? NULL : use_at(p, loc);
        if (!lines.first && !loc->inlined_line && loc->line)
            lines = (CudaLines){ use, loc->line, loc->line };
        if (!use || use != lines.use)
            continue;
        lines.first = loc->line < lines.first ? loc->line : lines.first;
        lines.last = loc->line > lines.last ? loc->line : lines.last;
    }
    return lines;
}

static void find_own_lines(CudaPass *p)
{
    p->lines = ptx_arena_array(p->scratch, CudaLines, p->module->func_count + 1);
    for (FuncId f = 0; f < p->module->func_count; f++)
        p->lines[f] = own_lines(p, &p->module->funcs[f]);
}

static void note_presence(CudaUse *use, uint32_t line)
{
    const CudaComments *comments = &use->file->comments;
    for (uint32_t c = 0; c < comments->count; c++) {
        const CudaComment *comment = &comments->items[c];
        use->is_present[c] |= comment->reach == CUDA_REACH_FILE
                              || (comment->reach == CUDA_REACH_LINE && line >= comment->first_line
                                  && line <= comment->last_line);
    }
}

/* Of each line but those that follow each other alike. */
static void find_presence(const CudaPass *p)
{
    const CudaUse *last = NULL;
    uint32_t line = 0;
    for (uint32_t i = 1; i < p->module->loc_count; i++) {
        CudaUse *use = use_at(p, &p->module->locs[i]);
        if (use && (use != last || line != p->module->locs[i].line))
            note_presence(use, p->module->locs[i].line);
        last = use;
        line = p->module->locs[i].line;
    }
}

/* ---- kernels --------------------------------------------------------------------------------- */

static void qualified_name(const CudaPass *p, FuncId func, char out[512])
{
    const char *name = cuda_copy(p, p->module->funcs[func].name);
    if (!ptx_demangle(name, NAME_QUALIFIED, out, 512))
        snprintf(out, 512, "%s", name);
}

/* Whether lines from low to before high have code of functions that are in none of their own. */
static bool has_inlined_code(const CudaPass *p, const CudaUse *use, uint32_t low, uint32_t high)
{
    for (uint32_t i = 1; i < p->module->loc_count; i++) {
        const Loc *loc = &p->module->locs[i];
        if (loc->inlined_line && loc->line >= low && loc->line < high && use_at(p, loc) == use)
            return true;
    }
    return false;
}

/* The function around a line, else the next one; NO_ID. */
static FuncId func_around(const CudaPass *p, const CudaUse *use, uint32_t line)
{
    FuncId next = NO_ID;
    for (FuncId f = 0; f < p->module->func_count; f++) {
        const CudaLines *lines = &p->lines[f];
        if (lines->use != use || lines->last < line)
            continue;
        if (lines->first <= line)
            return f;
        if (next == NO_ID || lines->first < p->lines[next].first)
            next = f;
    }
    return next != NO_ID && has_inlined_code(p, use, line, p->lines[next].first) ? NO_ID : next;
}

/* All functions of its name: instances of one template. */
static FuncId *find_instances(CudaPass *p, const CudaUse *use, uint32_t line)
{
    char wanted[512], name[512];
    const FuncId found = func_around(p, use, line);
    uint32_t count = 0;
    FuncId *all = ptx_arena_array(p->scratch, FuncId, p->module->func_count + 1);
    if (found != NO_ID)
        qualified_name(p, found, wanted);
    for (FuncId f = 0; found != NO_ID && f < p->module->func_count; f++) {
        if (p->lines[f].use != use)
            continue;
        qualified_name(p, f, name);
        if (!strcmp(name, wanted))
            all[count++] = f;
    }
    all[count] = NO_ID;
    return all;
}

static void find_kernels(CudaPass *p)
{
    for (uint32_t u = 0; u < p->use_count; u++) {
        CudaUse *use = &p->uses[u];
        for (uint32_t c = 0; c < use->file->comments.count; c++) {
            const CudaComment *comment = &use->file->comments.items[c];
            if (comment->reach != CUDA_REACH_KERNEL || comment->trouble)
                continue;
            use->kernels[c] = find_instances(p, use, comment->line);
            use->is_present[c] = use->kernels[c][0] != NO_ID;
        }
    }
}

/* ---- findings -------------------------------------------------------------------------------- */

/* A line that a finding is of. */
typedef struct CudaLine {
    const CudaUse *use;
    uint32_t line;
} CudaLine;

/* Those that have comments in their file. */
static uint32_t cuda_lines_of(const CudaPass *p, const Diag *diag, CudaLine out[MAX_LOC_CHAIN])
{
    const Func *func = &p->module->funcs[diag->func];
    const Insn *insn = ptx_insn_at(func, diag->span.begin);
    Loc chain[MAX_LOC_CHAIN];
    uint32_t count = 0;
    for (InsnId i = 0; !insn && i < func->insn_count; i++)
        insn = ptx_insn_loc(p->module, &func->insns[i]) ? &func->insns[i] : NULL;
    const uint32_t loc = insn ? ptx_insn_loc(p->module, insn) : 0;
    uint32_t length = loc ? ptx_loc_chain(p->module, loc, chain) : 0;
    for (uint32_t i = 0; i < length; i++) {
        const CudaUse *use = use_at(p, &chain[i]);
        if (use)
            out[count++] = (CudaLine){ use, chain[i].line };
    }
    return count;
}

static bool is_about(const CudaUse *use, uint32_t c, uint32_t line, int32_t func)
{
    const CudaComment *comment = &use->file->comments.items[c];
    if (comment->trouble)
        return false;
    if (comment->reach == CUDA_REACH_LINE)
        return line >= comment->first_line && line <= comment->last_line;
    if (comment->reach == CUDA_REACH_FILE)
        return true;
    for (const FuncId *f = use->kernels[c]; *f != NO_ID; f++)
        if ((int32_t)*f == func)
            return true;
    return false;
}

static void note_name(const CudaPass *p, const CudaUse *use, const CudaComment *comment,
                      uint32_t n, uint32_t bits)
{
    const uint32_t source = ptx_use_source(p->diags->uses, use->file);
    ptx_use_note(p->diags->uses, &comment->names[n].state,
                 (Use){ USE_IN_SOURCE + source, comment->name_first + n, bits });
}

/* Marks the names of a comment that name the rule. False: none does. */
static bool take_names(const CudaPass *p, const CudaUse *use, const CudaComment *comment,
                       RuleId rule)
{
    bool is_any = false;
    for (uint32_t n = 0; n < comment->name_count; n++) {
        const Selector *selector = use->selectors[comment->name_first + n];
        if (!selector || !ptx_selector_has(p->config->selectors, selector, rule))
            continue;
        note_name(p, use, comment, n, CUDA_NAME_USED);
        is_any = true;
    }
    return is_any;
}

static const CudaComment *find_comment(const CudaPass *p, const CudaLine *lines, uint32_t count,
                                       CudaReach reach, const Diag *diag)
{
    const RuleId rule = ptx_rule_of(p->config->selectors, diag->info);
    for (uint32_t i = 0; i < count; i++) {
        const CudaUse *use = lines[i].use;
        for (uint32_t c = 0; c < use->file->comments.count; c++) {
            const CudaComment *comment = &use->file->comments.items[c];
            if (comment->reach == reach && is_about(use, c, lines[i].line, diag->func)
                && take_names(p, use, comment, rule))
                return comment;
        }
    }
    return NULL;
}

/* A kernel's comment is about all that is in it, also what was inlined from other files. */
static uint32_t add_own_line(const CudaPass *p, const Diag *diag, CudaLine *lines, uint32_t count)
{
    const CudaLines *own = &p->lines[diag->func];
    if (own->use)
        lines[count++] = (CudaLine){ own->use, 0 };
    return count;
}

static void suppress_diag(const CudaPass *p, Diag *diag)
{
    CudaLine lines[MAX_LOC_CHAIN + 1];
    uint32_t count = cuda_lines_of(p, diag, lines);
    const CudaComment *comment = find_comment(p, lines, count, CUDA_REACH_LINE, diag);
    count = add_own_line(p, diag, lines, count);
    for (int reach = CUDA_REACH_KERNEL; !comment && reach <= CUDA_REACH_FILE; reach++)
        comment = find_comment(p, lines, count, (CudaReach)reach, diag);
    if (!comment)
        return;
    diag->suppression = SUPPRESSION_INLINE;
    diag->reason = ptx_arena_strndup(p->diags->arena, comment->reason, strlen(comment->reason));
}

/* What was folded into a finding is dealt with where that one is: a comment there is not unused. */
static void note_folded(const CudaPass *p, const Diag *diag)
{
    CudaLine lines[MAX_LOC_CHAIN];
    Diag folded = { .info = diag->info, .func = diag->func };
    for (uint32_t i = 0; i < diag->repeats && i < DIAG_REPEATS_MAX; i++) {
        folded.span.begin = diag->repeat_at[i];
        uint32_t count = diag->repeat_at[i] ? cuda_lines_of(p, &folded, lines) : 0;
        find_comment(p, lines, count, CUDA_REACH_LINE, &folded);
    }
    const CudaUse *use = p->lines[diag->func].use;
    if (diag->repeats <= DIAG_REPEATS_MAX || !use)
        return;
    for (uint32_t c = 0; c < use->file->comments.count; c++)
        take_names(p, use, &use->file->comments.items[c],
                   ptx_rule_of(p->config->selectors, diag->info));
}

static bool may_be_suppressed(const CudaPass *p, const Diag *diag)
{
    const RuleId rule = ptx_rule_of(p->config->selectors, diag->info);
    return diag->func >= 0 && diag->suppression == SUPPRESSION_NONE && rule != NO_RULE
           && !p->config->selectors->rules[rule]->is_locked
           && strcmp(diag->info->group, "suppression") != 0;
}

/* ---- what was looked for --------------------------------------------------------------------- */

static const RuleChoice *rule_choice(const ptxlint_config *config, RuleId rule)
{
    const uint32_t first = config->selectors->sets[0]->rule_count;
    return rule < first ? &config->choices[0][rule] : &config->choices[1][rule - first];
}

static void mark_seen(const CudaPass *p, const CudaUse *use)
{
    const CudaComments *comments = &use->file->comments;
    for (uint32_t c = 0; c < comments->count; c++) {
        const CudaComment *comment = &comments->items[c];
        for (uint32_t n = 0; use->is_present[c] && n < comment->name_count; n++) {
            const Selector *selector = use->selectors[comment->name_first + n];
            if (selector && ptx_stale_has_rules(p->config, selector))
                note_name(p, use, comment, n, CUDA_NAME_SEEN);
        }
    }
}

/* ---- a module -------------------------------------------------------------------------------- */

void ptx_suppress_cuda(Arena *scratch, DiagSink *diags, const Module *module, const char *path,
                       const ptxlint_config *config, ptxlint_sources *book)
{
    const ArenaMark mark = ptx_arena_mark(scratch);
    CudaPass p = { .scratch = scratch, .diags = diags, .module = module, .config = config };
    find_uses(&p, path, book);
    if (p.use_count) {
        find_own_lines(&p);
        find_presence(&p);
        find_kernels(&p);
        for (uint32_t i = 0; i < diags->count; i++)
            if (may_be_suppressed(&p, diags->items[i])) {
                suppress_diag(&p, diags->items[i]);
                note_folded(&p, diags->items[i]);
            }
    }
    bool is_known = p.use_count && ptx_stale_is_known(diags, module);
    for (uint32_t u = 0; is_known && u < p.use_count; u++)
        mark_seen(&p, &p.uses[u]);
    ptx_arena_release(scratch, mark);
}

/* ---- what is left over ----------------------------------------------------------------------- */

/* NULL: the rule is off. */
static Diag *say_in_source(DiagSink *diags, DiagId id, const ptxlint_config *config, Span span,
                           const char *message)
{
    const RuleId rule = ptx_rule_of(config->selectors, &ptx_diag_info[id]);
    const RuleChoice choice = rule == NO_RULE ? (RuleChoice){ true, ptx_diag_info[id].severity }
                                              : *rule_choice(config, rule);
    return choice.is_enabled
               ? ptx_diag_of(diags, &ptx_diag_info[id], choice.severity, span, message)
               : NULL;
}

static void say_unknown(DiagSink *diags, const ptxlint_config *config, const char *name, Span span,
                        const Selector *selector)
{
    uint16_t length = 0;
    const int shown = ptx_shown(ptx_span_length(span));
    const char *near = selector ? NULL
                                : ptx_selector_suggest(config->selectors, name,
                                                       ptx_span_length(span), &length);
    Diag *diag = say_in_source(
        diags, DIAG_BAD_SUPPRESSION, config, span,
        selector ? ptx_diag_text(diags, "`%.*s` comes from the front end or a limit, and cannot be "
                                        "ignored", shown, name)
                 : ptx_diag_text(diags, "unknown rule `%.*s`", shown, name));
    if (diag && near)
        diag->help = ptx_diag_text(diags, "did you mean `%.*s`?", (int)length, near);
}

static void judge_name(DiagSink *diags, const BookFile *file, const CudaComment *comment,
                       const CudaName *name, const ptxlint_config *config)
{
    static const char *const heres[] = { [CUDA_REACH_LINE] = "here",
                                         [CUDA_REACH_KERNEL] = "in this kernel",
                                         [CUDA_REACH_FILE] = "in this file" };
    const char *text = file->bytes + name->span.begin;
    const Selector *selector = ptx_selector_find(config->selectors, text,
                                                 ptx_span_length(name->span));
    if (!selector || selector->is_locked) {
        say_unknown(diags, config, text, name->span, selector);
        return;
    }
    if (atomic_load(&name->state) != CUDA_NAME_SEEN)
        return;
    const bool is_alone = comment->name_count == 1;
    Diag *diag = say_in_source(diags, DIAG_UNUSED_SUPPRESSION, config,
                               is_alone ? comment->span : name->span,
                               ptx_diag_text(diags, "`%.*s` has no finding %s",
                                             ptx_shown(ptx_span_length(name->span)), text,
                                             heres[comment->reach]));
    if (diag) {
        diag->label = is_alone ? "unused" : NULL;
        diag->help = is_alone ? "remove this comment" : "remove it from the list";
    }
}

void ptx_suppress_cuda_unused(DiagSink *diags, const BookFile *file, const ptxlint_config *config)
{
    for (uint32_t c = 0; c < file->comments.count; c++) {
        const CudaComment *comment = &file->comments.items[c];
        Diag *diag = comment->trouble ? say_in_source(diags, DIAG_BAD_SUPPRESSION, config,
                                                      comment->span, comment->trouble)
                                      : NULL;
        if (diag)
            diag->help = comment->help;
        for (uint32_t n = 0; !comment->trouble && n < comment->name_count; n++)
            judge_name(diags, file, comment, &comment->names[n], config);
    }
}
