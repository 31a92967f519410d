/* fit_registers FILE > TREES : fits regression trees to the registers that ptxas gave; tools/fit_registers.py makes the file and runs it.
 *
 * Columns of FILE: group, set, regs, file, kernel, sm, low, registers, high, then features. Boosted least absolute deviations (Friedman, "Greedy
 * Function Approximation", 2001, algorithm 3): trees are grown on signs of residuals, clipped where they are small, each on three rows in four;
 * leaves are medians. The band comes from one more tree over residuals of a cross-validation whose folds keep a group together. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEATURES_MAX = 64, BINS = 64, FOLDS = 5, NODES_MAX = 256, TREES_MAX = 1000, MIN_LEAF = 24, FIXED_COLUMNS = 9 };

typedef struct Node { int feature, left, right; uint16_t above; float value, low, high; } Node;     /* feature -1: leaf; left where <= above */
typedef struct Tree { Node nodes[NODES_MAX]; int count; } Tree;
typedef struct Row { char kernel[64], set[8]; uint32_t group; int fold, regs, cap, sm; float base; uint16_t f[FEATURES_MAX]; uint8_t bin[FEATURES_MAX]; } Row;

static Row *rows;
static int row_count, feature_count, trees_wanted = 220, leaves_wanted = 24;
static double rate = 0.1;
static char names[FEATURES_MAX][32];
static uint16_t cuts[FEATURES_MAX][BINS];
static int cut_count[FEATURES_MAX];

static int column(const char *name)
{
    for (int i = 0; i < feature_count; i++)
        if (!strcmp(names[i], name))
            return i;
    fprintf(stderr, "no column %s\n", name);
    exit(1);
}

static void read_rows(const char *path)
{
    static char line[1 << 16];
    FILE *file = fopen(path, "r");
    int capacity = 1 << 16;
    rows = malloc((size_t)capacity * sizeof *rows);
    for (int n = 0; file && fgets(line, sizeof line, file); n++) {
        Row row = { 0 };
        int c = 0;
        for (char *t = strtok(line, " \n"); t; t = strtok(NULL, " \n"), c++) {
            if (!n && c >= FIXED_COLUMNS)
                snprintf(names[feature_count++], 32, "%s", t);
            if (!n)
                continue;
            if (c == 0)
                for (const char *p = t; *p; p++)
                    row.group = (row.group ^ (uint8_t)*p) * 16777619u;
            if (c == 1)
                snprintf(row.set, sizeof row.set, "%s", t);
            if (c == 2)
                row.regs = atoi(t);
            if (c == 4)
                snprintf(row.kernel, sizeof row.kernel, "%s", t);
            if (c == 5)
                row.sm = atoi(t);
            if (c >= FIXED_COLUMNS)
                row.f[c - FIXED_COLUMNS] = (uint16_t)atoi(t);
        }
        row.fold = (int)(row.group * 2654435761u >> 16) % FOLDS;
        if (!n)
            continue;
        if (row_count == capacity)
            rows = realloc(rows, (size_t)(capacity *= 2) * sizeof *rows);
        rows[row_count++] = row;
    }
}

static int by_value(const void *a, const void *b) { return *(const uint16_t *)a - *(const uint16_t *)b; }
static int by_float(const void *a, const void *b) { float x = *(const float *)a, y = *(const float *)b; return (x > y) - (x < y); }

static void make_bins(void)
{
    uint16_t *v = malloc((size_t)row_count * sizeof *v);
    for (int f = 0; f < feature_count; f++) {
        for (int i = 0; i < row_count; i++)
            v[i] = rows[i].f[f];
        qsort(v, (size_t)row_count, sizeof *v, by_value);
        for (int b = 1; b < BINS; b++) {
            uint16_t cut = v[(long)row_count * b / BINS];
            if (cut < v[row_count - 1] && (!cut_count[f] || cut > cuts[f][cut_count[f] - 1]))
                cuts[f][cut_count[f]++] = cut;
        }
        for (int i = 0; i < row_count; i++)
            for (int b = 0; b < cut_count[f] && rows[i].f[f] > cuts[f][b]; b++)
                rows[i].bin[f] = (uint8_t)(b + 1);
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

typedef struct Leaf { int first, count, node, feature, bin; double gain; } Leaf;

static void find_split(Leaf *leaf, const int *index, const float *target)
{
    double sum = 0;
    leaf->gain = 0;
    for (int i = 0; i < leaf->count; i++)
        sum += target[index[leaf->first + i]];
    double whole = sum * sum / (leaf->count ? leaf->count : 1);
    for (int f = 0; f < feature_count; f++) {
        double sums[BINS] = { 0 };
        int counts[BINS] = { 0 };
        for (int i = 0; i < leaf->count; i++) {
            int r = index[leaf->first + i];
            sums[rows[r].bin[f]] += target[r];
            counts[rows[r].bin[f]]++;
        }
        double left = 0;
        int n = 0;
        for (int b = 0; b < cut_count[f]; b++) {
            left += sums[b];
            n += counts[b];
            if (n < MIN_LEAF || leaf->count - n < MIN_LEAF)
                continue;
            double gain = left * left / n + (sum - left) * (sum - left) / (leaf->count - n) - whole;
            if (gain > leaf->gain + 1e-9) {
                leaf->gain = gain;
                leaf->feature = f;
                leaf->bin = b;
            }
        }
    }
}

/* Grows the leaf of the highest gain first. value: what leaves give medians and quantiles of. */
static void grow(Tree *tree, int *index, int n, const float *target, const float *value, int most, double step)
{
    static Leaf leaves[NODES_MAX];
    float *part = malloc((size_t)n * sizeof *part);
    int count = 1;
    leaves[0] = (Leaf){ .count = n };
    tree->count = 1;
    tree->nodes[0].feature = -1;
    find_split(&leaves[0], index, target);
    while (count < most) {
        int best = 0;
        for (int l = 1; l < count; l++)
            if (leaves[l].gain > leaves[best].gain)
                best = l;
        Leaf *leaf = &leaves[best];
        if (leaf->gain <= 0)
            break;
        int i = leaf->first, end = leaf->first + leaf->count;
        for (int j = end; i < j;)
            if (rows[index[i]].bin[leaf->feature] <= leaf->bin) {
                i++;
            } else {
                int s = index[--j];
                index[j] = index[i];
                index[i] = s;
            }
        Node *node = &tree->nodes[leaf->node];
        *node = (Node){ .feature = leaf->feature, .left = tree->count, .right = tree->count + 1, .above = cuts[leaf->feature][leaf->bin] };
        tree->nodes[tree->count].feature = tree->nodes[tree->count + 1].feature = -1;
        leaves[count] = (Leaf){ .first = i, .count = end - i, .node = tree->count + 1 };
        *leaf = (Leaf){ .first = leaf->first, .count = i - leaf->first, .node = tree->count };
        tree->count += 2;
        find_split(leaf, index, target);
        find_split(&leaves[count++], index, target);
    }
    for (int l = 0; l < count; l++) {
        Node *node = &tree->nodes[leaves[l].node];
        for (int i = 0; i < leaves[l].count; i++)
            part[i] = value[index[leaves[l].first + i]];
        node->value = (float)step * quantile(part, leaves[l].count, 0.5);
        node->low = quantile(part, leaves[l].count, 0.06);
        node->high = quantile(part, leaves[l].count, 0.94);
    }
    free(part);
}

static const Node *leaf_of(const Tree *tree, const Row *row)
{
    const Node *node = tree->nodes;
    while (node->feature >= 0)
        node = &tree->nodes[row->f[node->feature] <= node->above ? node->left : node->right];
    return node;
}

/* Trees for the rows outside of a fold (-1: all but those held back); sums: per row, of all rows. */
static void boost(Tree *trees, int fold, float *sums)
{
    int *index = malloc((size_t)row_count * sizeof *index), n = 0;
    float *sign = malloc((size_t)row_count * sizeof *sign), *rest = malloc((size_t)row_count * sizeof *rest);
    for (int i = 0; i < row_count; i++) {
        sums[i] = 0;
        if (rows[i].fold != fold)
            index[n++] = i;
    }
    uint32_t seed = 12345;
    int *sample = malloc((size_t)row_count * sizeof *sample);
    for (int t = 0; t < trees_wanted; t++) {
        int taken = 0;
        for (int i = 0; i < n; i++) {
            int r = index[i];
            rest[r] = (float)rows[r].regs - rows[r].base - sums[r];
            float scale = 1.5f + rows[r].base / 40;
            sign[r] = rest[r] > scale ? 1 : rest[r] < -scale ? -1 : rest[r] / scale;
            seed = seed * 1664525u + 1013904223u;
            if (seed >> 16 & 1 || seed >> 17 & 1)
                sample[taken++] = r;
        }
        grow(&trees[t], sample, taken, sign, rest, leaves_wanted, rate);
        for (int i = 0; i < row_count; i++)
            sums[i] += leaf_of(&trees[t], &rows[i])->value;
    }
    free(index); free(sign); free(rest); free(sample);
}

/* As pressure.c does it. */
static int rounded(const Row *row, float sum)
{
    int p = 2 * (int)floorf((row->base + sum) / 2 + 0.5f);
    return p < 4 ? 4 : p > row->cap ? row->cap : p;
}

/* Of the band: in registers of a kernel that has 32. */
static float scale_of(const Row *row, float sum)
{
    return fmaxf(row->base + sum, 8) / 32;
}

static int warps(int regs, int sm)
{
    int most = sm == 75 ? 32 : sm == 86 || sm == 87 || sm == 88 || sm == 89 || sm >= 120 ? 48 : 64, w = 4 * (16384 / ((32 * (regs < 1 ? 1 : regs) + 255) / 256 * 256));
    return w < most ? w : most;
}

/* Figures of the rows of a set up to so many registers. */
static void tell(const char *set, int most, const float *sums, const Tree *band)
{
    double error = 0;
    int n = 0, exact = 0, near = 0, tenth = 0, step = 0, inside = 0;
    float *widths = malloc((size_t)row_count * sizeof *widths);
    for (int i = 0; i < row_count; i++) {
        if (strcmp(rows[i].set, set) || rows[i].regs > most)
            continue;
        int p = rounded(&rows[i], sums[i]), d = abs(p - rows[i].regs);
        const Node *leaf = leaf_of(band, &rows[i]);
        int low = rounded(&rows[i], sums[i] + leaf->low * scale_of(&rows[i], sums[i])), high = rounded(&rows[i], sums[i] + leaf->high * scale_of(&rows[i], sums[i]));
        widths[n++] = (float)(high - low);
        inside += rows[i].regs >= low && rows[i].regs <= high;
        error += d;
        exact += !d;
        near += d <= 4;
        tenth += 10 * d <= rows[i].regs;
        step += warps(p, rows[i].sm) == warps(rows[i].regs, rows[i].sm);
    }
    if (n)
        fprintf(stderr, "%-8s up to %3d  %6d  mean error %.2f  exact %.1f  within 4 %.1f  within 10%% %.1f  occupancy %.1f  in band %.1f  median width %.0f\n", set,
                most, n, error / n, 100.0 * exact / n, 100.0 * near / n, 100.0 * tenth / n, 100.0 * step / n, 100.0 * inside / n,
                (double)quantile(widths, n, 0.5));
    free(widths);
}

static void put_tree(const Tree *tree, int with_band)
{
    printf("tree %d\n", tree->count);
    for (int i = 0; i < tree->count; i++) {
        const Node *n = &tree->nodes[i];
        if (n->feature >= 0)
            printf("%s %u %d\n", names[n->feature], n->above, n->left);
        else if (with_band)
            printf("= %g %g\n", (double)roundf(n->low * 4) / 4, (double)roundf(n->high * 4) / 4);
        else
            printf("= %.3f\n", (double)n->value);
    }
}

/* Sums of trees that have not seen the row's fold; then those of all rows. */
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
    free(fold_sums);
}

static void fit_band(Tree *band, const float *sums)
{
    int *index = malloc((size_t)row_count * sizeof *index);
    float *rest = malloc((size_t)row_count * sizeof *rest), *size = malloc((size_t)row_count * sizeof *size);
    for (int i = 0; i < row_count; i++) {
        index[i] = i;
        rest[i] = ((float)rows[i].regs - rows[i].base - sums[i]) / scale_of(&rows[i], sums[i]);
        size[i] = fminf(fabsf(rest[i]), 12);
    }
    grow(band, index, row_count, size, rest, 48, 1);
    free(index); free(rest); free(size);
}

int main(int argc, char **argv)
{
    static Tree trees[TREES_MAX], band;
    if (argc < 2)
        return 1;
    read_rows(argv[1]);
    int cap = column("CAP"), aimed = column("AIMED");
    for (int i = 0; i < row_count; i++) {
        rows[i].cap = rows[i].f[cap];
        rows[i].base = (float)(rows[i].f[aimed] + 3 < rows[i].cap ? rows[i].f[aimed] + 3 : rows[i].cap);
    }
    make_bins();
    float *sums = malloc((size_t)row_count * sizeof *sums);
    validate(trees, sums);
    fit_band(&band, sums);
    for (int i = 0; i < row_count; i++)
        if (!i || strcmp(rows[i].set, rows[i - 1].set)) {
            tell(rows[i].set, 64, sums, &band);
            tell(rows[i].set, 255, sums, &band);
        }
    for (int t = 0; t < trees_wanted; t++)
        put_tree(&trees[t], 0);
    puts("band");
    put_tree(&band, 1);
    return 0;
}
