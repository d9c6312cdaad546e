/* confirm_finding.c - see confirm_finding.h. */
#include "cli/run/confirm_finding.h"

#include "base/text.h"
#include "cli/look.h"
#include "cli/options.h"
#include "cli/program_output.h"
#include "cli/run/failed_check.h"
#include "cli/run/make_folder.h"
#include "cli/run/schedule_name.h"
#include "drive/deadline.h"
#include "drive/make_schedule.h"
#include "drive/process/watchdog.h"
#include "report/text/trouble.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Recording values and stacks makes an execution at most this many times slower. */
enum { DETAIL_SLOWDOWN = 10 };

/*
 * Makes the last lines of the output the message of an abort(): they often tell its reason ("terminate called after
 * throwing …"). A line that begins with a space continues the line before it. `end`: only the output before it
 * counts.
 */
static void take_message_from_output(struct rd_finding *f, const char *output, size_t end) {
    while (end && (output[end - 1] == '\n' || output[end - 1] == ' '))
        end--;
    size_t start = end;
    do
        while (start && output[start - 1] != '\n')
            start--;
    while (start && output[start] == ' ' && start--);
    if (start == end)
        return;
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    for (size_t i = start; i < end; i++)
        if (output[i] != '\n' && !(output[i] == ' ' && t.used && t.at[t.used - 1] == ' '))
            rd_text_char(&t, output[i]);
        else if (t.used && t.at[t.used - 1] != ' ')
            rd_text_char(&t, ' ');
    rd_text_str(&t, " (abort() was called)");
}

/* The end of the output that the program itself has flushed, as an index in the text of the report. */
static size_t end_of_flushed(const struct rd_report *r, const struct rd_run_result *result) {
    if (!result->flushed_from || result->config.separate)
        return r->output_size;
    return RD_MIN(result->flushed_from > r->output_cut ? result->flushed_from - r->output_cut : 0, r->output_size);
}

void rd_confirm_finding_complete(struct rd_report *report, struct rd_schedule *schedule,
                                 const struct rd_run_result *result) {
    struct rd_finding *f = &schedule->finding;
    if (f->kind == RD_ASSERTION && f->line == 0 && strcmp(f->message, "abort() was called") == 0)
        take_message_from_output(f, report->output, end_of_flushed(report, result));
    if (report->output)
        rd_failed_check_take(f, report->output, report->output_size);
    rd_facts_complete(report, f);
}

/* Writes the schedule file. Returns 0, or the exit status after a message. */
static int store(const struct rd_confirmed *f, const char *dir) {
    struct rd_error error;
    if (rd_make_folder_and_store(&f->schedule, dir, f->path, &error) == 0)
        return 0;
    return rd_trouble("%s", error.text);
}

/* Is this the path of an earlier finding of this run? */
static bool is_taken(const struct rd_confirmed_list *before, const char *path) {
    for (uint32_t i = 0; i < before->count; i++)
        if (strcmp(before->findings[i].path, path) == 0)
            return true;
    return false;
}

/* Writes the path for the schedule as it is now: in the directory, by its own name. */
static void name_file(const struct rd_confirmed *f, const struct rd_confirmed_list *before, char path[PATH_MAX]) {
    char name[RD_SCHEDULE_NAME];
    unsigned number = 0;
    do {
        rd_schedule_name(&f->report, ++number, name);
        snprintf(path, PATH_MAX, "%s/%s", before->dir, name);
    } while (is_taken(before, path));
}

/*
 * Stores the schedule with all its facts, which make a name that may be another one than the name before the
 * replay. Returns 0, or the exit status after a message.
 */
static int store_confirmed(struct rd_confirmed *f, const struct rd_confirmed_list *before) {
    char first[PATH_MAX];
    memcpy(first, f->path, sizeof first);
    name_file(f, before, f->path);
    int status = store(f, before->dir);
    if (status == 0 && strcmp(first, f->path) != 0)
        unlink(first);
    return status;
}

/* Has the replay shown the same finding? */
static bool is_same_finding(const struct rd_outcome *o, const struct rd_finding *f) {
    return o->verdict == RD_FOUND && o->finding.kind == f->kind && o->finding.key == f->key;
}

/* Is the finding a hang that the watchdog reported because the execution took too long? */
static bool is_hang_by_time(const struct rd_finding *f) {
    return f->kind == RD_HANG && f->status == RD_HANG_BY_TIME;
}

/*
 * No time is left for the replay. The finding counts all the same: its file has the schedule of the search, and
 * only values and stacks are missing. Returns 0.
 */
static int keep_unconfirmed(const struct rd_confirmed *f) {
    rd_trouble("%s: '%s' was not run again, so its report has no values and stacks ('raddle replay' shows them)",
               rd_deadline_signalled() ? "stopped by a signal" : "the time is over", f->path);
    return 0;
}

/* Explains why the replay did not show the finding. Returns the exit status. */
static int explain_unconfirmed(const struct rd_confirmed *f, const struct rd_finding *first, double seconds) {
    const struct rd_outcome *o = &f->replay.result.outcome;
    if (o->verdict == RD_DIVERGED) {
        struct rd_look look = rd_look_for(stderr, RD_WHEN_NEVER);
        rd_print_divergence(stderr, &f->report, &o->divergence, false, &look);
    }
    if (o->verdict == RD_FOUND && is_hang_by_time(&o->finding) && !is_hang_by_time(first))
        return rd_trouble("the schedule of the bug took longer than %g s to run again (see --max-seconds)",
                          seconds);
    return rd_trouble("the bug did not show again under the same schedule: the program is not deterministic");
}

/* Replaces the schedule of the search by that of the replay, which has values and stacks, but no explanation. */
static void take_details(struct rd_confirmed *f, const struct rd_session *s) {
    struct rd_run_result *result = &f->replay.result;
    struct rd_why why = f->schedule.why;
    rd_symbols_close(f->report.symbols);
    rd_schedule_free_sources(&f->schedule);
    rd_schedule_make(&f->schedule, s->target, result, NULL);
    f->schedule.why = why;
    f->report.symbols = rd_symbols_open(f->schedule.modules, f->schedule.module_count);
    rd_sources_note(&f->schedule, f->report.symbols);
    rd_confirm_finding_complete(&f->report, &f->schedule, result);
}

/* Replays the stored schedule with values and stacks. Returns 0, or the exit status after a message. */
static int confirm(struct rd_confirmed *f, struct rd_session *s, const struct rd_confirmed_list *before) {
    struct rd_error error;
    struct rd_finding first = f->schedule.finding;
    double limit = s->execution_s_max > 0 ? s->execution_s_max : RD_EXECUTION_S_MAX;
    double seconds = is_hang_by_time(&first) ? s->execution_s_max : limit * DETAIL_SLOWDOWN;
    if (!rd_replay_has_time())
        return keep_unconfirmed(f);
    if (rd_replay_run(&f->replay, s->target, &f->schedule, RD_BACKEND_VIRTUAL, seconds, &error) != 0)
        return rd_trouble("%s", error.text);
    const struct rd_outcome *o = &f->replay.result.outcome;
    if (o->verdict == RD_GIVEN_UP)
        return keep_unconfirmed(f);
    f->output = rd_program_output_text(&f->replay.worker, &f->report.output_size, &f->report.output_cut);
    f->report.output = f->output;
    if (!is_same_finding(o, &first))
        return explain_unconfirmed(f, &first, seconds);
    take_details(f, s);
    return store_confirmed(f, before);
}

int rd_confirm_finding(struct rd_confirmed_list *to, struct rd_session *s, uint32_t index, bool all_seen) {
    RD_CHECK(index < s->result.summary.found_count);
    const struct rd_found *found = &s->result.found[index];
    struct rd_confirmed *f = &to->findings[to->count];
    memset(f, 0, sizeof *f);
    rd_schedule_make(&f->schedule, s->target, &s->result, found);
    if (!all_seen) /* the explanation skipped executions that unseen accesses may make different */
        f->schedule.why.proved = f->schedule.why.all = 0;
    struct rd_symbols *symbols = rd_symbols_open(f->schedule.modules, f->schedule.module_count);
    f->report = (struct rd_report){
        .schedule = &f->schedule,
        .symbols = symbols,
        .schedule_path = f->path,
        .execution = found->execution,
        .shown = RD_MAX(found->count, 1u), /* 0: only executions that the summary does not count */
        .memory = found->memory,
        .memory_count = found->memory_count,
        .warning = rd_is_warning(&s->config, &found->finding)};
    rd_sources_note(&f->schedule, symbols);
    name_file(f, to, f->path);
    int status = store(f, to->dir);
    if (status) {
        rd_schedule_free_sources(&f->schedule);
        rd_symbols_close(symbols);
        f->report.schedule = NULL;
        return status;
    }
    status = confirm(f, s, to);
    to->count++;
    return status ? status : f->report.warning ? RD_EXIT_CLEAN : RD_EXIT_BUG;
}

void rd_confirm_finding_close(struct rd_confirmed *f) {
    rd_symbols_close(f->report.symbols);
    rd_schedule_free_sources(&f->schedule);
    rd_replay_close(&f->replay);
    free(f->output);
}
