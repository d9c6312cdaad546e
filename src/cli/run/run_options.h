/* run_options.h - the options of raddle run. */
#ifndef RD_CLI_RUN_RUN_OPTIONS_H
#define RD_CLI_RUN_RUN_OPTIONS_H

#include "cli/run/focus_option.h"
#include "cli/options.h"
#include "cli/run/outcomes_option.h"
#include "cli/run/rule_files.h"
#include "cli/suppress/suppress_files.h"
#include "drive/session.h"

#include <limits.h>
#include <stdio.h>

/* A document that describes the run in one format. */
struct rd_run_output {
    const struct rd_format *format;
    const char *path; /* "-": standard output; NULL: the log (rd_format.in_log) */
    FILE *file;
    bool failed; /* the page of a finding could not be written (rd_format.index) */
};

enum { RD_RUN_OUTPUTS = 8 };

/* A file that --coverage writes. */
struct rd_run_table {
    char path[PATH_MAX];
    FILE *file;
};
enum { RD_RUN_TABLES = 3 };

struct rd_run_options {
    const char **command;      /* the words of the command, from "raddle" on, NULL at the end */
    struct rd_session session; /* its configuration and the other members that options set */
    struct rd_focus_option focus;
    struct rd_suppress_files suppress;
    struct rd_rule_files rules;
    const char *out;                              /* the directory for schedule files */
    bool made_out;                                /* the command has created that directory */
    struct rd_run_output outputs[RD_RUN_OUTPUTS]; /* one for each format that an option has chosen */
    uint32_t output_count;
    const char *coverage; /* the first file of --coverage; NULL: the option was not given */
    struct rd_run_table tables[RD_RUN_TABLES];
    double time_s, minimise_s;
    bool quiet, show_output, require_complete, help, all_steps, statistics;
    int colour, progress; /* enum rd_when */
};

enum { RD_RUN_OPTIONS_HELP = -1 };

/*
 * Reads the options up to the program, at which a->at then points. Returns 0; the exit status after a message; or
 * RD_RUN_OPTIONS_HELP if the help page was wanted, and printed.
 */
int rd_run_options_read(struct rd_run_options *o, struct rd_args *a);

#endif
