/* page.c -- what a rule says of itself, in Markdown: docs/rules/CODE.md, and what `ptxlint explain`
 * shows. */
#include "cli/cli.h"
#include "support/choice.h"

#include <string.h>

const char *ptx_severity_word(int severity)
{
    switch (severity) {
    case PTXLINT_ERROR:   return "error";
    case PTXLINT_WARNING: return "warning";
    case PTXLINT_NOTE:    return "note";
    default:              return "-";
    }
}

const char *ptx_certainty_word(int certainty)
{
    switch (certainty) {
    case PTXLINT_EXACT:    return "exact";
    case PTXLINT_BOUND:    return "bound";
    case PTXLINT_ESTIMATE: return "estimate";
    default:               return "unknown";
    }
}

/* What a user knows of a finding that needs at least this. */
static const char *certainty_sentence(const ptxlint_rule *rule)
{
    switch (rule->certainty) {
    case PTXLINT_EXACT:
        return "exact: follows from the code, and from the launch where one is given";
    case PTXLINT_BOUND: return "exact, or a bound that the true value does not exceed";
    default:            return "may be an estimate: each finding states its certainty";
    }
}

/* A row of a table: | would end the cell. */
void ptx_put_cell(Text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            ptx_text_put(out, "\\");
        ptx_text_add(out, *text == '\n' ? " " : text, 1);
    }
}

static void put_row(Text *out, const char *name, const char *value)
{
    ptx_text_print(out, "| %s | ", name);
    ptx_put_cell(out, value);
    ptx_text_put(out, " |\n");
}

/* A block that its own text cannot end. */
static void put_code(Text *out, const char *language, const char *text)
{
    const char *fence = strstr(text, "```") ? "~~~~~~" : "```";
    size_t length = strlen(text);
    ptx_text_print(out, "%s%s\n%s%s%s\n\n", fence, language, text,
                   length && text[length - 1] == '\n' ? "" : "\n", fence);
}

enum { CONDITION_WIDTH = 100 };

/* Length of the part of a condition up to the next `and` outside of all brackets and quotes, with
 * the blank behind it. */
static size_t part_length(const char *text)
{
    unsigned depth = 0;
    bool is_quoted = false;
    size_t i = 0;
    for (; text[i]; i++) {
        if (text[i] == '"')
            is_quoted = !is_quoted;
        depth += !is_quoted && strchr("([", text[i]) ? 1 : 0;
        depth -= !is_quoted && depth && strchr(")]", text[i]) ? 1 : 0;
        if (i && !is_quoted && !depth && !strncmp(text + i, " and ", 5))
            return i + 1;
    }
    return i;
}

/* A long one in lines. */
static void put_condition(Text *out, const char *text)
{
    Text lines = { 0 };
    bool is_long = strlen(text) > CONDITION_WIDTH;
    while (*text) {
        size_t length = is_long ? part_length(text) : strlen(text);
        ptx_text_add(&lines, text, length - (text[length] != 0));
        ptx_text_put(&lines, text[length] ? "\n" : "");
        text += length;
    }
    if (lines.length)
        put_code(out, "", lines.bytes);
    out->has_failed |= lines.has_failed;
    ptx_text_free(&lines);
}

/* Text that may or may not end its last line, and an empty line. */
static void put_paragraphs(Text *out, const char *text)
{
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        length--;
    if (length) {
        ptx_text_add(out, text, length);
        ptx_text_put(out, "\n\n");
    }
}

static void put_facts(Text *out, const ptxlint_rule *rule)
{
    ptx_text_put(out, "| | |\n| --- | --- |\n");
    put_row(out, "group", rule->group);
    put_row(out, "severity", ptx_severity_word(rule->severity));
    if (!rule->is_front_end) {
        put_row(out, "certainty", certainty_sentence(rule));
        put_row(out, "subject", rule->subject);
        put_row(out, "on by default",
                rule->is_preview
                    ? "no: a preview rule; enable it with `--preview`, or select it by code or name"
                    : "yes");
    }
    ptx_text_put(out, "\n");
}

static void put_thresholds(Text *out, const ptxlint_rule *rule)
{
    if (!rule->threshold_count)
        return;
    ptx_text_put(out, "## Thresholds\n\n| name | value | meaning |\n| --- | --- | --- |\n");
    for (size_t i = 0; i < rule->threshold_count; i++) {
        const ptxlint_threshold *t = &rule->thresholds[i];
        ptx_text_print(out, "| `%s` | %.15g%s%s | ", t->name, t->value, *t->unit ? " " : "",
                       t->unit);
        ptx_put_cell(out, t->what);
        ptx_text_put(out, " |\n");
    }
    const ptxlint_threshold *first = &rule->thresholds[0];
    ptx_text_print(out,
                   "\nTo set one: `--threshold %s.%s=%.15g`, or `thresholds: { %s.%s: %.15g }` in "
                   "`.ptxlint.yaml`.\n\n",
                   rule->code, first->name, first->value, rule->code, first->name, first->value);
}

static void put_example_code(Text *out, const char *what, const char *language, const char *text)
{
    if (!text)
        return;
    ptx_text_print(out, "%s:\n\n", what);
    put_code(out, language, text);
}

static void put_example(Text *out, const ptxlint_example *example)
{
    if (*example->title)
        ptx_text_print(out, "### %s\n\n", example->title);
    put_example_code(out, "CUDA with a finding", "cuda", example->cuda_bad);
    put_example_code(out, "PTX with a finding", "ptx", example->bad);
    put_example_code(out, "CUDA without", "cuda", example->cuda_good);
    put_example_code(out, "PTX without", "ptx", example->good);
    put_example_code(out, "With this launch file", "json", example->launch);
    if (example->gpu)
        ptx_text_print(out, "With `--gpu %s`.\n\n", example->gpu);
}

static void put_examples(Text *out, const ptxlint_rule *rule)
{
    if (rule->example_count)
        ptx_text_put(out, "## Examples\n\n");
    for (size_t i = 0; i < rule->example_count; i++)
        put_example(out, &rule->examples[i]);
}

static void put_how_to_suppress(Text *out, const ptxlint_rule *rule)
{
    ptx_text_put(out, "## How to suppress it\n\n");
    if (rule->is_front_end && strcmp(rule->group, "suppression")) {
        bool is_unread = rule->severity == PTXLINT_ERROR && strcmp(rule->group, "budget") != 0;
        ptx_text_print(out, "It cannot be suppressed%s.\n\n",
                       ptx_text_if(is_unread, ": this part of the file could not be read"));
        return;
    }
    ptx_text_print(out,
                   "- In one place: a comment on its line, or on the one before, `// ptxlint: "
                   "ignore[%s] reason`; in CUDA "
                   "`asm volatile(\"// ptxlint: ignore[%s] reason\");`\n",
                   rule->code, rule->code);
    ptx_text_print(out,
                   "- In a kernel, or in a file: `// ptxlint: ignore-kernel[%s] reason`, `// "
                   "ptxlint: ignore-file[%s] reason`\n",
                   rule->code, rule->code);
    ptx_text_print(out, "- Everywhere: `--ignore %s`, or `ignore: [%s]` in `.ptxlint.yaml`\n\n",
                   rule->code, rule->code);
}

static void put_sources(Text *out, const ptxlint_rule *rule)
{
    if (!rule->source_count)
        return;
    ptx_text_put(out, "## Sources\n\n");
    for (size_t i = 0; i < rule->source_count; i++)
        ptx_text_print(out, "- %s\n", rule->sources[i]);
    ptx_text_put(out, "\n");
}

void ptx_page_write(Text *out, const ptxlint_rule *rule)
{
    ptx_text_print(out, "# %s %s\n\n", rule->code, rule->name);
    put_paragraphs(out, rule->summary);
    put_facts(out, rule);
    if (*rule->condition) {
        ptx_text_put(out, "Fires when:\n\n");
        put_condition(out, rule->condition);
    }
    put_paragraphs(out, rule->doc);
    put_thresholds(out, rule);
    put_examples(out, rule);
    put_how_to_suppress(out, rule);
    put_sources(out, rule);
    if (out->length && !out->has_failed)
        out->bytes[--out->length] = 0;  /* no empty line at the end */
}
