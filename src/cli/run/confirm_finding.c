/* finding.c - see confirm_finding.h. */
#include "cli/run/confirm_finding.h"

#include "base/text.h"
#include "cli/options.h"
#include "drive/deadline.h"
#include "drive/process/watchdog.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 60, COLOUR_AUTO = 0, COLOUR_ALWAYS = 1 };

static size_t size_of(int fd) {
    struct stat st;
    return fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
}

/* The end of a file, as much as is kept of it for certain. */
static size_t read_end(int fd, char *to, size_t size, size_t *cut) {
    size_t kept = RD_MIN(size, (size_t)RD_OUTPUT_END);
    ssize_t n = pread(fd, to, kept, (off_t)(size - kept));
    *cut += size - kept;
    return n > 0 ? (size_t)n : 0;
}

char *rd_output_text(const struct rd_worker *w, size_t *size, size_t *cut) {
    size_t n = size_of(w->output_fd), errors = w->error_fd != w->output_fd ? size_of(w->error_fd) : 0;
    char *text = malloc(RD_MIN(n, (size_t)RD_OUTPUT_END) + RD_MIN(errors, (size_t)RD_OUTPUT_END) + 1);
    if (!text)
        abort();
    *cut = 0;
    *size = read_end(w->output_fd, text, n, cut);
    if (errors)
        *size += read_end(w->error_fd, text + *size, errors, cut);
    text[*size] = 0;
    return text;
}

struct rd_look rd_look_for(FILE *out, int colour) {
    struct winsize ws;
    bool terminal = isatty(fileno(out));
    struct rd_look look = {.rows_max = ROWS};
    if (terminal && ioctl(fileno(out), TIOCGWINSZ, &ws) == 0 && ws.ws_col >= 40)
        look.width = ws.ws_col;
    look.colour = colour == COLOUR_ALWAYS || (colour == COLOUR_AUTO && terminal && !getenv("NO_COLOR"));
    const char *locale = getenv("LC_ALL");
    locale = locale && *locale ? locale : getenv("LC_CTYPE");
    locale = locale && *locale ? locale : getenv("LANG");
    look.unicode = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
    return look;
}

/* abort() says nothing itself: its reason is what was printed last ("terminate called after throwing …"). */
static void last_words(struct rd_finding *f, const char *output, size_t end) {
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

/* Where the output ends that the program itself has flushed. */
static size_t flushed_of(const struct rd_report *r, const struct rd_channel *c) {
    if (!c->execution.flushed_from || c->config.separate)
        return r->output_size;
    return RD_MIN(c->execution.flushed_from > r->output_cut ? c->execution.flushed_from - r->output_cut : 0,
                  r->output_size);
}

void rd_finding_complete(struct rd_report *report, struct rd_schedule *schedule, const struct rd_channel *c) {
    struct rd_finding *f = &schedule->finding;
    if (f->kind == RD_ASSERTION && f->line == 0 && strcmp(f->message, "abort() was called") == 0)
        last_words(f, report->output, flushed_of(report, c));
    rd_facts_complete(report, f);
}

static int store(struct rd_shown *f) {
    struct rd_error error;
    if (rd_session_store(&f->schedule, f->path, &error) == 0)
        return 0;
    return rd_trouble("%s", error.text);
}

/* Findings of one kind are numbered. */
static void name_file(struct rd_shown *f, const struct rd_session *s, const char *dir, uint32_t index) {
    const char *name = strrchr(s->target->path, '/') + 1;
    const char *kind = rd_finding_name(f->schedule.finding.kind);
    uint32_t before = 0;
    for (uint32_t i = 0; i < index; i++)
        before += s->worker.channel->result.found[i].finding.kind == f->schedule.finding.kind;
    if (before)
        snprintf(f->path, sizeof f->path, "%s/%s.%s-%u.sched", dir, name, kind, before + 1);
    else
        snprintf(f->path, sizeof f->path, "%s/%s.%s.sched", dir, name, kind);
}

/* The same finding, as far as a second execution can tell. */
static bool confirmed(const struct rd_outcome *o, const struct rd_finding *f) {
    return o->verdict == RD_FOUND && o->finding.kind == f->kind && o->finding.key == f->key;
}

static bool by_time(const struct rd_finding *f) { return f->kind == RD_HANG && f->status == RD_HANG_BY_TIME; }

/* Recording values and stacks takes so many times as long, at most. */
enum { DETAIL_TIMES = 10 };

/* The finding stays: it was stored with the schedule of the search. Only what the report would add is not there. */
static int no_time(const struct rd_shown *f) {
    rd_trouble("%s: '%s' was not run again, so its report has no values and stacks ('raddle replay' shows them)",
               rd_deadline_signalled() ? "stopped by a signal" : "the time is over", f->path);
    return 0;
}

static int run_again(struct rd_shown *f, struct rd_session *s) {
    struct rd_error error;
    struct rd_finding first = f->schedule.finding;
    double limit = s->execution_s_max > 0 ? s->execution_s_max : RD_EXECUTION_S_MAX;
    double seconds = by_time(&first) ? s->execution_s_max : limit * DETAIL_TIMES;
    if (!rd_session_may_replay())
        return no_time(f);
    if (rd_session_replay(&f->worker, s->target, &f->schedule, RD_BACKEND_VIRTUAL, seconds, &error) != 0) {
        f->worker.channel = NULL;
        return rd_trouble("%s", error.text);
    }
    struct rd_channel *c = f->worker.channel;
    if (c->execution.outcome.verdict == RD_GIVEN_UP)
        return no_time(f);
    f->output = rd_output_text(&f->worker, &f->report.output_size, &f->report.output_cut);
    f->report.output = f->output;
    if (!confirmed(&c->execution.outcome, &first)) {
        if (c->execution.outcome.verdict == RD_DIVERGED) {
            struct rd_look look = rd_look_for(stderr, 2);
            rd_print_divergence(stderr, &f->report, &c->execution.outcome.divergence, false, &look);
        }
        if (c->execution.outcome.verdict == RD_FOUND && by_time(&c->execution.outcome.finding) && !by_time(&first))
            return rd_trouble("the schedule of the bug took longer than %g s to run again (see --max-seconds)",
                              seconds);
        return rd_trouble("the bug did not show again under the same schedule: the program is not deterministic");
    }
    rd_symbols_close(f->report.symbols);
    struct rd_why why = f->schedule.why;
    rd_session_schedule(&f->schedule, s->target, c, NULL);
    f->schedule.why = why;
    f->report.symbols = rd_symbols_open(f->schedule.modules, f->schedule.module_count);
    rd_finding_complete(&f->report, &f->schedule, c);
    return store(f);
}

int rd_finding_open(struct rd_shown *f, struct rd_session *s, uint32_t index, const char *dir, bool all_seen) {
    struct rd_channel *c = s->worker.channel;
    const struct rd_found *found = &c->result.found[index];
    memset(f, 0, sizeof *f);
    f->preemptions = found->preemptions;
    f->count = found->count;
    rd_session_schedule(&f->schedule, s->target, c, found);
    if (!all_seen) /* executions that stand for others were taken to be all there are */
        f->schedule.why.proved = f->schedule.why.all = 0;
    name_file(f, s, dir, index);
    int status = store(f);
    if (status)
        return status;
    f->report =
        (struct rd_report){.schedule = &f->schedule, .schedule_path = f->path, .execution = found->execution};
    f->report.warning = rd_is_warning(&s->config, &found->finding);
    f->report.symbols = rd_symbols_open(f->schedule.modules, f->schedule.module_count);
    status = run_again(f, s);
    return status ? status : f->report.warning ? RD_EXIT_CLEAN : RD_EXIT_BUG;
}

void rd_finding_close(struct rd_shown *f) {
    rd_symbols_close(f->report.symbols);
    if (f->worker.channel)
        rd_worker_close(&f->worker);
    free(f->output);
}
