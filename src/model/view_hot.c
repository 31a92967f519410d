/* view_hot.c -- what a kernel's CUDA lines cost, from what its launch executes: issue slots,
 * sectors of global memory, wavefronts of shared memory beyond the least.
 *
 * A line is the one that .loc names: what was inlined counts where it is written. Issue slots are
 * machine instructions times executions, so an estimate, and so is a line's share of the time
 * (time_share.h). What called functions do is in no line here. */
#include "analysis/access/evaluate.h"
#include "analysis/flow/cfg.h"
#include "analysis/sass/sass.h"
#include "analysis/time/time_share.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "ir/module.h"
#include "model/view.h"
#include "session/session.h"

#include <math.h>
#include <stdlib.h>

enum { HOT_LINES_MAX = 16 };

typedef struct HotInsn {        /* key: file and line */
    uint64_t key;
    InsnId insn;
} HotInsn;

typedef struct HotView {
    Sessions *all;
    const Func *func;
    const Evaluation *evaluation;
    double *slots;              /* per instruction */
    const double *shares;       /* per instruction, of the time; NULL: not known */
    ptxlint_hot_line *lines;
    uint32_t line_count;
    double total_slots, total_sectors, total_conflicts;
} HotView;

static uint64_t line_key(const Module *module, const Insn *insn)
{
    const Loc *loc = &module->locs[ptx_insn_loc(module, insn)];
    const File *file = loc->line ? ptx_loc_file(module, loc) : NULL;
    return file ? (uint64_t)(file - module->files + 1) << 32 | loc->line : 0;
}

static int hot_insn_compare(const void *pa, const void *pb)
{
    const HotInsn *a = pa, *b = pb;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->insn < b->insn ? -1 : a->insn > b->insn;
}

/* Machine instructions of each PTX instruction, times the warps that execute it. */
static void count_slots(HotView *v, const Lowered *lowered, const Cfg *cfg)
{
    v->slots = ptx_arena_array(v->all->work, double, v->func->insn_count + 1);
    for (BlockId b = 0; b < cfg->block_count; b++) {
        const Block *with = &cfg->blocks[lowered->runs_with[b]];
        const double warps = ptx_probable_warps(&v->evaluation->insns[with->first]);
        for (uint32_t i = lowered->first[b]; i < lowered->first[b + 1]; i++) {
            const LoweredInsn *insn = &lowered->insns[i];
            const double slots = (double)insn->count * warps;
            v->total_slots += slots;
            if (insn->origin != NO_ID)
                v->slots[insn->origin] += slots;
        }
    }
}

static double conflicts_of(const Count *total)
{
    return total->sectors > 0 ? 0 : fmax(total->wavefronts - total->ideal_wavefronts, 0);
}

static void worsen_certainty(ptxlint_certainty *certainty, uint8_t of_access)
{
    ptxlint_certainty here = PTXLINT_NOT_KNOWN;
    if (of_access == CERTAINTY_EXACT)
        here = PTXLINT_EXACT;
    else if (of_access == CERTAINTY_BOUND)
        here = PTXLINT_BOUND;
    else if (of_access == CERTAINTY_ESTIMATE)
        here = PTXLINT_ESTIMATE;
    if (here > *certainty)
        *certainty = here;
}

/* Instructions of one line. Where an access of it is not known, neither is the sum. */
static ptxlint_hot_line sum_line(HotView *v, const HotInsn *insns, size_t count)
{
    ptxlint_hot_line line = { .size = sizeof line,
                              .source = ptx_view_source(v->all, &v->func->insns[insns[0].insn]) };
    line.source.column = 0;
    for (size_t i = 0; i < count; i++) {
        const Evaluated *at = &v->evaluation->insns[insns[i].insn];
        const Op *op = v->func->insns[insns[i].insn].op;
        line.issue_percent += v->slots[insns[i].insn];
        line.time_percent += v->shares ? 100 * v->shares[insns[i].insn] : (double)NAN;
        if (!(op->flags & (OPF_LOAD | OPF_STORE)))
            continue;
        line.sectors += at->total->sectors;
        line.ideal_sectors += at->total->ideal_sectors;
        line.conflict_wavefronts += conflicts_of(at->total);
        if (at->total->sectors > 0 || at->total->wavefronts > 0
            || (at->is_reached && at->certainty == CERTAINTY_UNKNOWN))
            worsen_certainty(&line.certainty, at->certainty);
    }
    v->total_sectors += line.sectors;
    v->total_conflicts += line.conflict_wavefronts;
    return line;
}

/* By line; instructions without one are left out. */
static HotInsn *sort_insns(const HotView *v, uint32_t *count)
{
    HotInsn *insns = ptx_arena_array(v->all->work, HotInsn, v->func->insn_count + 1);
    for (InsnId i = 0; i < v->func->insn_count; i++) {
        const uint64_t key = line_key(v->all->module, &v->func->insns[i]);
        if (key)
            insns[(*count)++] = (HotInsn){ key, i };
    }
    qsort(insns, *count, sizeof *insns, hot_insn_compare);
    return insns;
}

static void sum_lines(HotView *v)
{
    uint32_t count = 0, lines = 0;
    const HotInsn *insns = sort_insns(v, &count);
    for (uint32_t i = 0; i < count; i++)
        lines += !i || insns[i].key != insns[i - 1].key;
    v->lines = ptx_arena_array(v->all->work, ptxlint_hot_line, lines + 1);
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && insns[next].key == insns[i].key;)
            next++;
        v->lines[v->line_count++] = sum_line(v, &insns[i], next - i);
    }
}

static double share_percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

static void take_shares(HotView *v)
{
    for (uint32_t i = 0; i < v->line_count; i++) {
        ptxlint_hot_line *line = &v->lines[i];
        if (!line->certainty)           /* no access: nothing, and that is certain */
            line->certainty = PTXLINT_EXACT;
        bool is_known = line->certainty != PTXLINT_NOT_KNOWN;
        line->issue_percent = share_percent(line->issue_percent, v->total_slots);
        line->sectors_percent = share_percent(line->sectors, v->total_sectors);
        line->conflict_percent = share_percent(line->conflict_wavefronts, v->total_conflicts);
        if (!is_known)
            line->sectors_percent = line->conflict_percent = (double)NAN;
        if (!is_known || v->evaluation->grid_is_assumed)
            line->sectors = line->ideal_sectors = line->conflict_wavefronts = (double)NAN;
    }
}

/* fmax takes the other one for a NaN. */
static double heat_of(const ptxlint_hot_line *line)
{
    return fmax(fmax(line->issue_percent, line->time_percent),
                fmax(line->sectors_percent, line->conflict_percent));
}

static int hot_line_compare(const void *pa, const void *pb)
{
    const ptxlint_hot_line *a = pa, *b = pb;
    if (heat_of(a) > heat_of(b) || heat_of(a) < heat_of(b))
        return heat_of(a) > heat_of(b) ? -1 : 1;
    int order = strcmp(a->source.path, b->source.path);
    if (order)
        return order;
    return a->source.line < b->source.line ? -1 : a->source.line > b->source.line;
}

static void keep_hottest(const HotView *v, ptxlint_kernel *out)
{
    const size_t count = v->line_count < HOT_LINES_MAX ? v->line_count : HOT_LINES_MAX;
    ptxlint_hot_line *kept = ptx_arena_array(v->all->arena, ptxlint_hot_line, count + 1);
    memcpy(kept, v->lines, count * sizeof *kept);
    out->hot_lines = kept;
    out->hot_line_count = count;
}

void ptx_view_hot_lines(Sessions *all, FuncId id, ptxlint_kernel *out)
{
    Session *session = ptx_sessions_of(all, id);
    const Func *func = &all->module->funcs[id];
    if (!func->is_entry || !ptx_session_is_projected(session) || func->has_syntax_error)
        return;
    const Evaluation *evaluation = ptx_session_evaluation(session, BUDGET_FIGURES);
    const Lowered *lowered = all->gpu_count ? ptx_session_lowered(session, 0) : NULL;
    if (!evaluation || !lowered || evaluation->is_part)
        return;
    HotView v = { .all = all, .func = func, .evaluation = evaluation };
    const TimeShares *shares = ptx_session_time_shares(session, 0);
    v.shares = shares && !isnan(shares->code_us) ? shares->codes[0].shares : NULL;
    const ArenaMark mark = ptx_arena_mark(all->work);
    count_slots(&v, lowered, ptx_session_cfg(session));
    sum_lines(&v);
    take_shares(&v);
    qsort(v.lines, v.line_count, sizeof *v.lines, hot_line_compare);
    keep_hottest(&v, out);
    ptx_arena_release(all->work, mark);
}
