/* manual.c -- the manual page ptxlint(1), in the macros of man(7), from the tables and texts that
 * --help shows. */
#include "cli/cli.h"
#include "support/choice.h"

#include <string.h>

/* When the texts were last gone over: a page has a date, and one that is built again must not have
 * another. */
#define PAGE_DATE "2026-11-22"

/* of a line of prose, after which the next blank becomes a line end */
enum { WRAP_COLUMNS = 64 };

static void put_text(Text *out, const char *text, size_t length, bool is_prose)
{
    size_t column = 0;
    for (size_t i = 0; i < length; i++) {
        bool is_end = text[i] == '\n' || (is_prose && text[i] == ' ' && column >= WRAP_COLUMNS);
        if (!column && (text[i] == '.' || text[i] == '\''))
            ptx_text_put(out, "\\&");
        if (is_end)
            ptx_text_put(out, "\n");
        else if (text[i] == '\\' || text[i] == '-')
            ptx_text_put(out, text[i] == '-' ? "\\-" : "\\e");
        else
            ptx_text_add(out, text + i, 1);
        column = is_end ? 0 : column + 1;
    }
}

static void put_words(Text *out, const char *text)
{
    put_text(out, text, strlen(text), true);
}

/* Lines that begin with two blanks as they are, what is between as paragraphs. A line of capitals
 * is a heading of its own elsewhere. */
static void put_block(Text *out, const char *text)
{
    bool is_example = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        bool is_indented = length > 2 && text[0] == ' ' && text[1] == ' ';
        if (is_indented != is_example)
            ptx_text_put(out, is_indented ? ".PP\n.EX\n" : ".EE\n.PP\n");
        is_example = is_indented;
        if (length) {
            put_text(out, text, length, !is_indented);
            ptx_text_put(out, "\n");
        }
        text += length + (text[length] == '\n');
    }
    ptx_text_put(out, is_example ? ".EE\n" : "");
}

/* Without its first lines, which are a blank one and the heading. */
static const char *body_of(const char *text)
{
    text += strcspn(text + 1, "\n") + 1;
    return text + (*text == '\n');
}

static void put_options(Text *out, const struct poptOption *table)
{
    for (; table->longName || table->arg; table++) {
        if ((table->argInfo & POPT_ARG_MASK) == POPT_ARG_INCLUDE_TABLE) {
            put_options(out, table->arg);
            continue;
        }
        bool is_optional = (table->argInfo & POPT_ARGFLAG_OPTIONAL) != 0;
        ptx_text_put(out, ".TP\n\\fB\\-\\-");
        put_words(out, table->longName);
        ptx_text_put(out, "\\fR");
        if (table->argDescrip) {
            ptx_text_put(out, is_optional ? "[=" : " ");
            ptx_text_put(out, "\\fI");
            put_words(out, table->argDescrip);
            ptx_text_print(out, "\\fR%s", ptx_text_if(is_optional, "]"));
        }
        ptx_text_put(out, "\n");
        put_words(out, table->descrip);
        ptx_text_put(out, ".\n");
    }
}

static void put_command(Text *out, Command command)
{
    ptx_text_print(out, ".SS ptxlint %s ", ptx_command_words[command]);
    put_words(out, ptx_command_usage[command]);
    ptx_text_put(out, "\n");
    put_words(out, ptx_command_what[command]);
    ptx_text_put(out, ".\n");
    put_block(out, ptx_command_help[command]);
    put_options(out, ptx_option_tables[command]);
    ptx_text_put(out, ".PP\nExamples:\n");
    put_block(out, body_of(ptx_command_examples[command]));
    ptx_text_put(out, ".PP\nExit codes:\n");
    put_block(out, body_of(ptx_command_codes[command]));
}

static const char ending[] =
    ".SH ENVIRONMENT\n"
    ".TP\n\\fBNO_COLOR\\fR, \\fBCLICOLOR_FORCE\\fR, \\fBTERM\\fR\nWhether \\fB\\-\\-color auto\\fR "
    "colours.\n"
    ".TP\n\\fBPATH\\fR, \\fBCUDA_HOME\\fR\nWhere \\fB\\-\\-ptxas\\fR looks for ptxas.\n"
    ".TP\n\\fBTMPDIR\\fR\nWhere what ptxas is to read from standard input is kept.\n"
    ".SH FILES\n"
    ".TP\n\\fI.ptxlint.yaml\\fR\nSettings for the PTX files of its folder and below;\n\\fBptxlint "
    "config init\\fR writes one to begin with.\n"
    ".SH SEE ALSO\n"
    "\\fBptxlint explain\\fR and \\fBptxlint rules\\fR describe rules,\n\\fBptxlint isa\\fR about "
    "instructions.\n";

ExitCode ptx_manual(const Options *options)
{
    Text out = { 0 };
    ptx_text_print(&out,
                   ".\\\" Written by ptxlint manual.\n.TH PTXLINT 1 " PAGE_DATE
                   " \"ptxlint %s\" \"User Commands\"\n",
                   ptxlint_version());
    ptx_text_put(&out, ".SH NAME\nptxlint \\- static analysis of NVIDIA PTX\n.SH SYNOPSIS\n.nf\n");
    for (int i = 0; i < COMMAND__COUNT; i++) {
        ptx_text_print(&out, "\\fBptxlint\\fR %s\\fB%s\\fR%s ", ptx_text_if(!i, "["),
                       ptx_command_words[i], ptx_text_if(!i, "]"));
        put_words(&out, ptx_command_usage[i]);
        ptx_text_put(&out, "\n");
    }
    ptx_text_put(&out, ".fi\n.SH DESCRIPTION\nptxlint reads PTX, the assembly language that CUDA "
                       "compilers give to\nthe driver, and says what is wrong "
                       "or slow in it, without a GPU and\nwithout CUDA.\nThe command is the first "
                       "word; without one it is \\fBcheck\\fR.\n.SH COMMANDS\n");
    for (int i = 0; i < COMMAND__COUNT; i++)
        put_command(&out, (Command)i);
    ptx_text_put(&out, ending);
    ExitCode code = ptx_output_text(options, &out);
    ptx_text_free(&out);
    return code;
}
