#include "check/check_module.h"

#include "check/check_decl.h"
#include "check/sreg.h"
#include "ir/func.h"
#include "ir/module.h"
#include "support/diag.h"

#include <string.h>
#include <stdint.h>

static bool span_is(const char *text, Span span, const char *word)
{
    size_t length = strlen(word);
    return ptx_span_length(span) == length && !memcmp(text + span.begin, word, length);
}

bool ptx_check_gate(const ModuleCheck *c, Span where, const char *what, unsigned version,
                    unsigned sm)
{
    const Module *m = c->module;
    if (m->version && m->version < version) {
        ptx_diag(c->diags, DIAG_VERSION_TOO_OLD, where,
                 "%s needs PTX %u.%u; this module says %d.%d", what, version / 10, version % 10,
                 m->version / 10, m->version % 10)
            ->help = ptx_diag_text(c->diags, "write `.version %u.%u` or newer", version / 10,
                                   version % 10);
        return false;
    }
    if (m->target.sm && m->target.sm < sm) {
        ptx_diag(c->diags, DIAG_TARGET_TOO_OLD, where,
                 "%s needs sm_%u; this module is for sm_%d%.1s", what, sm, m->target.sm,
                 &m->target.suffix);
        return false;
    }
    return true;
}

bool ptx_check_name(const ModuleCheck *c, Span name)
{
    if (!span_is(c->text, name, "_") && !span_is(c->text, name, "WARP_SZ")
        && !span_is(c->text, name, "function_name") && !span_is(c->text, name, "inlined_at"))
        return true;
    ptx_diag(c->diags, DIAG_BAD_DECLARATION, name,
             "`%.*s` is a word of PTX, not a name that can be declared", (int)ptx_span_length(name),
             c->text + name.begin);
    return false;
}

/* ptxas knows the special registers of all its versions, whatever the module's. */
bool ptx_check_module_name(const ModuleCheck *c, Span name)
{
    enum { VERSION_OF_PTXAS = 90 };
    int64_t component;
    SregId sreg = ptx_sreg_find(c->text + name.begin, ptx_span_length(name), "", 0, &component);
    if (!sreg || ptx_sreg_info[sreg].version > ptx_u32_max(c->module->version, VERSION_OF_PTXAS))
        return ptx_check_name(c, name);
    ptx_diag(c->diags, DIAG_REDECLARED, name,
             "`%.*s` is a special register, and no function or variable of the module",
             ptx_span_shown(name), c->text + name.begin);
    return false;
}

/* ---- performance directives ------------------------------------------------------------------ */

typedef struct Directive {
    const char *name;
    uint8_t since, until;       /* .version, 10 * major + minor; until: the last one, 0: still */
    uint8_t sm;
    uint8_t value_most;
    bool for_entry, for_func;
    bool takes_zero;
} Directive;

static const Directive directives[] = {
    /*                        since until sm  values entry  func   zero */
    { ".maxntid",             13,   0,    10, 3,     true,  false, false },
    { ".reqntid",             21,   0,    10, 3,     true,  false, false },
    { ".maxnreg",             13,   0,    10, 1,     true,  false, false },
    { ".minnctapersm",        20,   0,    10, 1,     true,  false, false },
    { ".maxnctapersm",        13,   20,   10, 1,     true,  false, false },
    { ".reqnctapercluster",   78,   0,    90, 3,     true,  false, true },
    { ".maxclusterrank",      78,   0,    90, 1,     true,  false, true },
    { ".explicitcluster",     78,   0,    90, 0,     true,  false, true },
    { ".blocksareclusters",   90,   0,    90, 0,     true,  false, true },
    { ".minperctamemory",     94,   0,    80, 1,     true,  false, true },
    { ".noreturn",            64,   0,    30, 0,     false, true,  true },
    { ".abi_preserve",        90,   0,    80, 1,     false, true,  true },
    { ".abi_preserve_control", 90,  0,    80, 1,     false, true,  true },
};

static const Directive *find_directive(const ModuleCheck *c, const AstAttribute *a)
{
    for (size_t d = 0; d < sizeof directives / sizeof *directives; d++) {
        if (span_is(c->text, a->name, directives[d].name))
            return &directives[d];
    }
    return NULL;
}

void ptx_bounds_read(const ModuleCheck *c, const AstAttribute *attribute, Bounds *bounds)
{
    for (; attribute; attribute = attribute->next) {
        const uint32_t *values = attribute->values;
        uint32_t *shape = NULL;
        if (span_is(c->text, attribute->name, ".maxntid"))
            shape = bounds->maxntid;
        else if (span_is(c->text, attribute->name, ".reqntid"))
            shape = bounds->reqntid;
        else if (span_is(c->text, attribute->name, ".reqnctapercluster"))
            shape = bounds->reqnctapercluster;
        else if (span_is(c->text, attribute->name, ".minnctapersm"))
            bounds->minnctapersm = values[0];
        else if (span_is(c->text, attribute->name, ".maxnreg"))
            bounds->maxnreg = values[0];
        else if (span_is(c->text, attribute->name, ".maxclusterrank"))
            bounds->maxclusterrank = values[0];
        else if (span_is(c->text, attribute->name, ".noreturn"))
            bounds->noreturn = true;
        else if (span_is(c->text, attribute->name, ".explicitcluster"))
            bounds->explicitcluster = true;
        else if (span_is(c->text, attribute->name, ".blocksareclusters"))
            bounds->blocksareclusters = true;
        for (int i = 0; shape && i < 3; i++)
            shape[i] = i < attribute->value_count ? values[i] : 1;
    }
}

/* Whether one that bounds the launch is given twice. */
bool ptx_bounds_repeat(const ModuleCheck *c, const AstAttribute *attribute)
{
    for (; attribute; attribute = attribute->next) {
        size_t length = ptx_span_length(attribute->name);
        for (const AstAttribute *other = attribute->value_count ? attribute->next : NULL; other;
             other = other->next)
            if (ptx_span_length(other->name) == length
                && !memcmp(c->text + other->name.begin, c->text + attribute->name.begin, length))
                return true;
    }
    return false;
}

static const AstAttribute *find_attribute(const ModuleCheck *c, const AstFunc *ast,
                                          const char *name)
{
    const AstAttribute *a = ast->attributes;
    while (a && !span_is(c->text, a->name, name))
        a = a->next;
    return a;
}

static void check_directive(const ModuleCheck *c, const AstFunc *ast, const AstAttribute *a,
                            bool is_entry)
{
    const Directive *d = find_directive(c, a);
    if (!d)
        return;
    bool has_zero = false;
    for (int i = 0; i < a->value_count; i++)
        has_zero |= !a->values[i];
    if (is_entry ? !d->for_entry : !d->for_func) {
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, a->span, "`%s` is for %s", d->name,
                 d->for_entry ? "an .entry" : "a .func");
    } else if (a->value_count > d->value_most) {
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, a->span, "`%s` takes one number", d->name);
    } else if (d->until && c->module->version > d->until) {
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, a->span, "`%s` ended with PTX %d.%d", d->name,
                 d->until / 10, d->until % 10)
            ->help = "write `.minnctapersm`";
    } else if (has_zero && !d->takes_zero) {
        Diag *diag = ptx_diag(c->diags, DIAG_BAD_DECLARATION, a->after,
                              "`%s` takes numbers from 1 on", d->name);
        ptx_diag_relate(c->diags, diag, a->span, "given here");
    } else if (!strcmp(d->name, ".noreturn") && ast->results) {
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, a->span,
                 "a function that does not return has no result");
    } else {
        ptx_check_gate(c, a->after, ptx_diag_text(c->diags, "`%s`", d->name), d->since, d->sm);
    }
}

/* Two directives that exclude each other, reported at where, or at the second of them. */
static void check_conflict(const ModuleCheck *c, const AstFunc *ast, const char *one,
                           const char *other, const Span *where)
{
    const AstAttribute *a = find_attribute(c, ast, one), *b = find_attribute(c, ast, other);
    if (!a || !b)
        return;
    const AstAttribute *second = a->span.begin > b->span.begin ? a : b;
    Diag *diag = ptx_diag(c->diags, DIAG_BAD_DECLARATION, where ? *where : second->after,
                          "`%s` and `%s` cannot both be given", one, other);
    ptx_diag_relate(c->diags, diag, a->span, "one is here");
    ptx_diag_relate(c->diags, diag, b->span, "the other is here");
}

void ptx_check_bounds(const ModuleCheck *c, const AstFunc *ast, const Bounds *bounds)
{
    uint32_t errors = ptx_diag_errors(c->diags);
    for (const AstAttribute *a = ast->attributes; a; a = a->next)
        check_directive(c, ast, a, ast->is_entry);
    if (!ast->is_entry || !ast->attributes || ptx_diag_errors(c->diags) != errors)
        return;
    const Span end = { ast->span.end - 1, ast->span.end };      /* the `}` or `;` */
    if (!ast->body) {
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, end,
                 "directives of an .entry stand where its body follows, not in a declaration");
        return;
    }
    check_conflict(c, ast, ".maxntid", ".reqntid", &end);
    check_conflict(c, ast, ".reqnctapercluster", ".maxclusterrank", NULL);
    const AstAttribute *blocks = find_attribute(c, ast, ".blocksareclusters");
    if (blocks && !(bounds->reqntid[0] && find_attribute(c, ast, ".reqnctapercluster"))) {
        Diag *diag = ptx_diag(
            c->diags, DIAG_BAD_DECLARATION, end,
            "`.blocksareclusters` needs `.reqntid` and `.reqnctapercluster` beside it");
        ptx_diag_relate(c->diags, diag, blocks->span, "given here");
    }
}

void ptx_check_prototype(const ModuleCheck *c, const AstFunc *prototype)
{
    for (const AstAttribute *a = prototype->attributes; a; a = a->next)
        check_directive(c, prototype, a, false);
    ptx_check_params(c, prototype);
    if (!span_is(c->text, prototype->name, "_"))
        ptx_diag(c->diags, DIAG_BAD_DECLARATION, prototype->name,
                 "a .callprototype has `_` for the name of the function");
}
