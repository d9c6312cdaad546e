/*
 * run.c - raddle run: search for bugs, then show each one. What a search found is stored first; then the schedule
 * is run once more with everything recorded, which confirms it and gives the report its values and stacks.
 */
#include "cli/commands.h"
#include "cli/finding.h"
#include "cli/focus.h"
#include "cli/names.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "report/coverage.h"
#include "report/json.h"
#include "search/search.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum option_index {
    OPT_STRATEGY,
    OPT_EXECUTIONS,
    OPT_TIME,
    OPT_SEED,
    OPT_POINTS,
    OPT_FOCUS,
    OPT_ISOLATION,
    OPT_KEEP_GOING,
    OPT_OUT,
    OPT_JSON,
    OPT_COVERAGE,
    OPT_MEMORY,
    OPT_QUIET,
    OPT_SHOW_OUTPUT,
    OPT_COMPLETE,
    OPT_STATUS,
    OPT_MAX_STEPS,
    OPT_MAX_SECONDS,
    OPT_SPURIOUS,
    OPT_TIMEOUTS,
    OPT_YIELDS,
    OPT_SIGNAL,
    OPT_JOBS,
    OPT_PROGRESS,
    OPT_COLOUR,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_STRATEGY] = {'s', "strategy", "NAME[:key=value,...]",
                      "how to search (see 'raddle list strategies'); default auto"},
    [OPT_EXECUTIONS] = {'n', "executions", "N", "stop after N executions, those that were cut short included"},
    [OPT_TIME] = {'t', "time", "SECONDS", "stop after so long; default 60, or no limit with -n"},
    [OPT_SEED] = {0, "seed", "N", "seed of everything random; default 1"},
    [OPT_POINTS] = {0, "points", "sync|all|auto",
                    "where threads may be switched: at synchronisation and atomics only, "
                    "or at every instrumented access"},
    [OPT_FOCUS] = {0, "focus", "var=NAME,...",
                   "preempt only at these variables, or with function=NAME,... in these functions"},
    [OPT_ISOLATION] = {0, "isolation", "auto|fork|exec",
                       "what keeps executions apart; auto is fork where that is enough"},
    [OPT_KEEP_GOING] = {'k', "keep-going", NULL, "do not stop at the first bug"},
    [OPT_OUT] = {'o', "out", "DIR", "where schedule files go; default raddle-out"},
    [OPT_JSON] = {0, "json", "FILE",
                  "write a summary as JSON; '-' is standard output (nothing else goes there then)"},
    [OPT_COVERAGE] = {0, "coverage", "FILE.csv",
                      "write what each execution added, and by preemptions in FILE.bounds.csv"},
    [OPT_MEMORY] = {0, "memory", "MIB",
                    "memory for what the search has yet to run; default no limit. A search that reaches it gives "
                    "up what matters least, or stops"},
    [OPT_QUIET] = {'q', "quiet", NULL, "print nothing but errors"},
    [OPT_SHOW_OUTPUT] = {0, "show-output", NULL, "print what the program printed in its last execution"},
    [OPT_COMPLETE] = {0, "require-complete", NULL, "a search that was not finished is trouble (exit status 2)"},
    [OPT_STATUS] = {0, "expect-status", "N", "the exit status that is no bug; default 0"},
    [OPT_MAX_STEPS] = {0, "max-steps", "N", "an execution with more operations is a hang; default 2000000"},
    [OPT_MAX_SECONDS] = {0, "max-seconds", "S", "an execution that takes longer is a hang; default 10"},
    [OPT_SPURIOUS] = {0, "spurious", "N", "let condition waits wake without a signal, up to N times an execution"},
    [OPT_TIMEOUTS] = {0, "timeouts", "N", "timed waits may give up early, up to N times an execution; default 3"},
    [OPT_YIELDS] = {0, "yields", "K",
                    "explore more rounds of loops that yield: every K-th yield lets others go first; default 1"},
    [OPT_SIGNAL] = {0, "signal", "any|fifo", "whom a signal wakes: any waiter (all are tried), or the first"},
    [OPT_JOBS] = {'j', "jobs", "N", "workers; this version searches with one"},
    [OPT_PROGRESS] = {0, "progress", "auto|always|never",
                      "a line about the search while it runs; auto: on a terminal"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the report"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

struct run_options {
    struct rd_session session;
    struct rd_focus focus;
    const char *out, *json, *coverage;
    char coverage_bounds[PATH_MAX];
    FILE *json_file, *coverage_file, *bounds_file;
    bool made_out; /* the directory was not there before */
    double time_s;
    bool quiet, show_output, require_complete, help;
    int colour, progress;
};

static volatile int interrupted;

static void on_interrupt(int sig) {
    (void)sig;
    if (++interrupted > 1)
        _exit(RD_EXIT_TROUBLE);
}

void rd_help_run(void) {
    puts("raddle run [options] [--] PROGRAM [ARGS...]\n\n"
         "Runs PROGRAM under one thread schedule after another and reports each bug with the schedule that shows "
         "it.\n"
         "A program that is compiled with 'raddle cc' or 'raddle c++' is controlled at every memory access; any "
         "other\n"
         "dynamically linked program at its synchronisation.\n");
    rd_options_help(options);
}

static bool set_number(struct run_options *o, int option, const char *value) {
    uint64_t n = 0;
    uint64_t max = option == OPT_MAX_STEPS                                                    ? 100000000
                   : option == OPT_MEMORY                                                     ? 1 << 20
                   : option == OPT_STATUS || option == OPT_SPURIOUS || option == OPT_TIMEOUTS ? 255
                                                                                              : UINT64_MAX >> 1;
    if (!rd_parse_count(options[option].name, value, max, &n))
        return false;
    struct rd_config *c = &o->session.config;
    switch (option) {
    case OPT_EXECUTIONS:
        c->executions_max = n;
        return n > 0 || (rd_trouble("--executions must be at least 1"), false);
    case OPT_SEED:
        c->seed = n;
        break;
    case OPT_JOBS:
        return n == 1 ||
               (rd_trouble("--jobs %s is not possible: this version searches with one worker", value), false);
    case OPT_STATUS:
        c->expect_status = (int32_t)n;
        break;
    case OPT_MEMORY:
        c->memory_max = n << 20;
        return n > 0 || (rd_trouble("--memory must be at least 1"), false);
    case OPT_MAX_STEPS:
        c->steps_max = (uint32_t)n;
        return n > 0 || (rd_trouble("--max-steps must be at least 1"), false);
    case OPT_YIELDS:
        c->yields = (uint32_t)n;
        return n > 0 || (rd_trouble("--yields must be at least 1"), false);
    case OPT_TIMEOUTS:
        c->timeouts = (uint8_t)n;
        break;
    default:
        c->spurious = (uint8_t)n;
    }
    return true;
}

static bool set_word(struct run_options *o, int option, const char *value) {
    static const char *const words[] = {[OPT_POINTS] = "auto sync all",
                                        [OPT_ISOLATION] = "auto fork exec",
                                        [OPT_SIGNAL] = "any fifo",
                                        [OPT_COLOUR] = "auto always never",
                                        [OPT_PROGRESS] = "auto always never"};
    int i = rd_parse_word(options[option].name, value, words[option]);
    if (i < 0)
        return false;
    if (option == OPT_POINTS)
        o->session.config.points = (uint32_t)i;
    else if (option == OPT_ISOLATION)
        o->session.isolation = (enum rd_isolation)i;
    else if (option == OPT_SIGNAL)
        o->session.config.signal_fifo = (uint8_t)i;
    else if (option == OPT_PROGRESS)
        o->progress = i;
    else
        o->colour = i;
    return true;
}

static bool set_strategy(struct run_options *o, const char *value) {
    struct rd_params params;
    char error[160];
    struct rd_config *c = &o->session.config;
    if (strlen(value) >= sizeof c->strategy)
        return rd_trouble("this strategy is too long"), false;
    const struct rd_search *search = rd_search_parse(value, &params, error, sizeof error);
    if (search == &rd_search_profile)
        return rd_trouble("'%s' is no strategy; see 'raddle list variables'", value), false;
    if (!search)
        return rd_trouble("%s", error), false;
    strcpy(c->strategy, value);
    return true;
}

static bool apply(struct run_options *o, int option, const char *value) {
    switch (option) {
    case OPT_STRATEGY:
        return set_strategy(o, value);
    case OPT_EXECUTIONS:
    case OPT_JOBS:
    case OPT_SEED:
    case OPT_STATUS:
    case OPT_MEMORY:
    case OPT_MAX_STEPS:
    case OPT_SPURIOUS:
    case OPT_TIMEOUTS:
    case OPT_YIELDS:
        return set_number(o, option, value);
    case OPT_POINTS:
    case OPT_ISOLATION:
    case OPT_SIGNAL:
    case OPT_PROGRESS:
    case OPT_COLOUR:
        return set_word(o, option, value);
    case OPT_FOCUS:
        return rd_focus_add(&o->focus, value);
    case OPT_TIME:
        return rd_parse_seconds("time", value, &o->time_s);
    case OPT_MAX_SECONDS:
        return rd_parse_seconds("max-seconds", value, &o->session.execution_s_max);
    case OPT_KEEP_GOING:
        o->session.config.keep_going = 1;
        break;
    case OPT_OUT:
        o->out = value;
        break;
    case OPT_JSON:
        o->json = value;
        break;
    case OPT_COVERAGE:
        o->coverage = value;
        o->session.config.coverage = 1;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_SHOW_OUTPUT:
        o->show_output = true;
        break;
    case OPT_COMPLETE:
        o->require_complete = true;
        break;
    default:
        o->help = true;
    }
    return true;
}

/* 0, or the exit status when there is nothing to run. */
static int read_options(struct run_options *o, struct rd_args *a) {
    struct rd_config *c = &o->session.config;
    *o = (struct run_options){.out = "raddle-out"};
    *c = (struct rd_config){.steps_max = 2000000, .seed = 1, .timeouts = 3, .strategy = "auto"};
    o->session.execution_s_max = 10;
    const char *value;
    int option;
    while ((option = rd_args_next(a, options, &value)) >= 0)
        if (!apply(o, option, value))
            return RD_EXIT_TROUBLE;
    if (option == -2)
        return RD_EXIT_TROUBLE;
    if (o->help) {
        rd_help_run();
        return -1;
    }
    if (!*a->at)
        return rd_trouble("no program given (see 'raddle help run')");
    if (o->time_s == 0 && c->executions_max == 0)
        o->time_s = 60;
    c->time_max_ns = (uint64_t)(o->time_s * 1e9);
    c->fair_after = RD_MIN(c->steps_max / 2, 20000u);
    return 0;
}

static int trouble(struct run_options *o, const struct rd_look *look) {
    struct rd_channel *c = o->session.worker.channel;
    struct rd_schedule schedule;
    rd_session_schedule(&schedule, o->session.target, c, NULL);
    struct rd_report report = {.schedule = &schedule, .symbols = rd_symbols_open(c->modules, c->module_count)};
    if (c->summary.trouble == RD_DIVERGED)
        rd_print_divergence(stderr, &report, &c->summary.divergence, false, look);
    else
        rd_print_refused(stderr, o->session.target->args[0], c->summary.message, look);
    rd_symbols_close(report.symbols);
    return RD_EXIT_TROUBLE;
}

static void fill_run(struct run_options *o, const struct rd_search *search, struct rd_run *run) {
    static const char *const isolation[] = {"auto", "fork", "exec"}, *const points[] = {"auto", "sync", "all"};
    const struct rd_channel *c = o->session.worker.channel;
    const struct rd_summary *s = &c->summary;
    *run = (struct rd_run){.version = RADDLE_VERSION,
                           .program = o->session.target->args[0],
                           .strategy = o->session.config.strategy,
                           .isolation = isolation[o->session.isolation],
                           .points = points[o->session.config.points],
                           .fell_back = o->session.fell_back,
                           .elapsed_s = (double)s->elapsed_ns * 1e-9,
                           .focus = o->focus.words,
                           .findings = s->found_count};
    rd_weigh_claim(run, c, search->exhaustive, search->guarantee);
}

static void show_output(const struct rd_worker *w) {
    size_t size;
    char *text = rd_output_text(w, &size);
    fwrite(text, 1, size, stdout);
    free(text);
}

static int write_json(const struct run_options *o, const struct rd_run *run, struct rd_shown *shown,
                      uint32_t count) {
    FILE *out = o->json_file;
    struct rd_report *list = calloc(count + 1, sizeof *list);
    if (!list)
        abort();
    for (uint32_t i = 0; i < count; i++)
        list[i] = shown[i].report;
    rd_json_summary(out, run, list, count);
    free(list);
    bool failed = ferror(out) || fflush(out) != 0;
    if (out != stdout)
        failed |= fclose(out) != 0;
    return failed ? rd_trouble("cannot write '%s'", o->json) : 0;
}

static int write_coverage(const struct run_options *o) {
    struct rd_channel *c = o->session.worker.channel;
    rd_coverage_executions(o->coverage_file, c);
    rd_coverage_bounds(o->bounds_file, c);
    if (c->summary.coverage.states_dropped)
        rd_trouble("coverage: only the first %d states are told apart", RD_STATES_MAX);
    bool failed = ferror(o->coverage_file) || fclose(o->coverage_file) != 0;
    if (failed)
        rd_trouble("cannot write '%s'", o->coverage);
    if (ferror(o->bounds_file) || fclose(o->bounds_file) != 0)
        failed = rd_trouble("cannot write '%s'", o->coverage_bounds);
    return failed;
}

/* Stores and shows everything that was found; the exit status. */
static int results(struct run_options *o, const struct rd_search *search, const struct rd_look *look) {
    struct rd_channel *c = o->session.worker.channel;
    const struct rd_summary *s = &c->summary;
    bool text = !o->quiet && !(o->json && strcmp(o->json, "-") == 0);
    int status = s->end == RD_END_TROUBLE ? trouble(o, look) : RD_EXIT_CLEAN;
    static struct rd_shown shown[RD_FOUND_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->found_count; i++) {
        int one = rd_finding_open(&shown[count], &o->session, i, o->out);
        status = RD_MAX(status, one);
        if (shown[count].report.schedule) {
            if (text)
                rd_print_report(stdout, &shown[count].report, look);
            count++;
        }
    }
    if (s->unstored)
        rd_trouble("no room for the schedules of %llu more executions with other findings",
                   (unsigned long long)s->unstored);
    static struct rd_run run;
    fill_run(o, search, &run);
    if (o->show_output && text)
        show_output(&o->session.worker);
    if (text && s->end != RD_END_TROUBLE)
        rd_print_summary(stdout, &run, look);
    if (o->coverage && write_coverage(o) != 0)
        status = RD_EXIT_TROUBLE;
    if (o->json && write_json(o, &run, shown, count) != 0)
        status = RD_EXIT_TROUBLE;
    for (uint32_t i = 0; i < count; i++)
        rd_finding_close(&shown[i]);
    if (o->require_complete && !run.complete && status != RD_EXIT_TROUBLE)
        status = rd_trouble("the search is not complete");
    return status;
}

static FILE *open_output(const char *path) {
    FILE *f = fopen(path, "we");
    if (!f)
        rd_trouble("cannot write '%s': %s", path, strerror(errno));
    return f;
}

/* What cannot be written is better known before the search than after it. */
static bool open_outputs(struct run_options *o) {
    if (o->json) {
        o->json_file = strcmp(o->json, "-") == 0 ? stdout : open_output(o->json);
        if (!o->json_file)
            return false;
    }
    if (o->coverage) {
        size_t n = strlen(o->coverage);
        bool csv = n > 4 && strcmp(o->coverage + n - 4, ".csv") == 0;
        snprintf(o->coverage_bounds, sizeof o->coverage_bounds, "%.*s.bounds%s", (int)(csv ? n - 4 : n),
                 o->coverage, csv ? ".csv" : "");
        o->coverage_file = open_output(o->coverage);
        o->bounds_file = o->coverage_file ? open_output(o->coverage_bounds) : NULL;
        if (!o->bounds_file)
            return false;
    }
    o->made_out = mkdir(o->out, 0777) == 0;
    if ((!o->made_out && errno != EEXIST) || access(o->out, W_OK) != 0)
        return rd_trouble("cannot write to directory '%s': %s", o->out, strerror(errno)), false;
    return true;
}

int rd_cmd_run(char **args) {
    static struct run_options o;
    struct rd_args a = {args, "run"};
    int status = read_options(&o, &a);
    if (status)
        return status < 0 ? RD_EXIT_CLEAN : status;
    char error[PATH_MAX + 128];
    static struct rd_target target;
    if (rd_target_open(&target, a.at, error, sizeof error) != 0)
        return rd_trouble("%s", error);
    struct rd_params params;
    const struct rd_search *search = rd_search_parse(o.session.config.strategy, &params, error, sizeof error);
    o.session.target = &target;
    if (!rd_names_find(&o.session.config, target.path) || !rd_focus_find(&o.focus, &o.session) || !open_outputs(&o))
        return RD_EXIT_TROUBLE;
    o.session.globals = rd_names_globals;
    o.session.interrupted = &interrupted;
    bool wanted = o.progress == 1 || (o.progress == 0 && isatty(2) && !o.quiet);
    o.session.tick = wanted ? rd_progress : NULL;
    signal(SIGINT, on_interrupt);
    signal(SIGTERM, on_interrupt);
    int failed = rd_session_run(&o.session, error, sizeof error);
    if (wanted)
        rd_progress_end();
    if (failed)
        return rd_trouble("%s", error);
    struct rd_look look = rd_look_for(stdout, o.colour);
    status = results(&o, search, &look);
    if (o.made_out)
        rmdir(o.out); /* it stays if there is anything in it */
    rd_session_close(&o.session);
    return status;
}
