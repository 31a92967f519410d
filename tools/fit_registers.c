/* fit_registers FILE > TREES : fits regression trees to the registers that ptxas gave;
 * tools/fit_registers.py unpacks the file and runs it.
 *
 * Columns of FILE, between commas: set, group, file, sm, regs, then features. Rows of sets whose
 * names begin with "apart" are not fitted to, only judged. Counts of registers are taken to a scale
 * on which each is as wide as it is frequent among its neighbours: ptxas fills what a step of
 * occupancy leaves, and pairs make counts even. On it, boosted least absolute deviations (Friedman,
 * "Greedy Function Approximation", 2001, algorithm 3): trees are grown on residuals, clipped, each
 * on three rows in four and half of the features; leaves are medians. The band comes from one more
 * tree over residuals of a cross-validation whose folds keep a group together. */
#include "support/grow.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEATURES_MAX = 128,
    BINS = 64,
    FOLDS = 8,
    NODES_MAX = 255,
    LEAVES_MAX = 128,
    TREES_MAX = 2000,
    FIXED_COLUMNS = 5,
    COUNTS = 256,
    FAMILIES = 3,
    WINDOW = 4,
    UNIT = 64,
    LINE = 145,
};

/* feature -1: leaf; left where <= above, else the next */
typedef struct Node { int feature, left, bin; uint16_t above; float value, low, high; } Node;
typedef struct Tree { Node nodes[NODES_MAX]; int count; } Tree;
typedef struct Row {
    char set[20];
    uint32_t group;
    int fold, regs, cap, guess, target, sm, family;
    float base, low, high, weight;
    uint16_t f[FEATURES_MAX];
} Row;

static Row *rows;
static uint8_t *bins;           /* per row and feature */
static int row_count, feature_count, trees_wanted = 600, leaves_wanted = 120, leaf_least = 14;
static double rate = 0.05, weight_most = 2;
/* of residuals; what the band leaves out to either side */
static const float clip = 0.5F, tail = 0.06F;
static char names[FEATURES_MAX][32];
static uint16_t cuts[FEATURES_MAX][BINS];
static int cut_count[FEATURES_MAX];
static double upper[FAMILIES][COUNTS];  /* of each count, on the scale */
static uint32_t seed = 12345;

static uint32_t draw(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 16;
}

static int column(const char *name)
{
    for (int i = 0; i < feature_count; i++)
        if (!strcmp(names[i], name))
            return i;
    fprintf(stderr, "no column %s\n", name);
    exit(1);
}

static int most_warps(int sm)
{
    return sm == 75 ? 32 : (sm >= 86 && sm <= 89) || sm >= 120 ? 48 : 64;
}

static void read_rows(const char *path)
{
    static char line[1 << 16];
    FILE *file = fopen(path, "r");
    size_t capacity = 0;
    for (int n = 0; file && fgets(line, sizeof line, file); n++) {
        Row row = { 0 };
        int c = 0;
        for (char *t = strtok(line, ",\n"); t; t = strtok(NULL, ",\n"), c++) {
            if (!n && c >= FIXED_COLUMNS)
                snprintf(names[feature_count++], 32, "%s", t);
            if (!n)
                continue;
            if (c == 0)
                snprintf(row.set, sizeof row.set, "%s", t);
            if (c == 1)
                for (const char *p = t; *p; p++)
                    row.group = (row.group ^ (uint8_t)*p) * 16777619u;
            if (c == 3)
                row.sm = atoi(t);
            if (c == 4)
                row.regs = atoi(t);
            if (c >= FIXED_COLUMNS)
                row.f[c - FIXED_COLUMNS] = (uint16_t)atoi(t);
        }
        row.fold = (int)(row.group * 2654435761u >> 16) % FOLDS;
        row.family = most_warps(row.sm) / 16 - 2;
        if (!n || row.regs >= COUNTS || row.sm < 75)
            continue;
        if (!ptx_list_reserve(&rows, &capacity, (size_t)row_count + 1, sizeof *rows))
            break;
        rows[row_count++] = row;
    }
}

/* What a set counts for, however many rows it has: those of templates are the most varied. */
static double share_of(const char *set)
{
    static const struct { const char *set; double share; } shares[] = {
        { "apart", 0 }, { "template", 4 }, { "library", 0.5 }, { "tiles", 0.5 }, { "triton", 0.3 },
    };
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (!strncmp(set, shares[i].set, strlen(shares[i].set)))
            return shares[i].share;
    return 0.05;
}

static void weigh_rows(void)
{
    const char *sets[16];
    int counts[16] = { 0 }, n = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < row_count; i++) {
            int k = 0;
            while (k < n && strcmp(sets[k], rows[i].set))
                k++;
            if (k == n && n < 16)
                sets[n++] = rows[i].set;
            counts[k] += !pass;
            double weight = pass ? share_of(rows[i].set) * row_count / counts[k] / 4 : 0;
            rows[i].weight = (float)(weight < weight_most ? weight : weight_most);
        }
}

/* ---- the scale ------------------------------------------------------------------------------- */

static void make_scale(void)
{
    for (int k = 0; k < FAMILIES; k++) {
        double seen[COUNTS], sum = 0;
        for (int c = 0; c < COUNTS; c++)
            seen[c] = c % 2 ? 1 : 5;
        for (int i = 0; i < row_count; i++)
            if (rows[i].family == k)
                seen[rows[i].regs] += rows[i].weight * (rows[i].regs < rows[i].cap);
        for (int c = 0; c < COUNTS; c++) {
            double near = 0;
            int n = 0;
            for (int d = c - WINDOW < 0 ? 0 : c - WINDOW; d <= c + WINDOW && d < COUNTS; d++, n++)
                near += seen[d];
            double width = seen[c] * n / near;
            upper[k][c] = sum += width < 0.2 ? 0.2 : width;
        }
    }
}

static double lower_of(int family, int count)
{
    return count ? upper[family][count - 1] : 0;
}

static double middle_of(int family, int count)
{
    return (lower_of(family, count) + upper[family][count]) / 2;
}

static int count_at(int family, double at)
{
    int c = 4;
    while (c < COUNTS - 1 && upper[family][c] <= at)
        c++;
    return c;
}

static int counted(const Row *row, double at)
{
    int c = count_at(row->family, at);
    return c > row->cap ? row->cap : c;
}

/* Where the model says what all warps leave, up to a quarter more is not believed. */
static int predicted(const Row *row, double at)
{
    int c = counted(row, at);
    return row->guess == row->target && c > row->target && 4 * c <= 5 * row->target ? row->target
                                                                                    : c;
}

static void place_rows(void)
{
    int cap = column("CAP"), guess = column("GUESS"), target = column("TARGET");
    for (int i = 0; i < row_count; i++) {
        rows[i].cap = rows[i].f[cap] > 255 ? 255 : rows[i].f[cap];
        rows[i].guess = rows[i].f[guess];
        rows[i].target = rows[i].f[target];
    }
    make_scale();
    for (int i = 0; i < row_count; i++) {
        Row *row = &rows[i];
        double low = lower_of(row->family, row->regs), high = upper[row->family][row->regs],
               margin = 0.45 * (high - low);
        row->base = (float)middle_of(row->family, row->guess < row->cap ? row->guess : row->cap);
        row->low = (float)(low + margin);
        row->high = row->regs >= row->cap ? 1e6f : (float)(high - margin);
    }
}

/* How far a sum is from where it has to be. */
static float rest_of(const Row *row, float sum)
{
    float at = row->base + sum;
    return at < row->low ? row->low - at : at > row->high ? row->high - at : 0;
}

/* ---- trees ----------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}
static int by_float(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void make_bins(void)
{
    uint16_t *v = malloc((size_t)row_count * sizeof *v);
    bins = malloc((size_t)row_count * FEATURES_MAX);
    for (int f = 0; f < feature_count; f++) {
        int n = 0;
        for (int i = 0; i < row_count; i++)
            if (rows[i].weight > 0)
                v[n++] = rows[i].f[f];
        qsort(v, (size_t)n, sizeof *v, by_value);
        for (int b = 1; b < BINS; b++) {
            uint16_t cut = v[(long)n * b / BINS];
            if (cut < v[n - 1] && (!cut_count[f] || cut > cuts[f][cut_count[f] - 1]))
                cuts[f][cut_count[f]++] = cut;
        }
        for (int i = 0; i < row_count; i++) {
            uint8_t bin = 0;
            while (bin < cut_count[f] && rows[i].f[f] > cuts[f][bin])
                bin++;
            bins[(size_t)i * FEATURES_MAX + (size_t)f] = bin;
        }
    }
    free(v);
}

static float quantile(float *v, int n, double q)
{
    if (!n)
        return 0;
    qsort(v, (size_t)n, sizeof *v, by_float);
    return v[(int)(q * (n - 1) + 0.5)];
}

/* sorted as floats are: the value stands first */
typedef struct Weighed { float value, weight; } Weighed;

/* values: sorted. */
static float weighed_quantile(const Weighed *values, int n, double q)
{
    double all = 0, sum = 0;
    int i = 0;
    for (int j = 0; j < n; j++)
        all += (double)values[j].weight;
    for (; i < n - 1 && (sum += (double)values[i].weight) < q * all;)
        i++;
    return n ? values[i].value : 0;
}

typedef struct Sums { float target[BINS], rows[BINS]; } Sums;
typedef struct Leaf { int first, count, node, feature, bin; double gain; Sums *sums; } Leaf;

static int taken[FEATURES_MAX], taken_count;    /* features of the tree */

static void fill_sums(Leaf *leaf, const int *index, const float *target)
{
    memset(leaf->sums, 0, (size_t)taken_count * sizeof *leaf->sums);
    for (int i = 0; i < leaf->count; i++) {
        int r = index[leaf->first + i];
        const uint8_t *bin = bins + (size_t)r * FEATURES_MAX;
        float weight = rows[r].weight;
        for (int t = 0; t < taken_count; t++) {
            leaf->sums[t].target[bin[taken[t]]] += weight * target[r];
            leaf->sums[t].rows[bin[taken[t]]] += weight;
        }
    }
}

static void find_split(Leaf *leaf)
{
    double sum = 0, all = 0;
    leaf->gain = 0;
    for (int b = 0; b < BINS; b++) {
        sum += (double)leaf->sums[0].target[b];
        all += (double)leaf->sums[0].rows[b];
    }
    double whole = sum * sum / (all > 0 ? all : 1);
    for (int t = 0; t < taken_count; t++) {
        double left = 0, n = 0;
        for (int b = 0; b < cut_count[taken[t]]; b++) {
            left += (double)leaf->sums[t].target[b];
            n += (double)leaf->sums[t].rows[b];
            if (n < leaf_least || all - n < leaf_least)
                continue;
            double gain = left * left / n + (sum - left) * (sum - left) / (all - n) - whole;
            if (gain > leaf->gain + 1e-6) {
                leaf->gain = gain;
                leaf->feature = taken[t];
                leaf->bin = b;
            }
        }
    }
}

static int part(int *index, const Leaf *leaf)
{
    int i = leaf->first;
    for (int j = leaf->first + leaf->count; i < j;)
        if (bins[(size_t)index[i] * FEATURES_MAX + (size_t)leaf->feature] <= leaf->bin) {
            i++;
        } else {
            int s = index[--j];
            index[j] = index[i];
            index[i] = s;
        }
    return i;
}

/* The sums of the smaller half are counted, those of the other are what is left. */
static void split_sums(Leaf *leaf, Leaf *other, const int *index, const float *target)
{
    Leaf *small = leaf->count < other->count ? leaf : other, *large = small == leaf ? other : leaf;
    Sums *whole = leaf->sums, *spare = other->sums;
    small->sums = spare;
    large->sums = whole;
    fill_sums(small, index, target);
    for (int t = 0; t < taken_count; t++)
        for (int b = 0; b < BINS; b++) {
            whole[t].target[b] -= spare[t].target[b];
            whole[t].rows[b] -= spare[t].rows[b];
        }
}

/* Grows the leaf of the highest gain first. value: what leaves give medians and quantiles of. */
static void grow(Tree *tree, int *index, int n, const float *target, const float *value, int most,
                 double step)
{
    static Leaf leaves[LEAVES_MAX];
    static Sums room[LEAVES_MAX][FEATURES_MAX];
    Weighed *of_leaf = malloc((size_t)(n + 1) * sizeof *of_leaf);
    int count = 1;
    leaves[0] = (Leaf){ .count = n, .sums = room[0] };
    tree->count = 1;
    tree->nodes[0].feature = -1;
    fill_sums(&leaves[0], index, target);
    find_split(&leaves[0]);
    while (count < most) {
        int best = 0;
        for (int l = 1; l < count; l++)
            if (leaves[l].gain > leaves[best].gain)
                best = l;
        Leaf *leaf = &leaves[best], *other = &leaves[count];
        if (leaf->gain <= 0)
            break;
        int end = leaf->first + leaf->count, middle = part(index, leaf);
        tree->nodes[leaf->node] = (Node){ .feature = leaf->feature,
                                          .left = tree->count,
                                          .bin = leaf->bin,
                                          .above = cuts[leaf->feature][leaf->bin] };
        tree->nodes[tree->count].feature = tree->nodes[tree->count + 1].feature = -1;
        *other = (Leaf){ .first = middle, .count = end - middle, .node = tree->count + 1, .sums = room[count] };
        *leaf = (Leaf){ .first = leaf->first, .count = middle - leaf->first, .node = tree->count, .sums = leaf->sums };
        tree->count += 2;
        count++;
        split_sums(leaf, other, index, target);
        find_split(leaf);
        find_split(other);
    }
    for (int l = 0; l < count; l++) {
        Node *node = &tree->nodes[leaves[l].node];
        for (int i = 0; i < leaves[l].count; i++)
            of_leaf[i] = (Weighed){ value[index[leaves[l].first + i]],
                                    rows[index[leaves[l].first + i]].weight };
        qsort(of_leaf, (size_t)leaves[l].count, sizeof *of_leaf, by_float);
        node->value = roundf((float)step * weighed_quantile(of_leaf, leaves[l].count, 0.5) * UNIT)
                      / UNIT;
        node->low = weighed_quantile(of_leaf, leaves[l].count, (double)tail);
        node->high = weighed_quantile(of_leaf, leaves[l].count, 1 - (double)tail);
    }
    free(of_leaf);
}

static const Node *leaf_of(const Tree *tree, const Row *row)
{
    const Node *node = tree->nodes;
    while (node->feature >= 0)
        node = &tree->nodes[node->left + (row->f[node->feature] > node->above)];
    return node;
}

static void take_features(int all)
{
    taken_count = 0;
    for (int f = 0; f < feature_count; f++)
        if (cut_count[f] && (all || draw() % 2))
            taken[taken_count++] = f;
}

/* Trees for the rows outside of a fold (-1: all); sums: per row, of all rows. */
static void boost(Tree *trees, int fold, float *sums)
{
    int *index = malloc((size_t)row_count * sizeof *index),
        *sample = malloc((size_t)row_count * sizeof *sample), n = 0;
    float *clipped = malloc((size_t)row_count * sizeof *clipped),
          *rest = malloc((size_t)row_count * sizeof *rest);
    for (int i = 0; i < row_count; i++) {
        sums[i] = 0;
        if (rows[i].fold != fold && rows[i].weight > 0)
            index[n++] = i;
    }
    for (int t = 0; t < trees_wanted; t++) {
        int count = 0;
        for (int i = 0; i < n; i++) {
            int r = index[i];
            rest[r] = rest_of(&rows[r], sums[r]);
            float scale = 1 + rows[r].base / 50;
            clipped[r] = fmaxf(-clip, fminf(clip, rest[r] / scale));
            if (draw() % 4)
                sample[count++] = r;
        }
        take_features(0);
        grow(&trees[t], sample, count, clipped, rest, leaves_wanted, rate);
        for (int i = 0; i < row_count; i++)
            sums[i] += leaf_of(&trees[t], &rows[i])->value;
    }
    free(index); free(sample); free(clipped); free(rest);
}

/* ---- figures --------------------------------------------------------------------------------- */

static int warps(int regs, int sm)
{
    int w = 4 * (16384 / ((32 * (regs < 1 ? 1 : regs) + 255) / 256 * 256)), most = most_warps(sm);
    return w < most ? w : most;
}

/* Figures of the rows of a set up to so many registers. */
static void tell(const char *set, int most, const float *sums, const Tree *band)
{
    double error = 0;
    int n = 0, exact = 0, near = 0, tenth = 0, step = 0, inside = 0;
    float *widths = malloc((size_t)row_count * sizeof *widths);
    for (int i = 0; i < row_count; i++) {
        const Row *row = &rows[i];
        if (strcmp(row->set, set) || row->regs > most)
            continue;
        float at = row->base + sums[i];
        const Node *leaf = leaf_of(band, row);
        int p = predicted(row, (double)at), d = abs(p - row->regs),
            low = counted(row, (double)(at + leaf->low)),
            high = counted(row, (double)(at + leaf->high));
        widths[n++] = (float)(high - low);
        inside += row->regs >= low && row->regs <= high;
        error += d;
        exact += !d;
        near += d <= 4;
        tenth += 10 * d <= row->regs;
        step += warps(p, row->sm) == warps(row->regs, row->sm);
    }
    if (n)
        fprintf(stderr,
                "%-8s up to %3d  %6d  mean error %.2f  exact %.1f  within 4 %.1f  within 10%% %.1f "
                " occupancy %.1f  in band %.1f  median width %.0f\n",
                set, most, n, error / n, 100.0 * exact / n, 100.0 * near / n, 100.0 * tenth / n,
                100.0 * step / n, 100.0 * inside / n, (double)quantile(widths, n, 0.5));
    free(widths);
}

static int number_of[FEATURES_MAX], line_length;

static void put_word(const char *word)
{
    line_length += printf("%s%s", line_length > LINE ? "\n" : " ", word)
                   - (line_length > LINE ? line_length : 0);
}

static void put_node(const Tree *tree, int at, int with_band)
{
    const Node *n = &tree->nodes[at];
    char word[64];
    if (n->feature < 0 && with_band)
        snprintf(word, sizeof word, "%g,%g", (double)roundf(n->low * 4) / 4,
                 (double)roundf(n->high * 4) / 4);
    else if (n->feature < 0)
        snprintf(word, sizeof word, "%d", (int)lroundf(n->value * UNIT));
    else
        snprintf(word, sizeof word, "%d:%d", number_of[n->feature], n->bin);
    put_word(word);
    if (n->feature < 0)
        return;
    put_node(tree, n->left, with_band);
    put_node(tree, n->left + 1, with_band);
}

static void put_tree(const char *head, const Tree *tree)
{
    line_length = printf("%s", head);
    put_node(tree, 0, *head == 'b');
    putchar('\n');
}

static void put_cuts(void)
{
    for (int f = 0, n = 0; f < feature_count; f++) {
        if (!cut_count[f])
            continue;
        number_of[f] = n++;
        printf("cuts %s", names[f]);
        for (int c = 0; c < cut_count[f]; c++)
            printf(" %d", cuts[f][c]);
        putchar('\n');
    }
}

static void put_scale(void)
{
    for (int k = 0; k < FAMILIES; k++) {
        printf("scale %d", 16 * (k + 2));
        for (int c = 0; c < COUNTS; c++)
            printf(" %.1f", upper[k][c]);
        putchar('\n');
    }
}

/* Sums of trees that have not seen the row's fold; then the trees of all rows, which judge those
 * held apart. */
static void validate(Tree *trees, float *sums)
{
    float *fold_sums = malloc((size_t)row_count * sizeof *fold_sums);
    for (int fold = 0; fold < FOLDS; fold++) {
        boost(trees, fold, fold_sums);
        for (int i = 0; i < row_count; i++)
            if (rows[i].fold == fold)
                sums[i] = fold_sums[i];
    }
    boost(trees, -1, fold_sums);
    for (int i = 0; i < row_count; i++)
        if (!(rows[i].weight > 0))
            sums[i] = fold_sums[i];
    free(fold_sums);
}

static void fit_band(Tree *band, const float *sums)
{
    int *index = malloc((size_t)row_count * sizeof *index), n = 0;
    float *rest = malloc((size_t)row_count * sizeof *rest),
          *size = malloc((size_t)row_count * sizeof *size);
    for (int i = 0; i < row_count; i++) {
        if (rows[i].weight > 0)
            index[n++] = i;
        rest[i] = rest_of(&rows[i], sums[i]);
        size[i] = fminf(fabsf(rest[i]), 12);
    }
    take_features(1);
    leaf_least = 100;
    grow(band, index, n, size, rest, 64, 1);
    free(index); free(rest); free(size);
}

int main(int argc, char **argv)
{
    static Tree trees[TREES_MAX], band;
    if (argc < 2)
        return 1;
    read_rows(argv[1]);
    weigh_rows();
    place_rows();
    make_bins();
    float *sums = malloc((size_t)row_count * sizeof *sums);
    validate(trees, sums);
    fit_band(&band, sums);
    for (int i = 0; i < row_count; i++)
        if (!i || strcmp(rows[i].set, rows[i - 1].set)) {
            tell(rows[i].set, 64, sums, &band);
            tell(rows[i].set, 255, sums, &band);
        }
    put_scale();
    put_cuts();
    for (int t = 0; t < trees_wanted; t++)
        put_tree("tree", &trees[t]);
    put_tree("band", &band);
    return 0;
}
