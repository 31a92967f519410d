#include "report/html/html.h"
#include "support/minmax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BANK_BYTES = 4,
    BANKS_MAX = 32,
    SECTOR_BYTES = 32,
    PASS_COLOURS = 8,
    CELL_WIDTH = 8,
    CELL_HEIGHT = 5,
    GRID_LEFT = 30,
    GRID_TOP = 16,
    LANE_WORDS_MAX = 8,
    WORDS_MAX = PTXLINT_LANES * LANE_WORDS_MAX,
    TABLE_ROWS_MAX = 200
};

/* ---- passes ---------------------------------------------------------------------------------- */

/* A word that a lane asks for, and the pass that brings it. */
typedef struct BankWord {
    int64_t word;
    uint32_t lane, bank, pass;
} BankWord;

typedef struct BankGrid {
    BankWord words[WORDS_MAX];
    uint32_t count, banks;
    uint32_t passes;            /* by the rule of this picture */
} BankGrid;

static uint32_t words_of(const ptxlint_request *r)
{
    const uint32_t words = (r->bytes + BANK_BYTES - 1) / BANK_BYTES;
    return ptx_u32_min(ptx_u32_max(words, 1), LANE_WORDS_MAX);
}

static void list_words(const ptxlint_request *r, const int64_t *offsets, BankGrid *grid)
{
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane++)
        for (uint32_t w = 0; r->lanes >> lane & 1 && w < words_of(r); w++) {
            const int64_t word = offsets[lane] / BANK_BYTES + w;
            grid->words[grid->count++] = (BankWord){ word, lane, (uint32_t)(word % grid->banks),
                                                     0 };
        }
}

/* Within lanes that are served together each bank gives one word a pass: the first of its words in
 * the first. */
static uint32_t set_passes(BankGrid *grid, uint32_t first_lane, uint32_t end_lane, uint32_t before)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < grid->count; i++) {
        BankWord *own = &grid->words[i];
        if (own->lane < first_lane || own->lane >= end_lane)
            continue;
        uint32_t depth = 0;
        bool is_known = false;
        for (uint32_t j = 0; j < i && !is_known; j++) {
            const BankWord *other = &grid->words[j];
            if (other->lane < first_lane || other->bank != own->bank)
                continue;
            is_known = other->word == own->word;
            depth = is_known ? other->pass - before : depth;
            if (!is_known && other->pass - before >= depth)
                depth = other->pass - before + 1;
        }
        own->pass = before + depth;
        most = depth + 1 > most ? depth + 1 : most;
    }
    return before + most;
}

/* Wide accesses are served in halves or quarters of the warp. */
static void find_passes(const ptxlint_request *r, BankGrid *grid)
{
    const uint32_t words = words_of(r);
    uint32_t lanes = words >= 2 ? PTXLINT_LANES / 2 : PTXLINT_LANES;
    lanes = words >= 4 ? PTXLINT_LANES / 4 : lanes;
    grid->passes = 0;
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane += lanes)
        grid->passes = set_passes(grid, lane, lane + lanes, grid->passes);
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void put_grid_axes(Out *out, uint32_t banks)
{
    const double right = GRID_LEFT + (double)banks * CELL_WIDTH,
                 bottom = GRID_TOP + PTXLINT_LANES * CELL_HEIGHT;
    ptx_html_rect(out, "box", (double[]){ GRID_LEFT, GRID_TOP, right - GRID_LEFT,
                                          bottom - GRID_TOP });
    for (uint32_t bank = 0; bank <= banks; bank += 8) {
        const double x = GRID_LEFT + (double)bank * CELL_WIDTH;
        ptx_html_line(out, "gridline", (double[]){ x, GRID_TOP, x, bottom });
        if (bank < banks)
            ptx_html_label(out, "dim", "start", (double[]){ x, 11 }, ptx_figure_int(bank).text);
    }
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane += 8) {
        const double y = GRID_TOP + (double)lane * CELL_HEIGHT;
        ptx_html_line(out, "gridline", (double[]){ GRID_LEFT, y, right, y });
        ptx_html_label(out, "dim", "end", (double[]){ GRID_LEFT - 4, y + 9 },
                       ptx_figure_int(lane).text);
    }
}

static void put_bank_cells(Out *out, const BankGrid *grid, uint32_t colour, bool has_passes)
{
    bool is_begun = false;
    for (uint32_t i = 0; i < grid->count; i++) {
        const BankWord *w = &grid->words[i];
        if ((has_passes ? w->pass % PASS_COLOURS : 0) != colour)
            continue;
        if (!is_begun)
            ptx_out_format(out, "<path class=\"cell p%u\" d=\"", colour);
        is_begun = true;
        ptx_out_format(out, "M%u %uh7", GRID_LEFT + w->bank * CELL_WIDTH,
                       GRID_TOP + 2 + w->lane * CELL_HEIGHT);
    }
    if (is_begun)
        ptx_out_text(out, "\"/>");
}

static void put_bank_grid(const HtmlKernel *k, const ptxlint_request *r, const int64_t *offsets,
                          double cost, const char *what)
{
    const double given = ptxlint_gpu_value(k->projection->gpu, "shared_banks");
    BankGrid grid = { .banks = given >= 1 && given <= BANKS_MAX ? (uint32_t)given : BANKS_MAX };
    Out *out = k->out;
    char title[160];
    list_words(r, offsets, &grid);
    find_passes(r, &grid);
    const bool has_passes = fabs(grid.passes - cost) < 0.5;
    snprintf(title, sizeof title, "%s: %s pass%s", what, ptx_figure_commas(cost).text,
             cost > 1 ? "es" : "");
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, GRID_LEFT + CELL_WIDTH * (double)grid.banks + 4,
                 GRID_TOP + PTXLINT_LANES * CELL_HEIGHT + 4, title);
    put_grid_axes(out, grid.banks);
    for (uint32_t colour = 0; colour < PASS_COLOURS; colour++)
        put_bank_cells(out, &grid, colour, has_passes);
    ptx_out_text(out, "</svg><figcaption>");
    ptx_out_text(out, title);
    ptx_out_text(out, has_passes ? "" : " (colours do not show them)");
    ptx_out_text(out, "</figcaption></figure>\n");
}

/* ---- sectors --------------------------------------------------------------------------------- */

enum { LANE_STEP = 18, LANE_GAP = 2, SECTOR_TOP = 70, SECTOR_HEIGHT = 18, SECTORS_WIDTH = 592 };

typedef struct SectorList {
    int64_t numbers[PTXLINT_LANES * 2];
    uint32_t used[PTXLINT_LANES * 2];   /* a bit a byte */
    uint32_t count;
} SectorList;

static uint32_t sector_at(SectorList *list, int64_t number)
{
    uint32_t at = 0;
    while (at < list->count && list->numbers[at] < number)
        at++;
    if (at < list->count && list->numbers[at] == number)
        return at;
    memmove(list->numbers + at + 1, list->numbers + at, (list->count - at) * sizeof number);
    memmove(list->used + at + 1, list->used + at, (list->count - at) * sizeof *list->used);
    list->numbers[at] = number;
    list->used[at] = 0;
    list->count++;
    return at;
}

static void list_sectors(const ptxlint_request *r, SectorList *list)
{
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane++) {
        if (!(r->lanes >> lane & 1))
            continue;
        /* an access has 32 bytes at the most: two sectors */
        const int64_t end = r->offsets[lane] + ptx_u32_min(r->bytes, SECTOR_BYTES);
        for (int64_t byte = r->offsets[lane]; byte < end; byte++)
            list->used[sector_at(list, byte / SECTOR_BYTES)] |= UINT32_C(1)
                                                                << byte % SECTOR_BYTES;
    }
}

static double sector_x(const SectorList *list, uint32_t at)
{
    const double step = fmin(LANE_STEP * 2, (double)(SECTORS_WIDTH - 16) / list->count);
    return 8 + at * step;
}

static void put_lane_ways(Out *out, const ptxlint_request *r, SectorList *list, double width)
{
    ptx_out_text(out, "<path class=\"way\" d=\"");
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane++) {
        if (!(r->lanes >> lane & 1))
            continue;
        const int64_t first = r->offsets[lane] / SECTOR_BYTES,
                      last = (r->offsets[lane] + ptx_u32_min(r->bytes, SECTOR_BYTES) - 1)
                             / SECTOR_BYTES;
        for (int64_t s = first; s <= last; s++) {
            const double x = sector_x(list, sector_at(list, s)) + width / 2;
            ptx_out_format(out, "M%u 28L", 8 + lane * LANE_STEP + LANE_STEP / 2);
            ptx_out_format(out, "%d %d", (int)x, SECTOR_TOP);
        }
    }
    ptx_out_text(out, "\"/>");
}

static void put_lanes(Out *out, const ptxlint_request *r)
{
    ptx_out_format(out, "<path class=\"lane\" d=\"M9 21h%d\"/>",
                   PTXLINT_LANES * LANE_STEP - LANE_GAP);
    if (~r->lanes)
        ptx_out_text(out, "<path class=\"lane off\" d=\"M0 0");
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane++)
        if (!(r->lanes >> lane & 1))
            ptx_out_format(out, "M%u 21h16", 9 + lane * LANE_STEP);
    ptx_out_text(out, ~r->lanes ? "\"/>" : "");
    for (uint32_t lane = 0; lane < PTXLINT_LANES; lane += 8)
        ptx_html_label(out, "dim", "start", (double[]){ 9 + (double)lane * LANE_STEP, 10 },
                       ptx_figure_int(lane).text);
}

/* Of a path. */
static void put_box(Out *out, double x, double y, double width, double height)
{
    const double numbers[] = { x, y, width, height, -width };
    static const char *const before[] = { "M", " ", "h", "v", "h" };
    for (unsigned i = 0; i < 5; i++) {
        ptx_out_text(out, before[i]);
        ptx_out_text(out, ptx_figure_place(numbers[i]).text);
    }
    ptx_out_text(out, "z");
}

static void put_sector_boxes(Out *out, const SectorList *list, double width)
{
    ptx_out_text(out, "<path class=\"box\" d=\"M0 0");
    for (uint32_t s = 0; s < list->count; s++)
        if (list->used[s] != UINT32_MAX)
            put_box(out, sector_x(list, s), SECTOR_TOP, width, SECTOR_HEIGHT);
    ptx_out_text(out, "\"/><path class=\"asked\" d=\"M0 0");
    for (uint32_t s = 0; s < list->count; s++) {
        const double used = SECTOR_HEIGHT * __builtin_popcount(list->used[s]) / 32.0;
        put_box(out, sector_x(list, s), SECTOR_TOP + SECTOR_HEIGHT - used, width, used);
    }
    ptx_out_text(out, "\"/><path class=\"threat\" d=\"M0 0");
    for (uint32_t s = 1; s < list->count; s++)
        if (list->numbers[s] != list->numbers[s - 1] + 1) {
            ptx_out_format(out, "M%s ", ptx_figure_place(sector_x(list, s) - 1).text);
            ptx_out_format(out, "%dv%d", SECTOR_TOP - 3, SECTOR_HEIGHT + 6);
        }
    ptx_out_text(out, "\"/>");
}

static void put_sectors(Out *out, const ptxlint_request *r)
{
    SectorList list = { .count = 0 };
    char title[120];
    list_sectors(r, &list);
    const double width = fmax(fmin(LANE_STEP * 2, (double)(SECTORS_WIDTH - 16) / list.count) - 2,
                              1);
    snprintf(title, sizeof title, "32 lanes on %u sectors of 32 bytes", list.count);
    ptx_out_text(out, "<figure>");
    ptx_html_svg(out, SECTORS_WIDTH, SECTOR_TOP + SECTOR_HEIGHT + 6, title);
    put_lane_ways(out, r, &list, width);
    put_lanes(out, r);
    put_sector_boxes(out, &list, width);
    ptx_out_text(out, "</svg><figcaption>");
    ptx_out_text(out, title);
    ptx_out_text(out, "</figcaption></figure>\n");
}

/* ---- one access ------------------------------------------------------------------------------ */

static const ptxlint_access *access_of_request(const HtmlKernel *k, const ptxlint_request *r)
{
    for (size_t i = 0; i < k->kernel->access_count; i++) {
        const ptxlint_access *a = &k->kernel->accesses[i];
        if (a->span.begin == r->span.begin && !a->function)
            return a;
    }
    return NULL;
}

static void put_access_title(const HtmlKernel *k, const ptxlint_request *r,
                             const ptxlint_access *access)
{
    Out *out = k->out;
    const uint32_t line = ptxlint_module_place(k->module, r->span.begin).line;
    ptx_out_format(out, "<h4><a href=\"#k%u-l%u\">line %u</a>: %s %s of %u bytes", k->number, line,
                   line, r->space, access ? access->op : "access", r->bytes);
    if (access && access->source.path) {
        ptx_out_text(out, ", ");
        ptx_markup_text(out, ptx_path_last(access->source.path));
        ptx_out_format(out, ":%u", access->source.line);
    }
    ptx_out_text(out, "</h4>\n<p class=\"small\">");
    const uint32_t length = r->span.end - r->span.begin;
    ptx_out_text(out, "<code>");
    ptx_markup_bytes(out, ptxlint_module_get_info(k->module)->text + r->span.begin,
                     length < 160 ? length : 160);
    ptx_out_text(out, "</code>");
    if (access && access->why) {
        ptx_out_text(out, "<br>");
        ptx_markup_text(out, access->why);
    }
    ptx_out_text(out, "</p>\n");
}

static void put_request(const HtmlKernel *k, const ptxlint_request *r)
{
    const bool is_shared = !strcmp(r->space, "shared");
    Out *out = k->out;
    ptx_out_text(out, "<div class=\"access\">");
    put_access_title(k, r, access_of_request(k, r));
    ptx_out_text(out, "<div class=\"side\">");
    if (!is_shared)
        put_sectors(out, r);
    else
        put_bank_grid(k, r, r->offsets, r->cost, "as it is");
    if (is_shared && r->advice)
        put_bank_grid(k, r, r->advised_offsets, r->advised_cost, "as advised");
    ptx_out_text(out, "</div>");
    ptx_out_format(out, "<p class=\"small\">%s %s; %s would do for as many bytes.",
                   ptx_figure_commas(r->cost).text, is_shared ? "passes" : "sectors",
                   ptx_figure_commas(r->ideal_cost).text);
    if (r->kind_count > 1)
        ptx_out_format(out, " The costliest of %u requests that differ.", r->kind_count);
    if (r->is_assumed)
        ptx_out_text(out, " It rests on what was assumed.");
    if (r->is_matrix)
        ptx_out_text(out, " Each lane gives the address of a row of 16 bytes.");
    if (r->advice) {
        ptx_out_text(out, "<br>Advised: ");
        ptx_markup_text(out, r->advice);
        ptx_out_text(out, ".");
    }
    ptx_out_text(out, "</p></div>\n");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int compare_requests(const void *left, const void *right)
{
    const ptxlint_request *a = *(const ptxlint_request *const *)left,
                          *b = *(const ptxlint_request *const *)right;
    const double mine = a->cost - a->ideal_cost, other = b->cost - b->ideal_cost;
    if (mine < other || mine > other)
        return mine > other ? -1 : 1;
    return a->span.begin < b->span.begin ? -1 : a->span.begin > b->span.begin;
}

/* Of a sorted list: all that cost more than the least, of the others in global memory a few. */
static size_t count_drawn(const ptxlint_request *const *list, size_t count)
{
    enum { AT_BEST_MAX = 2 };
    size_t drawn = 0, at_best = 0;
    for (; drawn < count && drawn < HTML_ACCESSES_MAX; drawn++) {
        at_best += list[drawn]->cost <= list[drawn]->ideal_cost
                   && strcmp(list[drawn]->space, "shared") != 0;
        if (at_best > AT_BEST_MAX)
            break;
    }
    return drawn;
}

static void put_requests_of(const HtmlKernel *k, const ptxlint_request *all, size_t count,
                            const char *space)
{
    const ptxlint_request **list = malloc((count + 1) * sizeof *list);
    size_t chosen = 0;
    if (!list)
        k->out->status = PTXLINT_NO_MEMORY;
    for (size_t i = 0; list && i < count; i++)
        if (!strcmp(all[i].space, space))
            list[chosen++] = &all[i];
    if (chosen) {
        qsort(list, chosen, sizeof *list, compare_requests);
        ptx_out_text(k->out, "<div class=\"accesses\">\n");
    }
    const size_t shown = count_drawn(list, chosen);
    for (size_t i = 0; i < shown; i++)
        put_request(k, list[i]);
    ptx_out_text(k->out, chosen ? "</div>\n" : "");
    if (chosen > shown)
        ptx_out_format(k->out, "<p class=\"small\">%zu more accesses to %s memory are not drawn: "
                               "those that are nearest to the least they can cost.</p>\n",
                       chosen - shown, space);
    free(list);
}

static void put_figure_cell(Out *out, double figure)
{
    ptx_out_format(out, "<td class=\"n\">%s</td>",
                   isfinite(figure) ? ptx_figure_short(figure).text : "");
}

static void put_html_access(const HtmlKernel *k, const ptxlint_access *a)
{
    Out *out = k->out;
    const uint32_t line = ptxlint_module_place(k->module, a->span.begin).line;
    const bool is_shared = isfinite(a->wavefronts_per_request);
    ptx_out_format(out, "<tr><td><a href=\"#k%u-l%u\">%u</a></td><td>%s %s</td>", k->number, line,
                   line, a->space, a->op);
    ptx_out_format(out, "<td class=\"n\">%s</td>", ptx_figure_int(a->bytes).text);
    put_figure_cell(out, is_shared ? a->wavefronts_per_request : a->sectors_per_request);
    put_figure_cell(out, is_shared ? a->ideal_wavefronts_per_request
                                   : a->ideal_sectors_per_request);
    ptx_out_text(out, is_shared ? "<td>passes</td><td>" : "<td>sectors</td><td>");
    ptx_out_format(out, "%s</td><td>%s</td><td>", ptx_text_or(a->pattern, ""),
                   ptx_report_certainty(a->certainty));
    ptx_markup_text(out, a->source.path ? ptx_path_last(a->source.path) : "");
    if (a->source.path)
        ptx_out_format(out, ":%u", a->source.line);
    ptx_out_text(out, "</td></tr>\n");
}

/* Loads of parameters have none. */
static bool has_access_figure(const ptxlint_access *a)
{
    return strcmp(a->space, "param") != 0;
}

static void put_access_table(const HtmlKernel *k)
{
    size_t left = 0, shown = 0;
    ptx_out_text(k->out,
                 "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Line</th>"
                 "<th scope=\"col\">Access</th><th scope=\"col\" class=\"n\">Bytes</th>"
                 "<th scope=\"col\" class=\"n\">A request</th>"
                 "<th scope=\"col\" class=\"n\">At best</th><th scope=\"col\">Unit</th>"
                 "<th scope=\"col\">Pattern</th><th scope=\"col\">Certainty</th>"
                 "<th scope=\"col\">CUDA</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < k->kernel->access_count; i++) {
        if (!has_access_figure(&k->kernel->accesses[i]))
            continue;
        left += shown == TABLE_ROWS_MAX;
        if (shown < TABLE_ROWS_MAX)
            put_html_access(k, &k->kernel->accesses[i]);
        shown += shown < TABLE_ROWS_MAX;
    }
    ptx_out_text(k->out, "</tbody></table></div>\n");
    if (left)
        ptx_out_format(k->out, "<p class=\"small\">%zu more accesses are not listed.</p>\n", left);
}

static size_t count_listed(const HtmlKernel *k)
{
    size_t count = 0;
    for (size_t i = 0; i < k->kernel->access_count; i++)
        count += has_access_figure(&k->kernel->accesses[i]);
    return count;
}

void ptx_html_accesses_part(const HtmlKernel *k)
{
    ptxlint_requests *requests = NULL;
    size_t count = 0;
    if (!count_listed(k))
        return;
    ptx_html_part(k, "accesses", "Memory accesses",
                  "the request of each that costs most");
    put_access_table(k);
    ptx_out_text(k->out, "<p class=\"small\">Shared memory: lanes down, banks across, a colour a "
                         "pass. Global memory: lanes on sectors of 32 bytes; green: bytes that "
                         "are asked for; red: a gap.</p>\n");
    ptxlint_status status = ptxlint_requests_new(k->module, k->kernel, &requests);
    if (status == PTXLINT_NO_MEMORY)
        k->out->status = status;
    if (status == PTXLINT_OK) {
        const ptxlint_request *all = ptxlint_requests_all(requests, &count);
        put_requests_of(k, all, count, "shared");
        put_requests_of(k, all, count, "global");
    }
    ptxlint_requests_free(requests);
    ptx_html_part_end(k);
}
