/* complete.c -- completions for shells, from the tables that the command line is read by. */
#include "cli/cli.h"
#include "support/choice.h"

#include <string.h>

typedef void (*OptionFn)(Text *out, Command command, const struct poptOption *option);

static void each_option(Text *out, Command command, const struct poptOption *table, OptionFn fn)
{
    for (; table->longName || table->arg; table++)
        if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE)
            each_option(out, command, table->arg, fn);
        else
            fn(out, command, table);
}

static bool has_value(const struct poptOption *option)
{
    return (option->argInfo & POPT_ARG_MASK) != POPT_ARG_NONE;
}

static bool is_path(const struct poptOption *option)
{
    const char *what = option->argDescrip ? option->argDescrip : "";
    return strstr(what, "FILE") || strstr(what, "DIR") || strstr(what, "PATH");
}

/* ---- words that a place may hold, with blanks ------------------------------------------------ */

static void put_commands(Text *out, int first)
{
    for (int i = first; i < COMMAND__COUNT; i++)
        ptx_text_print(out, "%s%s", i > first ? " " : "", ptx_command_words[i]);
}

static void put_gpus(Text *out)
{
    const ptxlint_gpu *gpu;
    for (size_t i = 0; (gpu = ptxlint_gpu_at(i)); i++)
        ptx_text_print(out, "%s%s", i ? " " : "", ptxlint_gpu_get_info(gpu)->name);
}

static void put_rules(Text *out)
{
    const ptxlint_rule *rule;
    for (size_t i = 0; (rule = ptxlint_rule_at(NULL, i)); i++)
        ptx_text_print(out, "%s%s", i ? " " : "", rule->code);
}

static void put_schemas(Text *out)
{
    const char *name;
    for (size_t i = 0; (name = ptxlint_schema_name(i)); i++)
        ptx_text_print(out, "%s%s", i ? " " : "", name);
}

/* Of an option; false: it takes what only the user knows, or a path. */
static bool put_values(Text *out, Command command, const struct poptOption *option)
{
    if (option->val == OPT_FORMAT)
        for (const char *p = ptx_command_formats[command]; *p; p++)
            ptx_text_add(out, *p == ',' ? "" : p, *p != ',');
    else if (option->val == OPT_COLOR)
        ptx_text_put(out, "auto always never");
    else if (option->val == OPT_PRIMARY)
        ptx_text_put(out, "auto ptx source");
    else if (option->val == OPT_GPU)
        put_gpus(out);
    else
        return false;
    return true;
}

/* Of a command's own words; false: they are paths. */
static bool put_operands(Text *out, Command command)
{
    switch (command) {
    case COMMAND_GPU:           ptx_text_put(out, "measure "), put_gpus(out); return true;
    case COMMAND_EXPLAIN:       put_rules(out); return true;
    case COMMAND_SCHEMA:        put_schemas(out); return true;
    case COMMAND_CONFIG:        ptx_text_put(out, "show files init"); return true;
    case COMMAND_BASELINE:      ptx_text_put(out, "write prune"); return false;
    case COMMAND_COMPLETIONS:   ptx_text_put(out, "bash zsh fish"); return true;
    default:                    return false;
    }
}

/* ---- bash ------------------------------------------------------------------------------------ */

static void put_bash_name(Text *out, Command command, const struct poptOption *option)
{
    (void)command;
    ptx_text_print(out, " --%s", option->longName);
}

/* what completes the value of an option: its words, or files, or nothing known */
static const char *completion_of(const Text *words, bool is_known, const char *otherwise)
{
    return is_known && words->bytes ? words->bytes : otherwise;
}

static void put_bash_value(Text *out, Command command, const struct poptOption *option)
{
    Text words = { 0 };
    if (!has_value(option))
        return;
    bool is_known = put_values(&words, command, option);
    ptx_text_print(out, "    %s:--%s) ", ptx_command_words[command], option->longName);
    const char *otherwise = is_path(option) ? "files=1" : ":";
    ptx_text_print(out, is_known ? "words='%s';;\n" : "%s;;\n",
                   completion_of(&words, is_known, otherwise));
    ptx_text_free(&words);
}

static void put_bash(Text *out)
{
    ptx_text_put(
        out,
        "# Completion of ptxlint in bash.\n_ptxlint()\n{\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=check "
        "words='' files=\n"
        "    [ \"$cur\" = = ] && cur=''                   # bash parts --option=value in three\n"
        "    [ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
        "    [[ $COMP_CWORD -gt 1 && ' ");
    put_commands(out, 0);
    ptx_text_put(out, " ' = *\" ${COMP_WORDS[1]} \"* ]] && command=${COMP_WORDS[1]}\n    case "
                      "$command:$prev in\n");
    for (int i = 0; i < COMMAND__COUNT; i++)
        each_option(out, (Command)i, ptx_option_tables[i], put_bash_value);
    ptx_text_put(out, "    *) case $command:$cur in\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        ptx_text_print(out, "        %s:-*) words='", ptx_command_words[i]);
        each_option(out, (Command)i, ptx_option_tables[i], put_bash_name);
        ptx_text_put(out, "';;\n");
    }
    for (int i = 1; i < COMMAND__COUNT; i++) {
        Text words = { 0 };
        if (put_operands(&words, (Command)i))
            ptx_text_print(out, "        %s:*) words='%s';;\n", ptx_command_words[i],
                           words.bytes ? words.bytes : "");
        ptx_text_free(&words);
    }
    ptx_text_put(out, "        *) files=1; [ $COMP_CWORD -eq 1 ] && words='");
    put_commands(out, 0);
    ptx_text_put(out, "';;\n        esac;;\n    esac\n"
                      "    local IFS=$'\\n'\n"
                      "    COMPREPLY=($(IFS=' '; compgen -W \"$words\" -- \"$cur\"; [ -z "
                      "\"$files\" ] || compgen -f -- \"$cur\"))\n"
                      "}\ncomplete -o filenames -F _ptxlint ptxlint\n");
}

/* ---- zsh ------------------------------------------------------------------------------------- */

/* Inside single quotes; special: bytes that get a backslash. */
static void put_quoted(Text *out, const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            ptx_text_put(out, "'\\''");
        else
            ptx_text_print(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
}

static void put_zsh_option(Text *out, Command command, const struct poptOption *option)
{
    ptx_text_print(out, "      '*--%s%s[", option->longName, has_value(option) ? "=" : "");
    put_quoted(out, option->descrip, "[]:\\");
    ptx_text_put(out, "]");
    if (has_value(option)) {
        Text words = { 0 };
        bool is_known = put_values(&words, command, option);
        ptx_text_print(out, "%s:value:", option->argInfo & POPT_ARGFLAG_OPTIONAL ? ":" : "");
        ptx_text_print(out, is_known ? "(%s)" : "%s",
                       completion_of(&words, is_known, ptx_text_if(is_path(option), "_files")));
        ptx_text_free(&words);
    }
    ptx_text_put(out, "'\n");
}

static void put_zsh(Text *out)
{
    ptx_text_put(out, "#compdef ptxlint\n# Completion of ptxlint in zsh.\n\n_ptxlint_words() {\n  "
                      "case $command in\n");
    for (int i = 1; i < COMMAND__COUNT; i++) {
        Text words = { 0 };
        if (put_operands(&words, (Command)i))
            ptx_text_print(out, "    %s) compadd %s;;\n", ptx_command_words[i],
                           words.bytes ? words.bytes : "");
        ptx_text_free(&words);
    }
    ptx_text_put(out, "    *) _files;;\n  esac\n}\n\n_ptxlint() {\n  local command=check\n  local "
                      "-a options commands\n  commands=(\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        ptx_text_print(out, "    '%s:", ptx_command_words[i]);
        put_quoted(out, ptx_command_what[i], ":\\");
        ptx_text_put(out, "'\n");
    }
    ptx_text_put(out,
                 "  )\n  if (( CURRENT > 2 && ${commands[(I)${words[2]}:*]} )); then\n    "
                 "command=$words[2]\n    shift words\n"
                 "    (( CURRENT-- ))\n  elif (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
                 "    _describe command commands\n  fi\n  case $command in\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        ptx_text_print(out, "    %s) options=(\n", ptx_command_words[i]);
        each_option(out, (Command)i, ptx_option_tables[i], put_zsh_option);
        ptx_text_put(out, "    );;\n");
    }
    ptx_text_put(out, "  esac\n  _arguments -S $options '*: :_ptxlint_words'\n}\n\n"
                      "if [[ $funcstack[1] == _ptxlint ]]; then\n  _ptxlint \"$@\"\nelse\n  "
                      "compdef _ptxlint ptxlint\nfi\n");
}

/* ---- fish ------------------------------------------------------------------------------------ */

static void put_fish_option(Text *out, Command command, const struct poptOption *option)
{
    Text words = { 0 };
    bool is_known = has_value(option) && put_values(&words, command, option);
    bool is_optional = option->argInfo & POPT_ARGFLAG_OPTIONAL;
    ptx_text_print(out, "complete -c ptxlint -n '__ptxlint_is %s' -l %s",
                   ptx_command_words[command], option->longName);
    if (has_value(option) && !is_optional)
        ptx_text_put(out, is_path(option) && !is_known ? " -r" : " -x");
    if (is_known)
        ptx_text_print(out, " -a '%s'", words.bytes ? words.bytes : "");
    ptx_text_put(out, " -d '");
    put_quoted(out, option->descrip, "\\");
    ptx_text_put(out, "'\n");
    ptx_text_free(&words);
}

static void put_fish(Text *out)
{
    ptx_text_put(
        out,
        "# Completion of ptxlint in fish.\n"
        "function __ptxlint_is\n    set -l words (commandline -opc)\n    set -l command check\n"
        "    if set -q words[2]; and contains -- $words[2] ");
    put_commands(out, 0);
    ptx_text_put(out,
                 "\n        set command $words[2]\n    end\n    test $command = $argv[1]\nend\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        Text words = { 0 };
        ptx_text_print(out, "complete -c ptxlint -n __fish_use_subcommand -a %s -d '",
                       ptx_command_words[i]);
        put_quoted(out, ptx_command_what[i], "\\");
        ptx_text_put(out, "'\n");
        each_option(out, (Command)i, ptx_option_tables[i], put_fish_option);
        if (put_operands(&words, (Command)i))
            ptx_text_print(out, "complete -c ptxlint -n '__ptxlint_is %s' -f -a '%s'\n",
                           ptx_command_words[i], words.bytes ? words.bytes : "");
        ptx_text_free(&words);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

ExitCode ptx_completions(const Options *options)
{
    static const struct {
        const char *shell;
        void (*put)(Text *out);
    } writers[] = { { "bash", put_bash }, { "zsh", put_zsh }, { "fish", put_fish } };
    const char *shell = options->paths[0];
    Text out = { 0 };
    for (size_t i = 0; i < sizeof writers / sizeof *writers && !options->paths[1]; i++)
        if (!strcmp(writers[i].shell, shell)) {
            writers[i].put(&out);
            ExitCode code = ptx_output_text(options, &out);
            ptx_text_free(&out);
            return code;
        }
    if (options->paths[1])
        ptx_complain(options->paths[1], "completions takes one of bash, zsh, fish");
    else
        ptx_complain_word("completions", shell, "bash, zsh, fish");
    return EXIT_USAGE;
}
