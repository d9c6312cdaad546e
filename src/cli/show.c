/*
 * show.c - raddle show: prints a recorded execution from its schedule file and the program's debug information. The
 * program is not run.
 */
#include "cli/commands.h"
#include "cli/look.h"
#include "cli/open_schedule.h"
#include "cli/options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_FORMAT, OPT_ALL_STEPS, OPT_COLOUR, OPT_HELP };

static const struct rd_option options[] = {
    [OPT_FORMAT] = {0, RD_OPTION_FORMATS(RD_DOCUMENT_EXECUTION), "OUT", NULL},
    [OPT_ALL_STEPS] = {0, "all-steps", NULL, "print every step; otherwise those that matter are chosen"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the report"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

static int command(char **args);

const struct rd_command rd_command_show = {
    .name = "show",
    .run = command,
    .arguments = "[options] FILE",
    .summary = "print a recorded execution, thread by thread",
    .description = "Prints the execution in FILE: the finding, why it comes to it, the operations, every thread's "
                   "stack. The program is not run.",
    .options = options};

/* An absolute path for the file, since rd_open_schedule changes the directory. The caller frees it. */
static char *absolute(const char *path) {
    char cwd[PATH_MAX], *full = NULL;
    if (path[0] == '/' || !getcwd(cwd, sizeof cwd))
        return strdup(path);
    return asprintf(&full, "%s/%s", cwd, path) < 0 ? NULL : full;
}

/* Writes the document to a new file. Returns 0, or the exit status after a message. */
static int write_file(const struct rd_format *format, const struct rd_report *r, const char *path, bool all_steps) {
    FILE *out = fopen(path, "we");
    if (!out)
        return rd_trouble("cannot create '%s': %s", path, strerror(errno));
    struct rd_look look = rd_look_for(out, RD_WHEN_NEVER);
    look.rows_max = all_steps ? 0 : look.rows_max;
    format->execution(out, r, &look);
    bool failed = ferror(out);
    failed |= fclose(out) != 0;
    return failed ? rd_trouble("cannot write '%s': %s", path, strerror(errno)) : 0;
}

/* Writes the document to the file `path`; NULL: to standard output. Returns the exit status. */
static int show(const char *file, const struct rd_format *format, const char *path, int colour, bool all_steps) {
    struct rd_schedule schedule;
    static struct rd_target target;
    char *out = path ? absolute(path) : NULL;
    int status = rd_open_schedule(&schedule, &target, file);
    if (status) {
        free(out);
        return status;
    }
    struct rd_report report = {.schedule = &schedule, .schedule_path = file};
    report.symbols = rd_symbols_open(schedule.modules, schedule.module_count);
    if (out) {
        status = write_file(format, &report, out, all_steps);
    } else {
        struct rd_look look = rd_look_for(stdout, colour);
        look.rows_max = all_steps ? 0 : look.rows_max;
        format->execution(stdout, &report, &look);
    }
    rd_symbols_close(report.symbols);
    rd_schedule_free(&schedule);
    free(out);
    return status;
}

static int command(char **args) {
    struct rd_args a = {.at = args, .command = "show"};
    const struct rd_format *format = rd_format_default();
    const char *value, *file = NULL, *path = NULL;
    int colour = 0;
    bool all_steps = false;
    for (;;) {
        int option = rd_args_next(&a, options, &value);
        if (option == RD_ARGS_MISTAKE)
            return RD_EXIT_TROUBLE;
        if (option == OPT_HELP)
            return rd_command_help(&rd_command_show), RD_EXIT_CLEAN;
        if (option == OPT_FORMAT) {
            format = a.format;
            path = value;
        } else if (option == OPT_ALL_STEPS) {
            all_steps = true;
        } else if (option == OPT_COLOUR && (colour = rd_parse_word("color", value, RD_WHEN_WORDS)) < 0) {
            return RD_EXIT_TROUBLE;
        }
        if (option >= 0)
            continue;
        if (!*a.at)
            break;
        if (file)
            return rd_trouble("'%s': only one schedule file can be given", *a.at);
        file = *a.at++;
    }
    return file ? show(file, format, path, colour, all_steps)
                : rd_trouble("no schedule file given (see 'raddle help show')");
}
