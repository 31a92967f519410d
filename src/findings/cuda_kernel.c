#include "findings/cuda_kernel.h"

#include "findings/cuda_comment.h"
#include "findings/source_book.h"
#include "ir/func.h"
#include "ir/insn.h"
#include "support/demangle.h"
#include "support/limits.h"
#include "support/words.h"

#include <string.h>

static const char mark[] = "__global__";

enum { SOURCE_NAME_BYTES_MAX = 64 };

typedef struct KernelScan {
    Arena *arena;
    const char *text, *code;    /* code: comments, literals and directives are blank */
    uint32_t length, pos;
    uint32_t counted, line;     /* line: of the byte `counted` */
    CudaKernels found;
} KernelScan;

static bool is_cuda_word(const KernelScan *s, Span word, const char *text)
{
    const size_t length = strlen(text);
    return ptx_span_length(word) == length && !memcmp(s->code + word.begin, text, length);
}

static bool is_cuda_byte(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (ptx_ascii_lower(c) >= 'a'
                                                  && ptx_ascii_lower(c) <= 'z');
}

static Span word_at(const KernelScan *s, uint32_t pos, uint32_t end)
{
    Span word = { pos, pos };
    while (word.end < end && is_cuda_byte(s->code[word.end]))
        word.end++;
    return word;
}

static void skip_cuda_space(KernelScan *s)
{
    while (s->pos < s->length && strchr(" \t\r\n", s->code[s->pos]) && s->code[s->pos])
        s->pos++;
}

static uint32_t cuda_line_at(KernelScan *s, uint32_t pos)
{
    for (; s->counted < pos; s->counted++)
        s->line += s->text[s->counted] == '\n';
    return s->line;
}

/* ---- a parameter ----------------------------------------------------------------------------- */

/* Words that say nothing of whether a name follows, then types of one word. */
static bool is_qualifier(const KernelScan *s, Span word)
{
    static const char *const words[] = { "const", "volatile", "__restrict__", "__restrict",
                                         "restrict", "__grid_constant__", "struct", "class",
                                         "typename", "enum", "union", "register" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_cuda_word(s, word, words[i]))
            return true;
    return false;
}

static bool is_type_word(const KernelScan *s, Span word)
{
    static const char *const words[] = { "int", "unsigned", "signed", "char", "short", "long",
                                         "float", "double", "bool", "void", "auto" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_cuda_word(s, word, words[i]))
            return true;
    return false;
}

/* What of a parameter was read by now. */
typedef struct ParamScan {
    Span last;                  /* word that may be its name */
    unsigned types;             /* words, pointers and brackets before that */
    bool is_pointer, is_scoped, is_odd;
} ParamScan;

static void take_param_word(const KernelScan *s, ParamScan *p, Span word)
{
    if (is_qualifier(s, word))
        return;
    p->types += ptx_span_length(p->last) != 0;
    p->last = p->is_scoped ? (Span){ 0, 0 } : word;
    p->types += p->is_scoped;
    p->is_scoped = false;
}

/* Of TYPE... NAME, without a default and brackets behind the name. */
static CudaParam param_of(const KernelScan *s, Span piece)
{
    ParamScan p = { .types = 0 };
    unsigned depth = 0;
    for (uint32_t at = piece.begin; at < piece.end && !(s->code[at] == '=' && !depth); at++) {
        const char c = s->code[at];
        depth += c == '<';
        depth -= c == '>' && depth;
        p.is_odd |= c == '(' || c == '{' || c == '.' || c == '&';
        if (depth || c == '>' || c == '*') {
            p.types += ptx_span_length(p.last) ? 2 : 1;
            p.last = (Span){ 0, 0 };
            p.is_pointer |= c == '*' && !depth;
        } else if (c == ':') {
            p.last = (Span){ 0, 0 };
            p.is_scoped = true;
        } else if (c == '[') {
            p.is_pointer = true;
            break;
        } else if (is_cuda_byte(c)) {
            const Span word = word_at(s, at, piece.end);
            take_param_word(s, &p, word);
            at = word.end - 1;
        }
    }
    const bool is_name = p.types && !p.is_odd && ptx_span_length(p.last)
                         && !is_type_word(s, p.last);
    return (CudaParam){ is_name ? p.last : (Span){ 0, 0 }, p.is_pointer };
}

/* ---- a kernel -------------------------------------------------------------------------------- */

/* Behind the bracket that closes the one at pos; false: there is none. */
static bool skip_brackets(KernelScan *s, char open, char close)
{
    unsigned depth = 0;
    while (s->pos < s->length) {
        const char c = s->code[s->pos];
        if (c == ';')
            return false;
        depth += c == open;
        depth -= c == close;
        s->pos++;
        if (!depth)
            return true;
    }
    return false;
}

/* What commas part that no bracket encloses. */
static void read_params(KernelScan *s, CudaKernel *kernel, Span inside)
{
    uint32_t capacity = 0, begin = inside.begin;
    unsigned depth = 0;
    for (uint32_t at = inside.begin; at <= inside.end; at++) {
        const char c = at < inside.end ? s->code[at] : ',';
        depth += c && strchr("(<[{", c);
        depth -= depth && c && strchr(")>]}", c);
        if (c != ',' || (depth && at < inside.end))
            continue;
        if (s->found.param_count == LIMIT_CUDA_PARAMS) {
            kernel->param_count = 0;
            return;
        }
        if (kernel->param_count == capacity)
            kernel->params = ptx_arena_grow(s->arena, kernel->params, kernel->param_count,
                                            &capacity, sizeof *kernel->params);
        kernel->params[kernel->param_count++] = param_of(s, (Span){ begin, at });
        s->found.param_count++;
        begin = at + 1;
    }
}

static void keep_cuda_kernel(KernelScan *s, uint32_t at, Span name, Span inside)
{
    CudaKernel kernel = { .name = name, .line = cuda_line_at(s, at) };
    if (memchr(s->text + inside.begin, '#', ptx_span_length(inside)))
        return;                         /* a directive may choose among them */
    read_params(s, &kernel, inside);
    if (!kernel.param_count)
        return;
    if (s->found.count == s->found.capacity)
        s->found.items = ptx_arena_grow(s->arena, s->found.items, s->found.count,
                                        &s->found.capacity, sizeof *s->found.items);
    s->found.items[s->found.count++] = kernel;
}

/* NAME( ... ) with a body behind it; what else has brackets is an attribute, or a macro. */
static void read_cuda_kernel(KernelScan *s)
{
    const uint32_t at = s->pos;
    Span name = { 0, 0 };
    s->pos += sizeof mark - 1;
    while (skip_cuda_space(s), s->pos < s->length && !strchr("{};", s->code[s->pos])) {
        const uint32_t begin = s->pos;
        if (is_cuda_byte(s->code[begin])) {
            name = word_at(s, begin, s->length);
            s->pos = name.end;
        } else if (s->code[begin] == '<') {
            if (!skip_brackets(s, '<', '>'))    /* arguments of a template, behind its name */
                return;
        } else if (s->code[begin] != '(') {
            s->pos++;
        } else {
            if (!skip_brackets(s, '(', ')'))
                return;
            const uint32_t end = s->pos - 1;
            skip_cuda_space(s);
            if (s->pos < s->length && s->code[s->pos] == '{' && ptx_span_length(name))
                keep_cuda_kernel(s, at, name, (Span){ begin + 1, end });
        }
    }
}

CudaKernels ptx_cuda_kernels_read(Arena *arena, const char *text, uint32_t length)
{
    KernelScan s = { .arena = arena, .text = text, .length = length, .line = 1 };
    if (!strstr(text, mark))
        return s.found;
    s.code = ptx_cuda_code_read(arena, text, length);
    while (s.pos < length) {
        const char *next = strstr(s.code + s.pos, mark);
        if (!next)
            break;
        s.pos = (uint32_t)(next - s.code);
        read_cuda_kernel(&s);
    }
    return s.found;
}

/* ---- parameters of a module ------------------------------------------------------------------ */

/* The first line of the function's own code; NULL. */
static const Loc *own_loc(const Module *module, const Func *func)
{
    for (InsnId i = 0; i < func->insn_count; i++) {
        const Loc *loc = &module->locs[ptx_insn_loc(module, &func->insns[i])];
        if (loc->line && !loc->inlined_line)
            return loc;
    }
    return NULL;
}

/* The last that begins at a line or before it; NULL. */
static const CudaKernel *kernel_at(const CudaKernels *kernels, uint32_t line)
{
    uint32_t low = 0, high = kernels->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (kernels->items[middle].line <= line)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &kernels->items[low - 1] : NULL;
}

static bool has_name(const Module *module, const Func *func, const BookFile *file,
                     const CudaKernel *kernel)
{
    char own[MANGLED_BYTES_MAX + 1], plain[256];
    const uint32_t length = ptx_span_length(func->name), wanted = ptx_span_length(kernel->name);
    if (length > MANGLED_BYTES_MAX || wanted >= sizeof plain)
        return false;
    memcpy(own, module->text + func->name.begin, length);
    own[length] = '\0';
    const char *shown = ptx_demangle(own, NAME_PLAIN, plain, sizeof plain) ? plain : own;
    return strlen(shown) == wanted && !memcmp(shown, file->bytes + kernel->name.begin, wanted);
}

static bool has_params(const Module *module, const Func *func, const CudaKernel *kernel)
{
    bool is_same = func->param_count == kernel->param_count;
    for (uint32_t i = 0; is_same && i < func->param_count; i++)
        is_same = func->params[i] != NO_ID
                  && (!kernel->params[i].is_pointer
                      || module->vars[func->params[i]].bytes * 8 == module->address_size);
    return is_same;
}

static void name_kernel_params(Arena *arena, const Module *module, const Func *func,
                        const BookFile *file, const Loc *loc)
{
    const CudaKernel *kernel = kernel_at(&file->kernels, loc->line);
    if (!kernel || !has_params(module, func, kernel) || !has_name(module, func, file, kernel))
        return;
    for (uint32_t i = 0; i < func->param_count; i++) {
        const Span name = kernel->params[i].name;
        if (ptx_span_length(name) && ptx_span_length(name) <= SOURCE_NAME_BYTES_MAX)
            module->vars[func->params[i]].source_name =
                ptx_arena_strndup(arena, file->bytes + name.begin, ptx_span_length(name));
    }
}

void ptx_cuda_name_params(Arena *arena, Arena *scratch, const Module *module,
                          ptxlint_sources *book, const char *path)
{
    const ArenaMark before = ptx_arena_mark(scratch);
    const BookFile **files = ptx_arena_array(scratch, const BookFile *, module->file_count + 1);
    bool *is_asked = ptx_arena_array(scratch, bool, module->file_count + 1);
    for (FuncId f = 0; module->file_count <= LIMIT_CUDA_FILES && f < module->func_count; f++) {
        const Func *func = &module->funcs[f];
        const Loc *loc = func->is_entry && func->param_count ? own_loc(module, func) : NULL;
        const File *file = loc ? ptx_loc_file(module, loc) : NULL;
        if (!file)
            continue;
        const size_t number = (size_t)(file - module->files);
        if (!is_asked[number])
            files[number] = ptx_source_book_file(
                book, ptx_arena_strndup(scratch, module->text + file->path.begin,
                                        ptx_span_length(file->path)), path);
        is_asked[number] = true;
        if (files[number] && files[number]->kernels.count)
            name_kernel_params(arena, module, func, files[number], loc);
    }
    ptx_arena_release(scratch, before);
}
