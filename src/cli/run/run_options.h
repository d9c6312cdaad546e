/* run_options.h - what the command line of raddle run says. */
#ifndef RD_CLI_RUN_RUN_OPTIONS_H
#define RD_CLI_RUN_RUN_OPTIONS_H

#include "cli/run/focus_option.h"
#include "cli/options.h"
#include "cli/run/outcomes_option.h"
#include "cli/run/rule_files.h"
#include "cli/run/suppress_file.h"
#include "drive/session.h"

#include <limits.h>
#include <stdio.h>

/* Where the run is written in one format. */
struct rd_run_output {
    const struct rd_format *format;
    const char *path; /* "-" is standard output; NULL: the report for people, which goes there too */
    FILE *file;
};

enum { RD_RUN_OUTPUTS = 8 };

struct rd_run_options {
    struct rd_session session;
    struct rd_focus focus;
    struct rd_suppress suppress;
    struct rd_rule_files rules;
    const char *out, *coverage;
    struct rd_run_output outputs[RD_RUN_OUTPUTS]; /* one for each format that the run is written in */
    uint32_t output_count;
    char coverage_bounds[PATH_MAX];
    FILE *coverage_file, *bounds_file;
    bool made_out; /* the directory was not there before */
    double time_s, minimise_s;
    bool quiet, show_output, require_complete, help;
    int colour, progress;
};

/* 0, or the exit status when there is nothing to run; -1: help was asked for, and printed. */
int rd_run_options_read(struct rd_run_options *o, struct rd_args *a);

#endif
