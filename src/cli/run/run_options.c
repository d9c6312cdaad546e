/* run_options.c - see run_options.h. */
#include "cli/run/run_options.h"

#include "cli/commands.h"
#include "cli/run/focus_option.h"
#include "detect/detect.h"
#include "search/search.h"
#include "search/team/team.h"

#include <sched.h>
#include <string.h>

enum {
    OPT_STRATEGY,
    OPT_EXECUTIONS,
    OPT_TIME,
    OPT_SEED,
    OPT_POINTS,
    OPT_FOCUS,
    OPT_ISOLATION,
    OPT_DETECT,
    OPT_FAIL_ON_PREDICTED,
    OPT_SUPPRESS,
    OPT_RULES,
    OPT_OUTCOMES,
    OPT_EXPECT_OUTPUT,
    OPT_KEEP_GOING,
    OPT_MINIMISE,
    OPT_NO_MINIMISE,
    OPT_OUT,
    OPT_FORMAT,
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
    OPT_ALL_STEPS,
    OPT_STATISTICS,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_STRATEGY] = {'s', "strategy", "NAME[:key=value,...]",
                      "how to search (see 'raddle list strategies'); default auto"},
    [OPT_EXECUTIONS] = {'n', "executions", "N", "stop after N executions, including those that were cut short"},
    [OPT_TIME] =
        {'t', "time", "SECONDS",
         "end the whole run after that time, including minimising and reports; default 60, or no limit with -n"},
    [OPT_SEED] = {0, "seed", "N", "seed of everything random; default 1"},
    [OPT_POINTS] =
        {0, "points", "sync|all|auto",
         "where threads may be switched: only at synchronisation, atomics and accesses that race, at every "
         "instrumented access, or (auto) at accesses to memory that threads share"},
    [OPT_FOCUS] = {0, "focus", "var=NAME,...",
                   "preempt only at these variables, or with function=NAME,... in these functions"},
    [OPT_ISOLATION] =
        {0, "isolation", "auto|snapshot|fork|exec",
         "how each execution begins in the same state; auto takes the fastest that works for the program"},
    [OPT_DETECT] = {0, "detect", "all|none|LIST",
                    "what else to look for in each execution; default races,deadlocks,heap"},
    [OPT_FAIL_ON_PREDICTED] = {0, "fail-on-predicted", NULL,
                               "a predicted deadlock is a bug (exit status 1) even if no execution could show it"},
    [OPT_SUPPRESS] =
        {0, "suppress", "FILE",
         "do not report the known findings in FILE: lines race:PATTERN for functions, files and variables, "
         "deadlock:, heap: … as in ThreadSanitizer's files (may repeat; see docs/suppressions.md)"},
    [OPT_RULES] = {0, "rules", "FILE",
                   "rules that say what the functions of libraries built without 'raddle cc' do: lock, wait, touch "
                   "memory … (may repeat; see docs/rules.md)"},
    [OPT_OUTCOMES] =
        {0, "outcomes", NULL,
         "list the different outcomes of executions: output, exit status, values of raddle_observe; implies "
         "--keep-going"},
    [OPT_EXPECT_OUTPUT] = {0, "expect-output", "FILE",
                           "a standard output that differs from the contents of FILE is a bug"},
    [OPT_KEEP_GOING] = {'k', "keep-going", NULL, "do not stop at the first bug"},
    [OPT_MINIMISE] = {0, "minimise", "SECONDS",
                      "time to simplify and explain the schedules of all bugs; default 2"},
    [OPT_NO_MINIMISE] = {0, "no-minimise", NULL, "store each schedule as it was found, without an explanation"},
    [OPT_OUT] = {'o', "out", "DIR", "directory for schedule files; default raddle-out"},
    [OPT_FORMAT] = {0, RD_OPTION_FORMATS(RD_DOCUMENT_RUN), "FILE", NULL},
    [OPT_COVERAGE] = {0, "coverage", "FILE.csv",
                      "write the new coverage of each execution to FILE.csv, the sums by preemptions to "
                      "FILE.bounds.csv, how often "
                      "each order of events came to FILE.orders.csv"},
    [OPT_MEMORY] =
        {0, "memory", "MIB",
         "memory for the executions that the search has yet to run; default no limit. A search that reaches the "
         "limit drops the least important of them, or stops"},
    [OPT_QUIET] = {'q', "quiet", NULL, "print nothing but errors"},
    [OPT_SHOW_OUTPUT] = {0, "show-output", NULL, "print what the program printed in its last execution"},
    [OPT_COMPLETE] = {0, "require-complete", NULL,
                      "a search that does not prove its claim for the whole program is trouble (exit status 2)"},
    [OPT_STATUS] = {0, "expect-status", "N", "the exit status that is no bug; default 0"},
    [OPT_MAX_STEPS] = {0, "max-steps", "N",
                       "an execution with more operations is not run to its end; default 2000000"},
    [OPT_MAX_SECONDS] =
        {0, "max-seconds", "S",
         "an execution that takes longer is a hang; default 10, or less where it is clear that it does not "
         "end (see 'raddle help time')"},
    [OPT_SPURIOUS] = {0, "spurious", "N", "let condition waits wake without a signal, up to N times an execution"},
    [OPT_TIMEOUTS] = {0, "timeouts", "N", "let timed waits time out early, the first N of each thread; default 3"},
    [OPT_YIELDS] =
        {0, "yields", "K",
         "explore more iterations of loops that yield: only every K-th yield lets other threads go first; "
         "default 1"},
    [OPT_SIGNAL] = {0, "signal", "any|fifo",
                    "the waiter that a signal wakes: any waiter (all are tried), or the first one"},
    [OPT_JOBS] = {'j', "jobs", "N",
                  "number of workers; default one for each core, once the search has run for a while"},
    [OPT_PROGRESS] = {0, "progress", "auto|always|never",
                      "show the state of the search on standard error while it runs: a block on a terminal, else a "
                      "line every few seconds; auto: only on a terminal"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the report"},
    [OPT_ALL_STEPS] = {0, "all-steps", NULL, "print every step of the execution that shows a bug"},
    [OPT_STATISTICS] = {0, "statistics", NULL, "print all numbers of the search also when it has found a bug"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

const struct rd_command rd_command_run = {
    .name = "run",
    .run = rd_cmd_run,
    .arguments = "[options] [--] PROGRAM [ARGS...]",
    .summary = "find bugs ('raddle PROGRAM' is the same)",
    .description =
        "Runs PROGRAM under one thread schedule after another and reports each bug with the schedule that shows "
        "it. "
        "A program that is compiled with 'raddle cc' or 'raddle c++' is controlled at every memory access; any "
        "other "
        "dynamically linked program at its synchronisation. Exit status: 0 no bug was found, 1 a bug was found, 2 "
        "trouble.",
    .options = options};

static bool set_number(struct rd_run_options *o, int option, const char *value) {
    uint64_t n = 0;
    uint64_t max = option == OPT_MAX_STEPS                                                    ? 100000000
                   : option == OPT_MEMORY                                                     ? 1 << 20
                   : option == OPT_YIELDS                                                     ? UINT32_MAX
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
        o->session.jobs = (uint32_t)n;
        return (n > 0 && n <= RD_TEAM_MAX) || (rd_trouble("--jobs must be from 1 to %d", RD_TEAM_MAX), false);
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

static bool set_word(struct rd_run_options *o, int option, const char *value) {
    static const char *const words[] = {[OPT_POINTS] = "auto sync all",
                                        [OPT_ISOLATION] = "auto snapshot fork exec",
                                        [OPT_SIGNAL] = "any fifo",
                                        [OPT_COLOUR] = RD_WHEN_WORDS,
                                        [OPT_PROGRESS] = RD_WHEN_WORDS};
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

static bool set_strategy(struct rd_run_options *o, const char *value) {
    struct rd_error error;
    if (rd_session_set_strategy(&o->session, value, &error) != 0)
        return rd_trouble("%s", error.text), false;
    if (o->session.search == &rd_search_profile)
        return rd_trouble("'%s' is no strategy; see 'raddle list variables'", value), false;
    return true;
}

static bool set_detect(struct rd_run_options *o, const char *value) {
    struct rd_error error;
    if (rd_detect_parse(value, &o->session.config.detect, &error))
        return true;
    return rd_trouble("%s", error.text), false;
}

static bool apply(struct rd_run_options *o, int option, const char *value) {
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
        return rd_focus_option_add(&o->focus, value);
    case OPT_TIME:
        return rd_parse_seconds("time", value, &o->time_s);
    case OPT_MAX_SECONDS:
        return rd_parse_seconds("max-seconds", value, &o->session.execution_s_max);
    case OPT_MINIMISE:
        return rd_parse_seconds("minimise", value, &o->minimise_s);
    case OPT_NO_MINIMISE:
        o->minimise_s = 0;
        break;
    case OPT_DETECT:
        return set_detect(o, value);
    case OPT_FAIL_ON_PREDICTED:
        o->session.config.fail_on_predicted = 1;
        break;
    case OPT_OUTCOMES:
        o->session.config.outcomes = o->session.config.separate = o->session.config.keep_going = 1;
        break;
    case OPT_EXPECT_OUTPUT:
        return rd_outcomes_option_expect(&o->session, value);
    case OPT_SUPPRESS:
        return rd_suppress_files_add(&o->suppress, value);
    case OPT_RULES:
        return rd_rule_files_add(&o->rules, value);
    case OPT_KEEP_GOING:
        o->session.config.keep_going = 1;
        break;
    case OPT_OUT:
        o->out = value;
        break;
    case OPT_COVERAGE:
        o->coverage = value;
        o->session.config.coverage = 1;
        break;
    case OPT_QUIET:
        o->quiet = true;
        break;
    case OPT_ALL_STEPS:
        o->all_steps = true;
        break;
    case OPT_STATISTICS:
        o->statistics = true;
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

/* Notes the path of the document in a format; of several paths for one format the last one counts. */
static void add_output(struct rd_run_options *o, const struct rd_format *format, const char *path) {
    uint32_t i = 0;
    while (i < o->output_count && o->outputs[i].format != format)
        i++;
    RD_CHECK(i < RD_RUN_OUTPUTS);
    o->output_count = RD_MAX(o->output_count, i + 1);
    o->outputs[i] = (struct rd_run_output){.format = format, .path = path};
}

/* Without --jobs: one worker for each core. Warns if --jobs asks for workers that the strategy cannot use. */
static void choose_jobs(struct rd_session *s) {
    cpu_set_t cores;
    const char *alone = rd_session_alone(s);
    if (alone && s->jobs > 1)
        rd_trouble("%s: --jobs %u has no effect", alone, s->jobs);
    if (s->jobs)
        return;
    s->jobs_later = true;
    s->jobs = sched_getaffinity(0, sizeof cores, &cores) == 0 ? (uint32_t)CPU_COUNT(&cores) : 1;
}

int rd_run_options_read(struct rd_run_options *o, struct rd_args *a) {
    struct rd_config *c = &o->session.config;
    *o = (struct rd_run_options){.out = "raddle-out"};
    *c = (struct rd_config){.steps_max = 2000000, .seed = 1, .timeouts = 3};
    RD_CHECK(set_strategy(o, "auto"));
    c->detect = rd_detect_by_default();
    o->minimise_s = 2;
    const char *value;
    int option;
    while ((option = rd_args_next(a, options, &value)) >= 0)
        if (option == OPT_FORMAT)
            add_output(o, a->format, value);
        else if (!apply(o, option, value))
            return RD_EXIT_TROUBLE;
    if (option == RD_ARGS_MISTAKE)
        return RD_EXIT_TROUBLE;
    if (o->help) {
        rd_command_help(&rd_command_run);
        return RD_RUN_OPTIONS_HELP;
    }
    if (!*a->at)
        return rd_trouble("no program given (see 'raddle help run')");
    if (o->time_s == 0 && c->executions_max == 0)
        o->time_s = 60;
    c->time_max_ns = (uint64_t)(o->time_s * 1e9);
    c->minimise_ns = (uint64_t)(o->minimise_s * 1e9);
    c->minimise_max = (uint64_t)(o->minimise_s * 10000); /* a number does not depend on the machine's load */
    c->fair_after = c->steps_max / 2;
    choose_jobs(&o->session);
    return 0;
}
