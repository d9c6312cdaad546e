/*
 * replay.c - raddle replay: runs a recorded schedule again, once or many times, by default with a kernel thread for
 * each thread of the program; with --gdb under gdb.
 */
#include "cli/commands.h"
#include "cli/run/confirm_finding.h"
#include "cli/debug/debug_replay.h"
#include "cli/interrupt.h"
#include "cli/look.h"
#include "cli/open_schedule.h"
#include "cli/options.h"
#include "cli/program_output.h"
#include "drive/make_schedule.h"
#include "drive/process/limits.h"
#include "report/text/trouble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    OPT_GDB,
    OPT_GDB_ARG,
    OPT_NO_RUN,
    OPT_AT_STEP,
    OPT_GDBSERVER,
    OPT_TIMES,
    OPT_BACKEND,
    OPT_RECORD,
    OPT_MAX_SECONDS,
    OPT_QUIET,
    OPT_ALL_STEPS,
    OPT_PROGRAM,
    OPT_COLOUR,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_GDB] = {0, "gdb", NULL, "run it under gdb, which stops where the program fails"},
    [OPT_GDB_ARG] = {0, "gdb-arg", "ARG",
                     "an argument for gdb, which handles it after the program has stopped (may repeat)"},
    [OPT_NO_RUN] = {0, "no-run", NULL, "with --gdb: do not run the program before gdb's prompt; 'run' does"},
    [OPT_AT_STEP] = {0, "at-step", "N",
                     "with --gdb: stop before step N of the schedule ('raddle show' numbers them)"},
    [OPT_GDBSERVER] = {0, "gdbserver", "[HOST:]PORT",
                       "run it under gdbserver, for debuggers of editors; prints what to type in gdb"},
    [OPT_TIMES] = {0, "times", "N", "run it N times; exit status 1 only if every replay shows the finding"},
    [OPT_BACKEND] =
        {0, "backend", "kernel|virtual",
         "run each thread of the program on a kernel thread of its own (default), or all threads on one, "
         "as in a search"},
    [OPT_RECORD] = {0, "record", "OUT", "store the schedule as it was run in the file OUT"},
    [OPT_MAX_SECONDS] = {0, "max-seconds", "S", "an execution that takes longer is a hang; default 10"},
    [OPT_QUIET] = {'q', "quiet", NULL, "print nothing but errors"},
    [OPT_ALL_STEPS] = {0, "all-steps", NULL, "print every step; otherwise those that matter are chosen"},
    [OPT_PROGRAM] =
        {0, "program", "PATH",
         "run this program, which must be the same build, instead of the one that the file names; needed for "
         "a file that you did not record yourself on this machine"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the report"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

static int command(char **args);

const struct rd_command rd_command_replay = {
    .name = "replay",
    .run = command,
    .arguments = "[options] FILE",
    .summary = "run one recorded schedule again, on real threads",
    .description =
        "Runs the schedule in FILE again and reports its finding. Exit status: 1 the finding showed again, 0 "
        "it did not, 2 the execution did not follow the schedule, or other trouble.",
    .options = options};

struct replay {
    struct rd_schedule schedule;
    struct rd_target target;
    struct rd_debug debug;
    uint64_t times;
    enum rd_backend backend;
    const char *file, *record, *program;
    double execution_s_max;
    bool quiet, use_gdb, all_steps;
    int colour;
    char *first; /* the bytes of the first recording; NULL: there is none yet */
    size_t first_size;
};

static bool apply(struct replay *r, int option, const char *value) {
    int word;
    uint64_t count = 1;
    switch (option) {
    case OPT_GDB:
        r->use_gdb = true;
        return true;
    case OPT_GDB_ARG:
        if (r->debug.arg_count == RD_DEBUG_ARGS)
            return rd_trouble("--gdb-arg can be given at most %d times", RD_DEBUG_ARGS), false;
        r->debug.args[r->debug.arg_count++] = value;
        return true;
    case OPT_NO_RUN:
        r->debug.no_run = true;
        return true;
    case OPT_AT_STEP:
        if (!rd_parse_count("at-step", value, UINT32_MAX, &count) || !count)
            return count ? false : (rd_trouble("--at-step: steps are numbered from 1"), false);
        r->debug.at_step = (uint32_t)count;
        return true;
    case OPT_GDBSERVER:
        r->debug.server = value;
        return true;
    case OPT_TIMES:
        return rd_parse_count("times", value, 1000000000, &r->times) &&
               (r->times || (rd_trouble("--times must be at least 1"), false));
    case OPT_BACKEND:
        word = rd_parse_word("backend", value, "virtual kernel");
        r->backend = (enum rd_backend)word;
        return word >= 0;
    case OPT_RECORD:
        r->record = value;
        return true;
    case OPT_MAX_SECONDS:
        return rd_parse_seconds("max-seconds", value, &r->execution_s_max);
    case OPT_QUIET:
        r->quiet = true;
        return true;
    case OPT_ALL_STEPS:
        r->all_steps = true;
        return true;
    case OPT_PROGRAM:
        r->program = value;
        return true;
    default:
        r->colour = rd_parse_word("color", value, RD_WHEN_WORDS);
        return r->colour >= 0;
    }
}

/*
 * Reads the options, which may come before and after the file. Returns 0; the exit status after a message; or -1 if
 * the help page was printed.
 */
static int read_options(struct replay *r, char **args) {
    struct rd_args a = {.at = args, .command = "replay"};
    const char *value;
    *r = (struct replay){.times = 1, .backend = RD_BACKEND_KERNEL, .execution_s_max = 10};
    for (;;) {
        int option = rd_args_next(&a, options, &value);
        if (option == OPT_HELP) {
            rd_command_help(&rd_command_replay);
            return -1;
        }
        if (option >= 0 && !apply(r, option, value))
            return RD_EXIT_TROUBLE;
        if (option == RD_ARGS_MISTAKE)
            return RD_EXIT_TROUBLE;
        if (option >= 0)
            continue;
        if (!*a.at)
            break;
        if (r->file)
            return rd_trouble("'%s': only one schedule file can be given", *a.at);
        r->file = *a.at++;
    }
    return r->file ? 0 : rd_trouble("no schedule file given (see 'raddle help replay')");
}

static bool same_finding(const struct rd_outcome *o, const struct rd_finding *f) {
    if (f->kind == RD_NO_FINDING)
        return o->verdict == RD_PASSED;
    return o->verdict == RD_FOUND && o->finding.kind == f->kind && o->finding.key == f->key &&
           o->finding.tid == f->tid && o->finding.signal == f->signal && o->finding.status == f->status &&
           (o->finding.line == 0 || f->line == 0 || o->finding.line == f->line);
}

static int read_file(const char *path, char **text, size_t *size) {
    FILE *in = fopen(path, "r");
    size_t n;
    *text = NULL;
    *size = 0;
    if (!in)
        return -1;
    do {
        *text = realloc(*text, *size + 65536);
        if (!*text)
            abort();
        n = fread(*text + *size, 1, 65536, in);
        *size += n;
    } while (n);
    fclose(in);
    return 0;
}

/* Stores the schedule as it was run. The recording of each replay must have the same bytes. */
static int store_recording(struct replay *r, const struct rd_schedule *s) {
    struct rd_error error;
    char *text;
    size_t size;
    if (rd_schedule_store(s, r->record, &error) != 0)
        return rd_trouble("%s", error.text);
    if (read_file(r->record, &text, &size) != 0)
        return rd_trouble("cannot open '%s': %s", r->record, strerror(errno));
    bool same = !r->first || (size == r->first_size && memcmp(text, r->first, size) == 0);
    if (r->first)
        free(text);
    else {
        r->first = text;
        r->first_size = size;
    }
    return same ? 0 : rd_trouble("'%s': two replays gave different recordings", r->file);
}

/* Replays the schedule once. Returns the exit status; RD_EXIT_BUG: the finding has shown again. */
static int replay_once(struct replay *r, bool show) {
    struct rd_error error;
    struct rd_replay replay;
    if (rd_replay_run(&replay, &r->target, &r->schedule, r->backend, r->execution_s_max, &error) != 0)
        return rd_trouble("%s", error.text);
    struct rd_run_result *result = &replay.result;
    const struct rd_outcome *o = &result->outcome;
    struct rd_schedule now;
    rd_schedule_make(&now, &r->target, result, NULL);
    now.why = r->schedule.why;         /* the explanation belongs to the schedule; a replay does not compute it */
    now.sources = r->schedule.sources; /* as recorded: a report shows no file that has changed since */
    now.source_count = r->schedule.source_count;
    struct rd_report report = {.schedule = &now, .schedule_path = r->file};
    report.symbols = rd_symbols_open(now.modules, now.module_count);
    char *output = rd_program_output_text(&replay.worker, &report.output_size, &report.output_cut);
    report.output = output;
    struct rd_look look = rd_look_for(stdout, r->colour);
    look.rows_max = r->all_steps ? 0 : look.rows_max;
    int status;
    if (o->verdict == RD_DIVERGED) {
        rd_print_divergence(stderr, &report, &o->divergence, true, &look);
        status = RD_EXIT_TROUBLE;
    } else if (o->verdict == RD_REFUSED) {
        rd_print_refused(stderr, r->target.args[0], o->message, report.symbols, o->unseen_pc, &look);
        status = RD_EXIT_TROUBLE;
    } else {
        rd_confirm_finding_complete(&report, &now, result);
        status = same_finding(o, &r->schedule.finding) && o->verdict == RD_FOUND ? RD_EXIT_BUG : RD_EXIT_CLEAN;
        bool passed = o->verdict == RD_PASSED && r->schedule.finding.kind == RD_NO_FINDING;
        if (show && (o->verdict == RD_FOUND || passed))
            rd_format_default()->replay(stdout, &report, &look);
        if (r->record && store_recording(r, &now) != 0)
            status = RD_EXIT_TROUBLE;
    }
    rd_symbols_close(report.symbols);
    free(output);
    rd_replay_close(&replay);
    return status;
}

static int replay_all(struct replay *r) {
    uint64_t reproduced = 0; /* replays that showed the finding */
    rd_interrupt_install(true);
    for (uint64_t i = 0; i < r->times; i++) {
        int status = replay_once(r, i == 0 && !r->quiet);
        if (status == RD_EXIT_TROUBLE)
            return status;
        reproduced += status == RD_EXIT_BUG;
    }
    const char *kind = rd_finding_name(r->schedule.finding.kind);
    if (!r->quiet && r->times > 1 && r->schedule.finding.kind != RD_NO_FINDING)
        printf("%llu of %llu replays showed the same %s\n", (unsigned long long)reproduced,
               (unsigned long long)r->times, kind);
    else if (!r->quiet && reproduced == 0 && r->schedule.finding.kind != RD_NO_FINDING)
        puts("the execution followed the schedule, and the finding did not show");
    return reproduced == r->times ? RD_EXIT_BUG : RD_EXIT_CLEAN;
}

/* The options about gdb need it. Returns 0, or the exit status after a message. */
static int check_debugger(const struct replay *r) {
    const struct rd_debug *d = &r->debug;
    if (r->use_gdb && d->server)
        return rd_trouble("--gdb and --gdbserver exclude each other");
    if (r->use_gdb)
        return 0;
    if (d->at_step && d->server)
        return rd_trouble(
            "--at-step needs --gdb (a gdb that is connected to gdbserver has the command 'raddle-at-step')");
    return d->at_step     ? rd_trouble("--at-step needs --gdb")
           : d->no_run    ? rd_trouble("--no-run needs --gdb")
           : d->arg_count ? rd_trouble("--gdb-arg needs --gdb")
                          : 0;
}

static int debug(struct replay *r, const char *file) {
    if (r->debug.at_step > r->schedule.step_count)
        return rd_trouble("there is no step %u: '%s' has %u steps", r->debug.at_step, r->file,
                          r->schedule.step_count);
    r->debug.file = file;
    return r->debug.server ? rd_debug_gdbserver(&r->debug, &r->target, &r->schedule)
                           : rd_debug_gdb(&r->debug, &r->target, &r->schedule);
}

/* Makes a path absolute, since rd_open_schedule changes the directory. False after a message. */
static bool absolute(const char *path, char to[PATH_MAX]) {
    char cwd[PATH_MAX / 2];
    if (path[0] == '/')
        return snprintf(to, PATH_MAX, "%s", path), true;
    if (!getcwd(cwd, sizeof cwd))
        return rd_trouble("cannot tell the current directory: %s", strerror(errno)), false;
    snprintf(to, PATH_MAX, "%s/%s", cwd, path);
    return true;
}

/* The command as it was typed, for the message that it needs --program. */
static const char *call_of(const struct replay *r) {
    static char call[400];
    char word[300];
    if (r->debug.server)
        snprintf(call, sizeof call, "raddle replay --gdbserver %s",
                 rd_shell_word(r->debug.server, word, sizeof word));
    else
        snprintf(call, sizeof call, "raddle replay%s", r->use_gdb ? " --gdb" : "");
    return call;
}

static int command(char **args) {
    static struct replay r;
    int status = read_options(&r, args);
    if (status)
        return status < 0 ? RD_EXIT_CLEAN : status;
    if ((status = check_debugger(&r)))
        return status;
    static char full[PATH_MAX], record[PATH_MAX];
    struct rd_error error;
    RD_CHECK(r.file); /* read_options has found one */
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (!absolute(r.file, full) || (r.record && !absolute(r.record, record)))
        return RD_EXIT_TROUBLE;
    r.record = r.record ? record : NULL;
    status = rd_open_schedule_to_run(&r.schedule, &r.target, r.file, r.program, call_of(&r));
    if (status)
        return status;
    return r.use_gdb || r.debug.server ? debug(&r, full) : replay_all(&r);
}
