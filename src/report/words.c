/*
 * words.c - names of threads, data, values and source lines. All formats take them from here, so that text, JSON
 * and HTML agree.
 */
#include "base/text.h"
#include "report/report.h"
#include "report/run_report.h"
#include "trace/place.h"

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
}

const char *rd_words_running(const struct rd_report *r, rd_tid tid) {
    const struct rd_finding *f = &r->schedule->finding;
    return f->kind == RD_HANG && f->status == RD_HANG_BY_TIME && f->tid == tid ? "stuck" : "running";
}

/* The name that the program has given to a range of places (raddle_name). */
static bool given_name(const struct rd_schedule *s, rd_place place, char *to, size_t room) {
    unsigned region = rd_place_region(place);
    bool down = region >= RD_PLACE_STACK && region < RD_PLACE_IO;
    for (uint32_t i = 0; i < s->annotation_count; i++) {
        const struct rd_annotation *m = &s->annotations[i];
        if (m->kind != RD_ANNOTATION_NAME || place < m->first || place > m->last)
            continue;
        uint64_t offset = down ? m->last - place : place - m->first;
        if (offset)
            snprintf(to, room, "%.47s+0x%" PRIx64, m->name, offset);
        else
            snprintf(to, room, "%.47s", m->name);
        return true;
    }
    return false;
}

/* Returns whether an operation used exactly this place of a stack. */
static bool is_used(const struct rd_schedule *s, rd_place place) {
    for (uint32_t i = 0; i < s->part_count; i++)
        if (s->parts[i].used == place)
            return true;
    return false;
}

/* Returns whether the part counts for the name of this place: `used` says that operations used exactly this place.
 */
static bool counts(const struct rd_stack_part *p, rd_place place, bool used) {
    return place <= p->low && place > p->high && (!used || p->used == place);
}

/*
 * The name of a local variable: "main() queue.head", "worker() done of T2". It is what debug information says of
 * the calls that were active when operations used the place; of a place that none used exactly, of all calls that
 * had it in their part of the stack. Calls that follow each other can have different variables in one place: where
 * debug information does not say the same of all of them, the place has no name. Of one and the same call it may
 * say nothing at some addresses of code, as optimised code has it.
 */
static bool local_name(const struct rd_report *r, rd_place place, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_stack_part *named = NULL;
    unsigned tid = rd_place_region(place) - RD_PLACE_STACK;
    bool used = is_used(s, place);
    char first[256] = "", other[256];
    for (uint32_t i = 0; i < s->part_count; i++) {
        const struct rd_stack_part *p = &s->parts[i];
        if (!counts(p, place, used) || !rd_symbols_local(r->symbols, p, place, other, sizeof other))
            continue;
        if (named && strcmp(first, other) != 0)
            return false;
        named = p;
        snprintf(first, sizeof first, "%s", other);
    }
    for (uint32_t i = 0; named && i < s->part_count; i++) {
        const struct rd_stack_part *p = &s->parts[i];
        if (counts(p, place, used) && (p->low != named->low || p->high != named->high) &&
            !rd_symbols_local(r->symbols, p, place, other, sizeof other))
            return false;
    }
    if (named && tid)
        snprintf(to, room, "%s of T%u", first, tid);
    else if (named)
        snprintf(to, room, "%s", first);
    return named;
}

void rd_words_data(const struct rd_report *r, rd_place place, char *to, size_t room) {
    unsigned region = rd_place_region(place);
    bool stack = region >= RD_PLACE_STACK && region < RD_PLACE_IO;
    if (place && given_name(r->schedule, place, to, room))
        return;
    if (stack && local_name(r, place, to, room))
        return;
    if (stack)
        snprintf(to, room, "stack(T%u)-0x%" PRIx64, region - RD_PLACE_STACK, rd_place_offset(place));
    else if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK && rd_place_offset(place) >= RD_PLACE_MAPPED)
        snprintf(to, room, "mapping(T%u)+0x%" PRIx64, region - RD_PLACE_HEAP,
                 rd_place_offset(place) - RD_PLACE_MAPPED);
    else if (region >= RD_PLACE_HEAP && region < RD_PLACE_STACK)
        snprintf(to, room, "heap(T%u)+0x%" PRIx64, region - RD_PLACE_HEAP, rd_place_offset(place));
    else
        rd_symbols_data(r->symbols, place, to, room);
}

static int64_t as_signed(uint64_t value, uint32_t size) {
    unsigned unused = size > 0 && size < 8 ? 64 - 8 * size : 0;
    return (int64_t)(value << unused) >> unused;
}

void rd_words_value(uint64_t value, uint32_t size, char *to, size_t room) {
    unsigned region = rd_place_region(value);
    int64_t small = as_signed(value, size);
    if (size == 8 && region >= RD_PLACE_STACK && region < RD_PLACE_STACK + RD_TID_MAX)
        snprintf(to, room, "stack(T%u)-0x%" PRIx64, region - RD_PLACE_STACK, rd_place_offset(value));
    else if (small > -100000 && small < 1000000)
        snprintf(to, room, "%" PRId64, small);
    else
        snprintf(to, room, "0x%" PRIx64, value);
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

bool rd_compilers_optimise(const char *compilers) {
    return strstr(compilers, " -O") && (!strstr(compilers, " -O0") || strchr(compilers, ','));
}

/*
 * The variables of OpenMP: they decide how many threads a program creates, and a schedule file does not store them.
 * A value with a quote in it is left out, because it would need quoting itself.
 */
const char *rd_replay_settings(char *to, size_t room) {
    extern char **environ;
    struct rd_text t;
    rd_text_init(&t, to, room);
    for (char **e = environ; *e; e++)
        if (strncmp(*e, "OMP_", 4) == 0 && !strchr(*e, '\'')) {
            const char *value = strchr(*e, '=') + 1;
            for (const char *c = *e; c < value; c++)
                rd_text_char(&t, *c);
            rd_text_str(&t, "'");
            rd_text_str(&t, value);
            rd_text_str(&t, "' ");
        }
    return to;
}
