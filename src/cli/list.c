/* list.c - raddle list: prints a line for each strategy, detector, kind of finding and operation. */
#include "cli/commands.h"
#include "cli/options.h"
#include "base/guess.h"
#include "detect/detect.h"
#include "pick/pick.h"
#include "search/search.h"
#include "trace/types.h"

#include <stdio.h>
#include <string.h>

/* Prints all parameters of a strategy as they are written on the command line: "icb:c=N,csb=N,cache". */
static void print_parameters(const struct rd_search *s) {
    char before = ':';
    printf("%-10s %s", "", s->name);
    for (const char *w = s->keys; *w; w += strspn(w, " ")) {
        size_t all = strcspn(w, " "), n = strcspn(w, " #=");
        printf("%c%.*s%s", before, (int)n, w, w[n] == '#' ? "=N" : w[n] == '=' ? "=NAME,..." : "");
        before = ',';
        w += all;
    }
    putchar('\n');
}

static void strategies(void) {
    for (uint32_t i = 0; i < rd_search_count; i++) {
        printf("%-10s %s\n", rd_searches[i]->name, rd_searches[i]->summary);
        if (rd_searches[i]->keys[0])
            print_parameters(rd_searches[i]);
    }
}

static void findings(void) {
    for (unsigned k = RD_NO_FINDING + 1; k < RD_FINDING_KINDS; k++)
        printf("%-18s %s\n", rd_finding_name(k), rd_finding_meaning(k));
}

static void detectors(void) {
    for (unsigned i = 0; i < RD_DETECTORS; i++)
        printf("%-16s %s%s\n", rd_detectors[i].name, rd_detectors[i].summary,
               rd_detectors[i].by_default ? "" : " (only with --detect)");
}

static void operations(void) {
    for (unsigned k = 1; k < RD_OP_KINDS; k++)
        if (!(rd_op_flags(k) & RD_F_VALUE))
            printf("%-14s %s\n", rd_op_name(k),
                   rd_op_flags(k) & RD_F_POINT ? "another thread may be chosen before it" : "happens at once");
}

static const struct {
    const char *name;
    void (*print)(void);
} lists[] = {
    {"strategies", strategies}, {"detectors", detectors}, {"findings", findings}, {"operations", operations}};

static int no_list(const char *name) {
    struct rd_guess g;
    char guess[RD_GUESS_TEXT];
    rd_guess_begin(&g, name, strlen(name));
    for (unsigned i = 0; i < RD_COUNT(lists); i++)
        rd_guess_try(&g, lists[i].name, strlen(lists[i].name));
    rd_guess_try(&g, "variables", strlen("variables"));
    return rd_trouble("no list '%s'; there are: strategies, detectors, findings, operations, variables%s", name,
                      rd_guess_words(&g, "", guess));
}

static int command(char **args) {
    if (args[0] && strcmp(args[0], "variables") == 0)
        return rd_cmd_variables(args + 1);
    for (char **a = args; *a; a++)
        if (strcmp(*a, "--help") == 0 || strcmp(*a, "-h") == 0)
            return rd_command_help(&rd_command_list), RD_EXIT_CLEAN;
    if (args[0] && args[1])
        return rd_trouble("'raddle list %s' takes no further argument", args[0]);
    bool known = !args[0];
    for (unsigned i = 0; i < RD_COUNT(lists); i++) {
        if (args[0] && strcmp(args[0], lists[i].name) != 0)
            continue;
        known = true;
        if (!args[0])
            printf("%s%s:\n", i ? "\n" : "", lists[i].name);
        lists[i].print();
    }
    return known ? RD_EXIT_CLEAN : no_list(args[0]);
}

const struct rd_command rd_command_list = {
    .name = "list",
    .run = command,
    .arguments = "[strategies|detectors|findings|operations]",
    .summary = "a line about each strategy, detector, finding, operation",
    .description =
        "Prints the strategies, detectors, kinds of findings or operations, or all of them. 'raddle list "
        "variables PROGRAM' prints the variables that threads share (see 'raddle help list variables')."};
