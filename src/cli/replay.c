/*
 * replay.c - raddle replay: run one recorded schedule again, on real kernel threads by default, once or many times;
 * under gdb with --gdb.
 */
#include "cli/commands.h"
#include "cli/run/confirm_finding.h"
#include "cli/gdb.h"
#include "cli/run/named_code.h"
#include "cli/options.h"
#include "cli/interrupt.h"
#include "drive/process/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum option_index {
    OPT_GDB,
    OPT_GDB_ARG,
    OPT_TIMES,
    OPT_BACKEND,
    OPT_RECORD,
    OPT_MAX_SECONDS,
    OPT_QUIET,
    OPT_COLOUR,
    OPT_HELP
};

static const struct rd_option options[] = {
    [OPT_GDB] = {0, "gdb", NULL, "under gdb: stops where the program fails, with all threads where they are"},
    [OPT_GDB_ARG] = {0, "gdb-arg", "ARG", "one more argument for gdb, after the program has stopped (may repeat)"},
    [OPT_TIMES] = {0, "times", "N", "N times; all must show the same"},
    [OPT_BACKEND] = {0, "backend", "kernel|virtual",
                     "a kernel thread each (default), or all on one as in a search"},
    [OPT_RECORD] = {0, "record", "OUT", "store the schedule as it was run"},
    [OPT_MAX_SECONDS] = {0, "max-seconds", "S", "an execution that takes longer is a hang; default 10"},
    [OPT_QUIET] = {'q', "quiet", NULL, "print nothing but errors"},
    [OPT_COLOUR] = {0, "color", "auto|always|never", "colours in the report"},
    [OPT_HELP] = {'h', "help", NULL, "this text"},
    {0, NULL, NULL, NULL},
};

void rd_help_replay(void) {
    puts("raddle replay [options] FILE\n\n"
         "Runs the schedule in FILE again and shows the same finding. Exit status: 1 it showed, 0 it did not, 2 "
         "the\n"
         "execution did not follow the schedule, or other trouble.\n");
    rd_options_help(options);
}

struct replay {
    struct rd_schedule schedule;
    struct rd_target target;
    struct rd_gdb gdb;
    uint64_t times;
    enum rd_backend backend;
    const char *file, *record;
    double execution_s_max;
    bool quiet, use_gdb;
    int colour;
    char *first; /* what the first recording holds */
    size_t first_size;
};

static bool apply(struct replay *r, int option, const char *value) {
    int word;
    switch (option) {
    case OPT_GDB:
        r->use_gdb = true;
        return true;
    case OPT_GDB_ARG:
        if (r->gdb.arg_count == RD_GDB_ARGS)
            return rd_trouble("too many --gdb-arg"), false;
        r->gdb.args[r->gdb.arg_count++] = value;
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
    default:
        r->colour = rd_parse_word("color", value, "auto always never");
        return r->colour >= 0;
    }
}

/* Options may come before and after the file. */
static int read_options(struct replay *r, char **args) {
    struct rd_args a = {args, "replay"};
    const char *value;
    *r = (struct replay){.times = 1, .backend = RD_BACKEND_KERNEL, .execution_s_max = 10};
    for (;;) {
        int option = rd_args_next(&a, options, &value);
        if (option == OPT_HELP) {
            rd_help_replay();
            return -1;
        }
        if (option >= 0 && !apply(r, option, value))
            return RD_EXIT_TROUBLE;
        if (option == -2)
            return RD_EXIT_TROUBLE;
        if (option >= 0)
            continue;
        if (!*a.at)
            break;
        if (r->file)
            return rd_trouble("one schedule file at a time, not '%s' too", *a.at);
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

/* Stores the schedule as it was run; every time must give the same bytes. */
static int record(struct replay *r, const struct rd_schedule *s) {
    struct rd_error error;
    char *text;
    size_t size;
    if (rd_session_store(s, r->record, &error) != 0)
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
    return same ? 0 : rd_trouble("two replays of '%s' were recorded differently", r->file);
}

/* An execution without a finding: what it ended with. */
static void show_end(const struct rd_outcome *o, const struct rd_report *r) {
    const char *output = r->output;
    size_t size = r->output_size;
    printf("the execution followed the schedule to its end (%u steps)\n", o->steps);
    if (size)
        puts(r->output_cut ? "the program's output (its end)" : "the program's output");
    for (size_t i = 0; i < size; i++) {
        if (i == 0 || output[i - 1] == '\n')
            fputs("  | ", stdout);
        putchar(output[i]);
    }
    if (size && output[size - 1] != '\n')
        putchar('\n');
}

/* One replay: its exit status. */
static int once(struct replay *r, bool show) {
    struct rd_error error;
    struct rd_worker w;
    if (rd_session_replay(&w, &r->target, &r->schedule, r->backend, r->execution_s_max, &error) != 0)
        return rd_trouble("%s", error.text);
    struct rd_channel *c = w.channel;
    struct rd_schedule now;
    rd_session_schedule(&now, &r->target, c, NULL);
    now.why = r->schedule.why; /* known of the schedule, not of this execution of it */
    struct rd_report report = {.schedule = &now, .schedule_path = r->file};
    report.symbols = rd_symbols_open(now.modules, now.module_count);
    char *output = rd_output_text(&w, &report.output_size, &report.output_cut);
    report.output = output;
    struct rd_look look = rd_look_for(stdout, r->colour);
    int status;
    if (c->execution.outcome.verdict == RD_DIVERGED) {
        rd_print_divergence(stderr, &report, &c->execution.outcome.divergence, true, &look);
        status = RD_EXIT_TROUBLE;
    } else if (c->execution.outcome.verdict == RD_REFUSED) {
        rd_print_refused(stderr, r->target.args[0], c->execution.outcome.message, report.symbols,
                         c->execution.outcome.unseen_pc, &look);
        status = RD_EXIT_TROUBLE;
    } else {
        rd_finding_complete(&report, &now, c);
        status =
            same_finding(&c->execution.outcome, &r->schedule.finding) && c->execution.outcome.verdict == RD_FOUND
                ? RD_EXIT_BUG
                : RD_EXIT_CLEAN;
        if (c->execution.outcome.verdict == RD_FOUND && show)
            rd_print_report(stdout, &report, &look);
        if (c->execution.outcome.verdict == RD_PASSED && show && r->schedule.finding.kind == RD_NO_FINDING)
            show_end(&c->execution.outcome, &report);
        if (r->record && record(r, &now) != 0)
            status = RD_EXIT_TROUBLE;
    }
    rd_symbols_close(report.symbols);
    free(output);
    rd_worker_close(&w);
    return status;
}

static int repeat(struct replay *r) {
    uint64_t shown = 0;
    rd_stop_install(true);
    for (uint64_t i = 0; i < r->times; i++) {
        int status = once(r, i == 0 && !r->quiet);
        if (status == RD_EXIT_TROUBLE)
            return status;
        shown += status == RD_EXIT_BUG;
    }
    const char *kind = rd_finding_name(r->schedule.finding.kind);
    if (!r->quiet && r->times > 1 && r->schedule.finding.kind != RD_NO_FINDING)
        printf("%llu of %llu replays showed the same %s\n", (unsigned long long)shown, (unsigned long long)r->times,
               kind);
    else if (!r->quiet && shown == 0 && r->schedule.finding.kind != RD_NO_FINDING)
        puts("the execution followed the schedule, and the finding did not show");
    return shown == r->times ? RD_EXIT_BUG : RD_EXIT_CLEAN;
}

/* Is that a name of the current directory? */
static bool is_here(const char *name) {
    struct stat named, here;
    return name && stat(name, &named) == 0 && stat(".", &here) == 0 && named.st_dev == here.st_dev &&
           named.st_ino == here.st_ino;
}

/* Goes to a directory, with the variable that the shell keeps for it: the program was recorded with both. */
static int go_to(const char *cwd) {
    bool kept = is_here(getenv("PWD"));
    if (chdir(cwd) != 0)
        return -1;
    if (kept && !is_here(getenv("PWD")))
        setenv("PWD", cwd, 1);
    return 0;
}

int rd_schedule_open(struct rd_schedule *s, struct rd_target *t, const char *file) {
    struct rd_error error;
    if (rd_schedule_read(s, file, &error) != 0)
        return rd_trouble("%s", error.text);
    if (go_to(s->cwd) != 0)
        return rd_trouble("cannot go to '%s', where '%s' was recorded: %s", s->cwd, file, strerror(errno));
    char *args[] = {s->program, NULL};
    if (rd_names_target(t, args, &error) != 0)
        return rd_trouble("%s", error.text);
    t->args = s->args;
    t->arg_count = s->arg_count;
    if (t->build_id_size != s->build_id_size || memcmp(t->build_id, s->build_id, s->build_id_size) != 0)
        return rd_trouble(
            "'%s' was recorded with another build of '%s'; build that again, or record anew with 'raddle run'",
            file, s->program);
    if (rd_is_predicted(s->finding.kind))
        rd_names_for_races(t);
    return 0;
}

int rd_cmd_replay(char **args) {
    static struct replay r;
    int status = read_options(&r, args);
    if (status)
        return status < 0 ? RD_EXIT_CLEAN : status;
    char absolute[PATH_MAX];
    struct rd_error error;
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    if (r.record && r.record[0] != '/') { /* the directory changes below */
        char cwd[PATH_MAX / 2];
        if (!getcwd(cwd, sizeof cwd))
            return rd_trouble("cannot tell the current directory: %s", strerror(errno));
        snprintf(absolute, sizeof absolute, "%s/%s", cwd, r.record);
        r.record = absolute;
    }
    status = rd_schedule_open(&r.schedule, &r.target, r.file);
    if (status)
        return status;
    return r.use_gdb ? rd_gdb_replay(&r.gdb, &r.target, &r.schedule) : repeat(&r);
}
