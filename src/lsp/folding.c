/* folding.c -- what folds: bodies, scopes, debug sections, initialisers, runs of comments. */
#include "lsp/server.h"

typedef struct FoldRun {
    LspDocument *d;
    json_t *list;
    uint32_t open[64];          /* lines of the braces that are open */
    unsigned depth;
    uint32_t comment_begin, comment_end;        /* lines of the run in hand */
    bool has_comment;
} FoldRun;

static void fold(FoldRun *f, uint32_t from, uint32_t to, const char *kind)
{
    if (to <= from)
        return;
    json_t *range = json_pack("{s:I, s:I}", "startLine", (json_int_t)from, "endLine",
                              (json_int_t)to);
    if (kind)
        json_object_set_new(range, "kind", json_string(kind));
    json_array_append_new(f->list, range);
}

static void end_comments(FoldRun *f)
{
    if (f->has_comment)
        fold(f, f->comment_begin, f->comment_end, "comment");
    f->has_comment = false;
}

static void take_comment(FoldRun *f, ptxlint_span span)
{
    uint32_t from = ptx_lsp_line(f->d, span.begin),
             to = ptx_lsp_line(f->d, span.end > span.begin ? span.end - 1 : span.end);
    if (f->has_comment && from > f->comment_end + 1)
        end_comments(f);
    if (!f->has_comment)
        f->comment_begin = from;
    f->comment_end = to;
    f->has_comment = true;
}

/* The closing brace stays in sight. */
static void take_brace(FoldRun *f, char brace, uint32_t offset)
{
    uint32_t line = ptx_lsp_line(f->d, offset);
    const unsigned most = sizeof f->open / sizeof *f->open;
    if (brace == '{') {
        if (f->depth < most)
            f->open[f->depth] = line;
        f->depth++;
    } else if (brace == '}' && f->depth) {
        f->depth--;
        if (f->depth < most && line)
            fold(f, f->open[f->depth], line - 1, "region");
    }
}

void ptx_lsp_folding(LspServer *server, LspDocument *d, const json_t *params, LspAnswer *answer)
{
    size_t count;
    (void)server, (void)params;
    if (d->language != LANGUAGE_PTX)
        return;
    const ptxlint_tokens *tokens = ptx_document_tokens(d);
    const ptxlint_token *all = tokens ? ptxlint_tokens_all(tokens, &count) : NULL;
    FoldRun f = { .d = d, .list = json_array() };
    for (size_t i = 0; all && i < count; i++) {
        if (all[i].kind == PTXLINT_TOKEN_COMMENT) {
            take_comment(&f, all[i].span);
            continue;
        }
        end_comments(&f);
        if (all[i].kind == PTXLINT_TOKEN_PUNCTUATION)
            take_brace(&f, d->text[all[i].span.begin], all[i].span.begin);
    }
    end_comments(&f);
    answer->result = f.list;
}
