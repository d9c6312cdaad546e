/*
 * words.c - names of threads, positions in the source, numbers, signals and kinds of findings. All formats take
 * them from here, so that text, JSON and HTML agree.
 */
#include "base/text.h"
#include "report/report.h"
#include "report/run_report.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

void rd_words_thread(const struct rd_report *r, rd_tid tid, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    const char *name = tid < s->thread_count ? s->threads[tid].name : "";
    if (tid == RD_TID_NONE)
        snprintf(to, room, "no thread");
    else if (name[0])
        snprintf(to, room, "T%u \"%.15s\"", tid, name);
    else
        snprintf(to, room, "T%u%s", tid, tid == 0 ? " (main)" : "");
    rd_words_in_one_line(to);
}

void rd_words_in_one_line(char *text) {
    for (char *c = text; *c; c++)
        if (*c == '\n' || *c == '\r' || *c == '\v' || *c == '\f')
            *c = ' ';
}

const char *rd_words_running(const struct rd_report *r, rd_tid tid) {
    const struct rd_finding *f = &r->schedule->finding;
    return f->kind == RD_HANG && f->status == RD_HANG_BY_TIME && f->tid == tid ? "stuck" : "running";
}

const char *rd_words_path(const struct rd_report *r, const char *path) {
    const char *cwd = r->schedule->cwd;
    size_t n = cwd ? strlen(cwd) : 0;
    if (n > 1 && strncmp(path, cwd, n) == 0 && path[n] == '/')
        return path + n + 1;
    return path;
}

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void rd_words_frame(const struct rd_report *r, const struct rd_frame *f, bool path, char *to, size_t room) {
    if (!f)
        snprintf(to, room, "%s", "");
    else if (f->file && f->line)
        snprintf(to, room, "%s:%d", path ? rd_words_path(r, f->file) : base_of(f->file), f->line);
    else if (strcmp(f->function, "??") != 0)
        snprintf(to, room, "%s", f->function);
    else
        snprintf(to, room, "%s", f->module ? base_of(f->module) : "");
}

const char *rd_words_number(uint64_t n, char to[32]) {
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *p = to;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            *p++ = ',';
        *p++ = digits[i];
    }
    *p = 0;
    return to;
}

const char *rd_words_signal(int sig) {
    static const struct {
        int sig;
        const char *text;
    } known[] = {
        {SIGSEGV, "SIGSEGV (invalid memory access)"},
        {SIGBUS, "SIGBUS (invalid memory access)"},
        {SIGFPE, "SIGFPE (arithmetic error)"},
        {SIGILL, "SIGILL (illegal instruction)"},
        {SIGABRT, "SIGABRT (abort)"},
        {SIGTRAP, "SIGTRAP (trap)"},
        {SIGSYS, "SIGSYS (bad system call)"},
        {SIGKILL, "SIGKILL (killed)"},
        {SIGTERM, "SIGTERM (terminated)"},
    };
    for (size_t i = 0; i < RD_COUNT(known); i++)
        if (known[i].sig == sig)
            return known[i].text;
    static char other[32];
    if (sigabbrev_np(sig))
        snprintf(other, sizeof other, "SIG%s", sigabbrev_np(sig));
    else
        snprintf(other, sizeof other, "signal %d", sig);
    return other;
}

const char *rd_words_kind(unsigned kind) {
    switch (kind) {
    case RD_ASSERTION:
        return "assertion failed";
    case RD_EXIT_STATUS:
        return "wrong exit status";
    case RD_DATA_RACE:
        return "data race";
    case RD_PREDICTED_DEADLOCK:
        return "predicted deadlock";
    case RD_OUTPUT:
        return "wrong output";
    default:
        return rd_finding_name(kind);
    }
}
