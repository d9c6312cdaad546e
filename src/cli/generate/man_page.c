/*
 * man_page.c - man pages in the language of man(7): raddle(1), and a page for each command, from the texts that
 * `raddle help` prints. The date is an argument, because the same source must give the same page at any time.
 */
#include "cli/generate/generate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints text so that man shows each character as it is, also '-' and quotes, which it would make typographic. */
static void print_text(const char *text, size_t length) {
    static const char *const special[256] = {
        ['\\'] = "\\e", ['-'] = "\\-", ['\''] = "\\(aq", ['`'] = "\\(ga", ['^'] = "\\(ha", ['~'] = "\\(ti"};
    if (length && text[0] == '.')
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++) {
        const char *s = special[(unsigned char)text[i]];
        if (s)
            fputs(s, stdout);
        else
            putchar(text[i]);
    }
}

static void print_word(const char *text) { print_text(text, strlen(text)); }

/* Prints paragraphs: an empty line separates them, lines that begin with a space stay as they are. */
static void print_paragraphs(const char *text) {
    bool literal = false, begun = false, spaced = false; /* spaced: .PP was the last line */
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n"), used = n;
        while (used && line[used - 1] == ' ')
            used--;
        bool as_it_is = line[0] == ' ';
        if (used && as_it_is != literal) {
            puts(as_it_is ? begun && !spaced ? ".PP\n.nf" : ".nf" : ".fi");
            literal = as_it_is;
        }
        if (used) {
            print_text(line, used);
            putchar('\n');
            begun = true;
            spaced = false;
        } else if (begun && !spaced && line[strspn(line, "\n ")]) {
            puts(literal ? "" : ".PP");
            spaced = !literal;
        }
        line += n + (line[n] == '\n');
    }
    if (literal)
        puts(".fi");
}

/* What a function prints, as text. The caller frees it. */
static char *printed_by(void (*print)(void)) {
    char *text = NULL;
    size_t size = 0;
    FILE *saved = stdout;
    stdout = open_memstream(&text, &size); /* glibc lets a program replace stdout */
    if (!stdout)
        abort();
    print();
    fclose(stdout);
    stdout = saved;
    return text;
}

static void print_head(const char *name, const char *summary, const char *date) {
    printf(".\\\" Made by 'raddle --generate man'; do not edit.\n.TH \"");
    for (const char *c = name; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf("\" 1 \"%s\" \"Raddle " RADDLE_VERSION "\" \"Raddle\"\n.SH NAME\n", date);
    print_word(name);
    fputs(" \\- ", stdout);
    print_word(summary);
    putchar('\n');
}

static void print_option(void *ctx, const struct rd_option *o) {
    (void)ctx;
    fputs(".TP\n", stdout);
    if (o->letter)
        printf("\\fB\\-%c\\fR, ", o->letter);
    fputs("\\fB\\-\\-", stdout);
    print_word(o->name);
    fputs("\\fR", stdout);
    if (o->value) {
        fputs(" \\fI", stdout);
        print_word(o->value);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_word(o->help);
    putchar('\n');
}

static void page_name(const char *command, char *to, size_t room) {
    snprintf(to, room, "raddle-%s", command);
    for (char *c = to; *c; c++)
        if (*c == ' ')
            *c = '-';
}

static void print_reference(const char *name, const char *section, bool last) {
    fputs(".BR ", stdout);
    print_word(name);
    printf(" (%s)%s\n", section, last ? "" : ",");
}

static void print_references(const char *except) {
    char name[64];
    puts(".SH SEE ALSO");
    if (strcmp(except, "raddle") != 0)
        print_reference("raddle", "1", false);
    for (uint32_t i = 0; i < rd_command_count; i++) {
        page_name(rd_commands[i]->name, name, sizeof name);
        if (rd_generate_is_command(rd_commands[i]) && strcmp(name, except) != 0)
            print_reference(name, "1", false);
    }
    print_reference("raddle.h", "3", false);
    print_reference("raddle-schedule", "5", true);
}

void rd_generate_man_command(const struct rd_command *c, const char *date) {
    char name[64];
    page_name(c->name, name, sizeof name);
    print_head(name, c->summary, date);
    fputs(".SH SYNOPSIS\n\\fBraddle ", stdout);
    print_word(c->name);
    fputs("\\fR ", stdout);
    print_word(c->arguments);
    puts("\n.SH DESCRIPTION");
    print_paragraphs(c->description);
    if (c->options) {
        puts(".SH OPTIONS");
        rd_options_each(c->options, print_option, NULL);
    }
    if (c->details) {
        char *text = printed_by(c->details);
        puts(".SH DETAILS");
        print_paragraphs(text);
        free(text);
    }
    print_references(name);
}

void rd_generate_man_overview(const char *date) {
    print_head("raddle", "find concurrency bugs in C and C++ programs", date);
    puts(".SH SYNOPSIS\n\\fBraddle run\\fR [options] [\\-\\-] PROGRAM [ARGS...]\n.br\n"
         "\\fBraddle\\fR COMMAND [options] ...\n.br\n\\fBraddle help\\fR [COMMAND]\n.br\n\\fBraddle "
         "\\-\\-version\\fR\n"
         ".SH DESCRIPTION\n"
         "Raddle runs a compiled multithreaded program again and again, each time under another thread schedule "
         "that it\n"
         "chooses, and reports each bug with the schedule that shows it, ready to replay.\n"
         ".PP\nStart with \\fBraddle run ./your\\-test\\fR. A program that was compiled with \\fBraddle cc\\fR is\n"
         "controlled at every access to memory that threads share, any other one at its synchronisation.\n"
         ".SH COMMANDS");
    for (uint32_t i = 0; i < rd_command_count; i++) {
        if (!rd_generate_is_command(rd_commands[i]))
            continue;
        fputs(".TP\n\\fBraddle ", stdout);
        print_word(rd_commands[i]->name);
        fputs("\\fR ", stdout);
        print_word(rd_commands[i]->arguments);
        putchar('\n');
        print_word(rd_commands[i]->summary);
        putchar('\n');
    }
    for (uint32_t i = 0; i < rd_command_count; i++) {
        if (!rd_commands[i]->description || rd_commands[i]->arguments)
            continue;
        fputs(".TP\n\\fBraddle help ", stdout);
        print_word(rd_commands[i]->name);
        puts("\\fR");
        print_word(rd_commands[i]->summary ? rd_commands[i]->summary : "a page about it");
        putchar('\n');
    }
    puts(".SH EXIT STATUS\n"
         "0: no bug was found. 1: a bug was found. 2: trouble, such as a mistake in the command, a program that "
         "cannot be\n"
         "controlled or that is not deterministic.\n"
         ".SH ENVIRONMENT\n.TP\n\\fBRADDLE_CC\\fR, \\fBRADDLE_CXX\\fR\n"
         "the compilers that \\fBraddle cc\\fR and \\fBraddle c++\\fR call; by default gcc and g++\n"
         ".TP\n\\fBRADDLE_OPTIONS\\fR\n"
         "options of \\fBrun\\fR, \\fBtest\\fR, \\fBbench\\fR and \\fBlist variables\\fR, divided into words as by "
         "a "
         "shell;\n"
         "those of the command line replace them\n"
         ".TP\n\\fBRADDLE_CONFIG\\fR\n"
         "\\fBnone\\fR: ignore \\fBRADDLE_OPTIONS\\fR and \\fI.raddle\\fR, as \\fB\\-\\-no\\-config\\fR does\n"
         ".SH FILES\n.TP\n\\fI.raddle\\fR\n"
         "options of a project, which \\fBRADDLE_OPTIONS\\fR and the command line replace: one a line, without "
         "dashes, "
         "and\n"
         "sections \\fB[test PATTERN]\\fR for the programs and tests whose names match. The first such file counts "
         "in "
         "the\n"
         "current directory and those above it, up to the root of the repository or the home directory; it must "
         "belong\n"
         "to the user or to root, and only its owner may be able to write it.\n"
         ".TP\n\\fIraddle\\-out\\fR\n"
         "the folder for schedules, unless \\fB\\-o\\fR names another one");
    print_references("raddle");
}
