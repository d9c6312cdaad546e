/* commands.c - the table of subcommands and help pages, and how a page is printed. See commands.h. */
#include "cli/commands.h"

#include "cli/compiler_names.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct rd_command page_time = {
    .name = "time",
    .summary = "how time is treated",
    .description =
        "Time is virtual. It stands still while the program computes; a sleep moves it by its whole duration, a "
        "reading of a clock or a yield by a microsecond, and by more and more for a thread that does nothing else. "
        "No test ever waits.\n"
        "\n"
        "A wait with a deadline that cannot complete may time out; whether it does is a choice of the schedule:\n"
        "  early, although other threads could go on: the first N timeouts of a thread (--timeouts N, default 3);\n"
        "  always, when its deadline has come on the virtual clock;\n"
        "  when no other thread can go on: then time passes to the first deadline.\n"
        "A timer that sends a signal (alarm, setitimer, timer_create) goes off in the last two of these cases.\n"
        "\n"
        "The program's clocks start at the same moment in every run: 2026-01-01, 00:00 UTC.\n"
        "\n"
        "Real time counts for executions that do not end: after --max-seconds they are hangs. The default is 10. "
        "Without --max-seconds two kinds of executions are hangs already after 2 s: one whose running thread has "
        "computed for that long without any operation, if no earlier execution took a 50th of that, and one that "
        "has been blocked for that long, together with every process that could end the block."};

static void list_strategies(void) {
    for (uint32_t i = 0; i < rd_search_count; i++)
        rd_options_row(rd_searches[i]->name, rd_searches[i]->summary);
    puts("\n'raddle list strategies' prints the parameters of each, and docs/strategies.md says what each proves.");
}

static const struct rd_command page_strategies = {
    .name = "strategies",
    .summary = "how to choose what 'raddle run -s' searches with",
    .description =
        "raddle run -s NAME[:key=value,...] PROGRAM\n"
        "\n"
        "Without -s the strategy is 'auto', which needs no choice: it samples, tries to prove the test, and if "
        "that "
        "does not fit into the time (-t) covers one bound after the other.\n"
        "\n"
        "To prove a small test:\n"
        "  -s dpor              one execution of each class of equivalent schedules\n"
        "To cover every schedule with few preemptions, the simplest ones first:\n"
        "  -s icb:c=2           every schedule with at most 2 preemptions\n"
        "  -s bpor:c=2          the same without equivalent ones\n"
        "To look for a bug in a large test:\n"
        "  -s surw              a sample; the orders of the uses of a variable are about equally likely\n"
        "  -s pct:d=3           a sample that says how likely it has missed a bug of depth 3\n"
        "  -s rank              few preemptions at few variables in few threads\n"
        "To begin with code that you suspect:\n"
        "  -s best:method=push,pop\n"
        "\n"
        "All strategies:\n",
    .details = list_strategies};

static const struct rd_command launch = {.name = "--launch", .run = rd_cmd_launch};
static const struct rd_command steps = {.name = "--steps", .run = rd_cmd_steps};

const struct rd_command *const rd_commands[] = {&rd_command_run,
                                                &rd_command_test,
                                                &rd_command_replay,
                                                &rd_command_show,
                                                &rd_command_compare,
                                                &rd_command_cc,
                                                &rd_command_cxx,
                                                &rd_command_list,
                                                &rd_command_variables,
                                                &rd_command_bench,
                                                &page_strategies,
                                                &page_time,
                                                &launch,
                                                &steps,
                                                &rd_command_generate};
const uint32_t rd_command_count = RD_COUNT(rd_commands);

const struct rd_command *rd_command_find(const char *name) {
    for (uint32_t i = 0; i < rd_command_count; i++)
        if (strcmp(rd_commands[i]->name, name) == 0)
            return rd_commands[i];
    return NULL;
}

void rd_command_help(const struct rd_command *c) {
    if (c->arguments)
        printf("raddle %s %s\n\n", c->name, c->arguments);
    rd_options_text(c->description);
    if (c->options) {
        putchar('\n');
        rd_options_help(c->options);
    }
    if (c->details)
        c->details();
}

const char **rd_command_words(const char *name, char **args) {
    size_t n = 0;
    while (args[n])
        n++;
    const char **words = calloc(n + 3, sizeof *words);
    if (!words)
        abort();
    words[0] = "raddle";
    words[1] = name;
    memcpy(words + 2, args, n * sizeof *words);
    return words;
}
