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

struct rd_run_options {
    struct rd_session session;
    struct rd_focus focus;
    struct rd_suppress suppress;
    struct rd_rule_files rules;
    const char *out, *json, *coverage;
    char coverage_bounds[PATH_MAX];
    FILE *json_file, *coverage_file, *bounds_file;
    bool made_out; /* the directory was not there before */
    double time_s, minimise_s;
    bool quiet, show_output, require_complete, help;
    int colour, progress;
};

/* 0, or the exit status when there is nothing to run; -1: help was asked for, and printed. */
int rd_run_options_read(struct rd_run_options *o, struct rd_args *a);

#endif
