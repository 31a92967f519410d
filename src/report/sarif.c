/* Diagnostics as SARIF. The worst results of all modules are kept as text, since a file that holds
 * too many is rejected, and since the rules, which stand before them, are those that they name. */
#include "report/sarif.h"

#include "support/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct SarifRule {
    char *code;
    Buffer text;                /* the descriptor */
    bool is_used;               /* by a result that is kept */
    uint32_t index;             /* among those */
} SarifRule;

struct Sarif {
    const ptxlint_rules *user_rules;
    const char *docs_url;       /* NULL */
    Keep keep;
    SarifRule *rules;
    size_t rule_count, rule_capacity;
    char target[32];            /* of all modules so far */
    bool has_module, has_different_targets;
    bool is_location_cut;
};

Sarif *ptx_sarif_new(const ptxlint_write_options *options)
{
    Sarif *sarif = calloc(1, sizeof *sarif);
    if (!sarif)
        return NULL;
    sarif->user_rules = options->rules;
    sarif->docs_url = options->docs_url;
    sarif->keep.limit = SARIF_RESULTS;
    return sarif;
}

void ptx_sarif_free(Sarif *sarif)
{
    if (!sarif)
        return;
    ptx_top_k_free(&sarif->keep);
    for (size_t i = 0; i < sarif->rule_count; i++) {
        free(sarif->rules[i].code);
        free(sarif->rules[i].text.bytes);
    }
    free(sarif->rules);
    free(sarif);
}

/* ---- modules --------------------------------------------------------------------------------- */

/* A name that may stand between the slashes of an id. */
static bool is_plain(const char *target)
{
    size_t length = strspn(target, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return length && !target[length] && length < sizeof ((Sarif *)0)->target;
}

static void note_sarif_target(Sarif *sarif, const char *target)
{
    if (!is_plain(target) || (sarif->has_module && strcmp(sarif->target, target) != 0))
        sarif->has_different_targets = true;
    else
        memcpy(sarif->target, target, strlen(target) + 1);
    sarif->has_module = true;
}

void ptx_sarif_begin(Sarif *sarif, const ptxlint_module *module)
{
    note_sarif_target(sarif, ptxlint_module_get_info(module)->target);
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool rule_render(const Sarif *sarif, const ptxlint_diagnostic *diagnostic, Buffer *buffer)
{
    const ptxlint_rule *rule = ptxlint_rule_find(sarif->user_rules, diagnostic->rule);
    Out out;
    Json json;
    ptx_out_init(&out, ptx_buffer_write, buffer);
    ptx_json_init(&json, &out);
    if (rule)
        ptx_sarif_rule(&json, rule, sarif->docs_url);
    else
        ptx_sarif_rule_of(&json, diagnostic);
    ptx_out_flush(&out);
    return out.status == PTXLINT_OK;
}

static bool rules_have_room(Sarif *sarif)
{
    return ptx_list_reserve(&sarif->rules, &sarif->rule_capacity, sarif->rule_count + 1,
                            sizeof *sarif->rules);
}

/* The number of the finding's rule, described now if it is new, for its module may be gone
 * later. */
static ptxlint_status rule_number(Sarif *sarif, const ptxlint_diagnostic *diagnostic,
                                  uint32_t *number)
{
    for (*number = 0; *number < sarif->rule_count; ++*number)
        if (!strcmp(sarif->rules[*number].code, diagnostic->rule))
            return PTXLINT_OK;
    if (!rules_have_room(sarif))
        return PTXLINT_NO_MEMORY;
    SarifRule rule = { .code = strdup(diagnostic->rule) };
    if (!rule.code || !rule_render(sarif, diagnostic, &rule.text)) {
        free(rule.code);
        free(rule.text.bytes);
        return PTXLINT_NO_MEMORY;
    }
    sarif->rules[sarif->rule_count++] = rule;
    return PTXLINT_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

static ptxlint_status result_render(Sarif *sarif, const Finding *finding, Buffer *buffer)
{
    Out out;
    Fingerprint line;
    ptxlint_status status = ptx_finding_line_hash(finding, &line);
    if (status != PTXLINT_OK)
        return status;
    ptx_out_init(&out, ptx_buffer_write, buffer);
    ptx_sarif_result(&out, finding, line.text, &sarif->is_location_cut);
    ptx_out_flush(&out);
    return out.status == PTXLINT_OK ? PTXLINT_OK : PTXLINT_NO_MEMORY;
}

ptxlint_status ptx_sarif_add(Sarif *sarif, const Finding *finding)
{
    Rank rank;
    uint32_t rule;
    Buffer buffer = { 0 };
    if (!ptx_top_k_offer(&sarif->keep, finding->diagnostic, &rank))
        return PTXLINT_OK;
    ptxlint_status status = rule_number(sarif, finding->diagnostic, &rule);
    if (status == PTXLINT_OK)
        status = result_render(sarif, finding, &buffer);
    if (status == PTXLINT_OK)
        return ptx_top_k_add(&sarif->keep, &rank, rule, &buffer);
    free(buffer.bytes);
    return status;
}

/* ---- the document ---------------------------------------------------------------------------- */

static void put_sarif_rules(Sarif *sarif, Out *out)
{
    bool has_item = false;
    uint32_t index = 0;
    for (size_t i = 0; i < sarif->keep.count; i++)
        sarif->rules[sarif->keep.items[i].rule].is_used = true;
    for (size_t i = 0; i < sarif->rule_count; i++) {
        SarifRule *rule = &sarif->rules[i];
        if (!rule->is_used)
            continue;
        rule->index = index++;
        ptx_out_separator(out, &has_item);
        ptx_out_bytes(out, rule->text.bytes, rule->text.length);
    }
}

static void put_results(const Sarif *sarif, Out *out)
{
    bool has_item = false;
    Json json;
    for (size_t i = 0; i < sarif->keep.count; i++) {
        const Kept *kept = &sarif->keep.items[i];
        const SarifRule *rule = &sarif->rules[kept->rule];
        ptx_out_separator(out, &has_item);
        ptx_out_text(out, "{\"ruleId\":");
        ptx_json_text(ptx_json_init(&json, out), NULL, rule->code);
        ptx_out_format(out, ",\"ruleIndex\":%" PRIu32 ",", rule->index);
        ptx_out_bytes(out, kept->text, kept->length);
        ptx_out_text(out, "}");
    }
}

static void put_notification(Json *json, const char *key, const char *text)
{
    ptx_json_object(json, key);
    ptx_json_text(json, "level", "warning");
    ptx_sarif_message(json, "message", text, "");
    ptx_json_end(json);
}

static void put_notifications(Json *json, const char *key, const Sarif *sarif)
{
    char text[160];
    uint64_t more = sarif->keep.seen - sarif->keep.count;
    ptx_json_array(json, key);
    if (more) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " results are left out: a run holds %d, and these are the worst.", more,
                 (int)SARIF_RESULTS);
        put_notification(json, NULL, text);
    }
    if (sarif->is_location_cut) {
        snprintf(text, sizeof text,
                 "Some results have more than %d related locations; the first ones are kept.",
                 (int)SARIF_LOCATIONS);
        put_notification(json, NULL, text);
    }
    ptx_json_end(json);
}

static void put_invocations(Json *json, const char *key, const Sarif *sarif)
{
    ptx_json_array(json, key);
    ptx_json_object(json, NULL);
    ptx_json_bool(json, "executionSuccessful", true);
    put_notifications(json, "toolExecutionNotifications", sarif);
    ptx_json_end(json);
    ptx_json_end(json);
}

static void put_bases(Json *json, const char *key)
{
    ptx_json_object(json, key);
    ptx_json_object(json, "%SRCROOT%");
    ptx_sarif_message(json, "description",
                      "The folder that ptxlint ran in: the root of the repository.", "");
    ptx_json_end(json);
    ptx_json_end(json);
}

static void put_automation(Json *json, const char *key, const Sarif *sarif)
{
    char id[64] = "ptxlint/";
    if (sarif->has_module && !sarif->has_different_targets)
        snprintf(id, sizeof id, "ptxlint/%s/", sarif->target);
    ptx_json_object(json, key);
    ptx_json_text(json, "id", id);
    ptx_json_end(json);
}

static void put_run(const Sarif *sarif, Out *out)
{
    Json own, *json = ptx_json_init(&own, out);
    put_invocations(json, "invocations", sarif);
    put_automation(json, "automationDetails", sarif);
    put_bases(json, "originalUriBaseIds");
    ptx_json_text(json, "columnKind", "utf16CodeUnits");
}

void ptx_sarif_finish(Sarif *sarif, Out *out, const Buffer *properties)
{
    ptx_top_k_close(&sarif->keep);
    ptx_out_text(out, "{\"$schema\":\"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                      "schemas/sarif-schema-2.1.0.json\","
                      "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"ptxlint\","
                      "\"semanticVersion\":\"");
    ptx_out_text(out, ptxlint_version());
    ptx_out_text(out, "\",\"rules\":[");
    put_sarif_rules(sarif, out);
    ptx_out_text(out, "]}},\n");
    put_run(sarif, out);
    ptx_out_text(out, ",\n\"results\":[");
    put_results(sarif, out);
    ptx_out_text(out, "]");
    if (properties->length) {
        ptx_out_text(out, ",\n\"properties\":{");
        ptx_out_bytes(out, properties->bytes, properties->length);
        ptx_out_text(out, "}");
    }
    ptx_out_text(out, "}]}\n");
}
