/* show.c -- which settings hold for a path, and a first config file. */
#include "cli/cli.h"
#include "cli/rule_json.h"
#include "support/choice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- init ------------------------------------------------------------------------------------ */

static const char first_config[] =
    "# Settings of ptxlint for the PTX files in this folder and below. `ptxlint rules` lists the "
    "rules, `ptxlint explain CODE` describes\n"
    "# one, `ptxlint config show PATH` shows the effective settings. A rule is named by its code, "
    "the beginning of it, its name or its group.\n"
    "\n"
    "# Settings for a purpose, under what this file says: ci, generated, perf, strict.\n"
    "#preset: ci\n"
    "\n"
    "# Only these. Without it: all but previews.\n"
    "#select: [correctness, throughput, COR101]\n"
    "\n"
    "# Not these.\n"
    "#ignore: [hygiene, full-precision-in-loop]\n"
    "\n"
    "# Preview rules, too.\n"
    "#preview: true\n"
    "\n"
    "# How severe a rule's findings are: error, warning or note.\n"
    "#severity: { COR101: error }\n"
    "\n"
    "# Numbers that rules compare with; `ptxlint explain CODE` lists them.\n"
    "#thresholds: { OCC103.threads: 32 }\n"
    "\n"
    "# Not in these kernels, CUDA files (with lines, where they are given) and PTX files: these "
    "findings are suppressed.\n"
    "#per-kernel-ignore: { \"cutlass_*\": [throughput] }\n"
    "#per-source-ignore: { \"src/kernel.cu:40-55\": [ALL] }\n"
    "#per-file-ignore: { \"third_party/*\": [hygiene] }\n"
    "\n"
    "# PTX files and folders that are not looked at unless they are named.\n"
    "#exclude: [\"build/old/*\"]\n"
    "\n"
    "# Figures for these GPUs; how the kernels are launched.\n"
    "#gpu: [h200]\n"
    "#launch: launches.json\n"
    "\n"
    "# Findings that are known and not reported again: `ptxlint baseline write PATH...`.\n"
    "#baseline: ptxlint-baseline.json\n"
    "\n"
    "# What kernels may take: `ptxlint budget init PATH...`.\n"
    "#budget: budget.yaml\n"
    "\n"
    "# By how much figures may get worse before `ptxlint diff` fails.\n"
    "#tolerances: { registers: 5%, spill_bytes: 0, instructions: off }\n"
    "\n"
    "# Rules of your own: .yaml files, or folders of them.\n"
    "#rules: [lint-rules]\n";

static ExitCode write_config(const char *path)
{
    Beside beside;
    if (!ptx_beside_open(&beside, path, false))
        return ptx_complain_status(path, errno == ENOMEM ? PTXLINT_NO_MEMORY : PTXLINT_IO);
    if (!ptx_handle_write(beside.handle, first_config, strlen(first_config)))
        ptx_beside_drop(&beside);
    else if (ptx_beside_place_new(&beside))
        return EXIT_CLEAN;
    if (errno == EEXIST) {
        ptx_complain(path, "is there already");
        return EXIT_USAGE;
    }
    ptx_complain(path, strerror(errno));
    return EXIT_INPUT;
}

static ExitCode init_config(const char *folder)
{
    char *path = ptx_path_join(folder, ".ptxlint.yaml");
    if (!path)
        return ptx_complain_status(NULL, PTXLINT_NO_MEMORY);
    ExitCode code = write_config(path);
    if (code == EXIT_CLEAN)
        printf("%s\n", path);
    free(path);
    return exit_code_max(code, ptx_stdout_close());
}

/* ---- show ------------------------------------------------------------------------------------ */

/* What differs from the state that a rule has without any config. */
typedef struct ShowChange {
    ptxlint_rule_state before, now;
    bool is_enabled, is_severity, is_threshold;
} ShowChange;

static bool find_change(const ptxlint_config *plain, const ptxlint_config *config,
                        const ptxlint_rule *rule, ShowChange *change)
{
    *change = (ShowChange){ .is_enabled = false };
    if (ptxlint_config_state(plain, rule, &change->before) != PTXLINT_OK
        || ptxlint_config_state(config, rule, &change->now) != PTXLINT_OK)
        return false;
    change->is_enabled = change->before.is_enabled != change->now.is_enabled;
    change->is_severity = change->before.severity != change->now.severity;
    for (size_t i = 0; i < rule->threshold_count; i++)
        change->is_threshold |= change->before.thresholds[i] < change->now.thresholds[i] ||
                                change->before.thresholds[i] > change->now.thresholds[i];
    return change->is_enabled || change->is_severity || change->is_threshold;
}

static void put_list(Text *out, const char *name, const ptxlint_config *config)
{
    const char *value;
    for (size_t i = 0; (value = ptxlint_config_value(config, name, i)); i++) {
        if (i)
            ptx_text_put(out, ", ");
        else
            ptx_text_print(out, "%-8s ", name);
        ptx_text_show(out, value);
    }
    if (ptxlint_config_value(config, name, 0))
        ptx_text_put(out, "\n");
}

static void put_change(Text *out, const ptxlint_rule *rule, const ShowChange *change)
{
    ptx_text_print(out, "  %-7s %s: ", rule->code, rule->name);
    ptx_text_put(out, change->now.is_enabled ? "on" : "off");
    if (change->is_severity)
        ptx_text_print(out, ", %s instead of %s", ptx_severity_word(change->now.severity),
                       ptx_severity_word(change->before.severity));
    for (size_t i = 0; change->is_threshold && i < rule->threshold_count; i++)
        if (change->before.thresholds[i] < change->now.thresholds[i]
            || change->before.thresholds[i] > change->now.thresholds[i])
            ptx_text_print(out, ", %s = %.15g instead of %.15g", rule->thresholds[i].name,
                           change->now.thresholds[i], change->before.thresholds[i]);
    ptx_text_put(out, "\n");
}

static void show_text(const Settings *settings, const ptxlint_config *plain, Text *out)
{
    static const char *const lists[] = { "preset",   "gpu",    "launch",    "rules", "exclude",
                                         "baseline", "budget", "tolerances" };
    const ptxlint_rule *rule;
    ShowChange change;
    size_t enabled = 0, changed = 0, count = 0;
    ptx_text_print(out, "%-8s ", "config");
    ptx_text_show(out, ptx_text_or(settings->path, "none"));
    ptx_text_put(out, "\n");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        put_list(out, lists[i], settings->config);
    for (; (rule = ptxlint_rule_at(settings->rules, count)); count++) {
        bool is_changed = find_change(plain, settings->config, rule, &change);
        enabled += change.now.is_enabled != 0;
        if (is_changed && !changed++)
            ptx_text_put(out, "changed\n");
        if (is_changed)
            put_change(out, rule, &change);
    }
    ptx_text_print(out, "%zu of %zu rules are on\n", enabled, count);
}

static json_t *values_json(const ptxlint_config *config, const char *key)
{
    json_t *all = json_array();
    const char *value;
    for (size_t i = 0; (value = ptxlint_config_value(config, key, i)); i++)
        json_array_append_new(all, json_string(value));
    return all;
}

static json_t *state_json(const ptxlint_rule *rule, const ShowChange *change, bool is_changed)
{
    json_t *thresholds = json_object();
    for (size_t i = 0; i < rule->threshold_count; i++)
        json_object_set_new(thresholds, rule->thresholds[i].name,
                            json_real(change->now.thresholds[i]));
    return json_pack("{s:s, s:s, s:b, s:s, s:o, s:b}", "code", rule->code, "name", rule->name,
                     "enabled", change->now.is_enabled, "severity",
                     ptx_severity_word(change->now.severity), "thresholds", thresholds, "changed",
                     is_changed);
}

static void show_json(const Settings *settings, const ptxlint_config *plain, Text *out)
{
    const ptxlint_rule *rule;
    ShowChange change;
    json_t *states = json_array(),
           *path = settings->path ? json_string(settings->path) : json_null();
    for (size_t i = 0; (rule = ptxlint_rule_at(settings->rules, i)); i++) {
        bool is_changed = find_change(plain, settings->config, rule, &change);
        json_array_append_new(states, state_json(rule, &change, is_changed));
    }
    ptx_json_write(out, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                                  "schema", "ptxlint-config/1", "config", path, "preset",
                                  values_json(settings->config, "preset"), "gpu",
                                  values_json(settings->config, "gpu"), "launch",
                                  values_json(settings->config, "launch"), "rules_from",
                                  values_json(settings->config, "rules"), "exclude",
                                  values_json(settings->config, "exclude"), "baseline",
                                  values_json(settings->config, "baseline"), "budget",
                                  values_json(settings->config, "budget"), "tolerances",
                                  values_json(settings->config, "tolerances"), "rules", states));
}

static ExitCode show_config(const Options *options, const Settings *settings, Text *out)
{
    ptxlint_config *plain;
    ptxlint_status status = ptxlint_config_new(settings->rules, &plain);
    if (status != PTXLINT_OK)
        return ptx_complain_status(NULL, status);
    (options->output.format == FORMAT_JSON ? show_json : show_text)(settings, plain, out);
    ptxlint_config_free(plain);
    return EXIT_CLEAN;
}

static ExitCode show_files(const Options *options, const Settings *settings, Text *out)
{
    if (options->output.format == FORMAT_JSON)
        ptx_json_write(out,
                       settings->path
                           ? json_pack("{s:s, s:[s]}", "schema", "ptxlint-config-files/1", "files",
                                       settings->path)
                           : json_pack("{s:s, s:[]}", "schema", "ptxlint-config-files/1", "files"));
    else if (settings->path)
        ptx_text_print(out, "%s\n", settings->path);
    return EXIT_CLEAN;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef ExitCode (*ShowFunction)(const Options *options, const Settings *settings, Text *out);

static ExitCode show(const Options *options, const char *path, ShowFunction function)
{
    struct stat st;
    Book book;
    Text out = { 0 };
    ExitCode code = ptx_book_open(&book, options);
    bool is_folder = !stat(path, &st) && S_ISDIR(st.st_mode);
    const Settings *settings = NULL;
    if (code == EXIT_CLEAN)
        settings = is_folder ? ptx_book_folder(&book, path) : ptx_book_file(&book, path);
    code = exit_code_max(code, book.code);
    if (code == EXIT_CLEAN && settings)
        code = function(options, settings, &out);
    if (code == EXIT_CLEAN)
        code = ptx_output_text(options, &out);
    ptx_text_free(&out);
    ptx_book_free(&book);
    return code;
}

ExitCode ptx_config_command(const Options *options)
{
    const char *const *words = (const char *const *)options->paths;
    const char *path = words[1] ? words[1] : ".";
    char text[128];
    if (words[1] && words[2]) {
        ptx_complain(words[2], "config takes one path");
        return EXIT_USAGE;
    }
    if (!strcmp(words[0], "show"))
        return show(options, path, show_config);
    if (!strcmp(words[0], "files"))
        return show(options, path, show_files);
    if (!strcmp(words[0], "init"))
        return init_config(path);
    snprintf(text, sizeof text, "'%.60s' is not one of show, files, init", words[0]);
    ptx_complain("config", text);
    return EXIT_USAGE;
}
