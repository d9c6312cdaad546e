/* show.c - raddle show: a recorded execution, from its file and the program's debug information; nothing is run. */
#include "cli/commands.h"
#include "cli/run/confirm_finding.h"
#include "cli/gdb.h"
#include "cli/options.h"
#include "report/html.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum option_index { OPT_HTML, OPT_COLOUR, OPT_HELP };

static const struct rd_option options[] = {
    [OPT_HTML] = {0, "html", "OUT", "write a page for a browser instead"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the report"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

void rd_help_show(void) {
    puts("raddle show [options] FILE\n\nPrints the execution in FILE: the finding, every thread's stack, every "
         "operation.\n");
    rd_options_help(options);
}

/* A path that stays right when the directory changes; to be freed. */
static char *absolute(const char *path) {
    char cwd[PATH_MAX], *full = NULL;
    if (path[0] == '/' || !getcwd(cwd, sizeof cwd))
        return strdup(path);
    return asprintf(&full, "%s/%s", cwd, path) < 0 ? NULL : full;
}

static int show(const char *file, const char *html, int colour) {
    struct rd_schedule schedule;
    static struct rd_target target;
    struct rd_error error;
    char *out = html ? absolute(html) : NULL;
    int status = rd_schedule_open(&schedule, &target, file);
    if (status) {
        free(out);
        return status;
    }
    struct rd_report report = {.schedule = &schedule, .schedule_path = file};
    report.symbols = rd_symbols_open(schedule.modules, schedule.module_count);
    if (out && rd_html_write(&report, out, &error) != 0)
        status = rd_trouble("%s", error.text);
    else if (!out) {
        struct rd_look look = rd_look_for(stdout, colour);
        look.rows_max = 0;
        rd_print_report(stdout, &report, &look);
    }
    rd_symbols_close(report.symbols);
    rd_schedule_free(&schedule);
    free(out);
    return status;
}

int rd_cmd_show(char **args) {
    struct rd_args a = {args, "show"};
    const char *value, *file = NULL, *html = NULL;
    int colour = 0;
    for (;;) {
        int option = rd_args_next(&a, options, &value);
        if (option == -2)
            return RD_EXIT_TROUBLE;
        if (option == OPT_HELP)
            return rd_help_show(), RD_EXIT_CLEAN;
        if (option == OPT_HTML)
            html = value;
        else if (option == OPT_COLOUR && (colour = rd_parse_word("color", value, "auto always never")) < 0)
            return RD_EXIT_TROUBLE;
        if (option >= 0)
            continue;
        if (!*a.at)
            break;
        if (file)
            return rd_trouble("one schedule file at a time, not '%s' too", *a.at);
        file = *a.at++;
    }
    return file ? show(file, html, colour) : rd_trouble("no schedule file given (see 'raddle help show')");
}
