/* The .target directive: an architecture, and options behind it. */
#include "parser/build.h"

static const char *const target_options[] = { "texmode_unified", "texmode_independent", "debug",
                                              "map_f64_to_f32" };

static bool is_target_option(const Parser *p, Span name)
{
    for (size_t i = 0; i < sizeof target_options / sizeof *target_options; i++) {
        if (span_equals(p, name, target_options[i]))
            return true;
    }
    return false;
}

static void check_target_version(Parser *p, Span name, Target target)
{
    uint16_t since = ptx_target_since(target), version = p->header.version;
    if (version >= since || ptx_version_find(version / 10u, version % 10u) != TARGET_KNOWN)
        return;
    ptx_diag(p->diags, DIAG_VERSION_TOO_OLD, name,
             "target `%.*s` needs PTX %d.%d; this module says %d.%d", span_length_of(name),
             span_text_of(p, name), since / 10, since % 10, version / 10, version % 10)
        ->help = ptx_diag_text(p->diags, "write `.version %d.%d` or newer", since / 10, since % 10);
}

/* The targets of a PTX version that the tables know are all known. */
static bool report_no_target_of_version(Parser *p, Span name)
{
    uint16_t version = p->header.version;
    if (!version || ptx_version_find(version / 10u, version % 10u) != TARGET_KNOWN)
        return false;
    ptx_diag(p->diags, DIAG_UNKNOWN_TARGET, name, "PTX %d.%d has no target `%.*s`", version / 10,
             version % 10, span_length_of(name), span_text_of(p, name))
        ->help = "name a target of this version, or write the .version that has it";
    return true;
}

void ptx_build_target(Parser *p, Token directive, Token name)
{
    (void)directive;
    if (!ptx_span_length(p->header.target_span))
        p->header.target_span = ptx_token_span(name);
    Target target;
    switch (ptx_target_find(span_text_of(p, ptx_token_span(name)),
                            ptx_span_length(ptx_token_span(name)), &target)) {
    case TARGET_KNOWN:
        if (!p->header.unit)
            check_target_version(p, ptx_token_span(name), target);
        break;
    case TARGET_NEWER:
        if (report_no_target_of_version(p, ptx_token_span(name)))
            break;
        ptx_diag(p->diags, DIAG_NEWER_VERSION, ptx_token_span(name),
                 "target `%.*s` is newer than our tables", span_length_of(ptx_token_span(name)),
                 span_text_of(p, ptx_token_span(name)));
        break;
    case TARGET_UNKNOWN:
        if (is_target_option(p, ptx_token_span(name)))
            ptx_diag(p->diags, DIAG_UNKNOWN_TARGET, ptx_token_span(name),
                     "a .target names an architecture first, as sm_90");
        else
            ptx_build_target_option(p, name);
        break;
    }
}

void ptx_build_target_option(Parser *p, Token name)
{
    Span here = ptx_token_span(name);
    Target target;
    if (is_target_option(p, here) && p->header.unit)
        return;
    if (is_target_option(p, here)) {
        p->header.is_debug |= span_equals(p, here, "debug");
        p->header.is_texmode_independent |= span_equals(p, here, "texmode_independent");
        p->header.is_texmode_unified |= span_equals(p, here, "texmode_unified");
        if (p->header.is_texmode_independent && p->header.is_texmode_unified)
            ptx_diag(p->diags, DIAG_BAD_DECLARATION, here,
                     "texmode_unified and texmode_independent exclude each other");
        ptx_target_find(span_text_of(p, p->header.target_span),
                        ptx_span_length(p->header.target_span), &target);
        if (span_equals(p, here, "map_f64_to_f32") && target.sm >= 13)
            ptx_diag(p->diags, DIAG_BAD_DECLARATION, here,
                     "map_f64_to_f32 is for targets before sm_13, which lack .f64");
        return;
    }
    TargetStatus status = ptx_target_find(span_text_of(p, ptx_token_span(name)),
                                          ptx_span_length(ptx_token_span(name)), &target);
    if (status == TARGET_KNOWN || status == TARGET_NEWER)
        return;
    Diag *diag = ptx_diag(p->diags, DIAG_UNKNOWN_TARGET, ptx_token_span(name),
                          "there is no target `%.*s`", span_length_of(ptx_token_span(name)),
                          span_text_of(p, ptx_token_span(name)));
    diag->help = "targets are sm_10 to sm_121, with a or f behind some from sm_90 on";
    if (p->header.version > PTX_VERSION_NEWEST)
        diag->severity = SEVERITY_NOTE;
}
