/*
 * finding_identity.c - the identity of a finding: the same for the same bug in another execution, under another
 * schedule, with other numbers of threads, at other addresses, and in another build of the same or slightly changed
 * source.
 *
 * It is a hash of the kind and of the places that the finding is about, as a set: which of them came first does not
 * matter, nor how many threads are at one. A place counts as its function, the name of its source file without the
 * directory, and the text of its line, so that code which moves within the file stays the same; the number of the
 * line counts where the text cannot be read, and module and offset where there is no debug information.
 *
 * The places are, by kind:
 * - a data race, a lock discipline: the two accesses;
 * - a deadlock: where the threads of the cycle wait; without a cycle, where all blocked threads wait, but
 *   those that wait for the end of another thread;
 * - a predicted deadlock: where the threads take the locks of the cycle;
 * - a livelock: the operations of a round, if rounds are equal; else where the threads wait;
 * - a hang: the outermost function of the thread; where in it time or steps ran out is accident;
 * - a crash, errors of the heap: the program's innermost frame, and the allocation of the block;
 * - everything else: the position of the finding.
 *
 * An assertion adds its message, a crash its signal, an exit status its number. In messages that the program made
 * itself, digits (of any base up to 16) do not count: they are often addresses, process numbers or values.
 *
 * Which findings of one run are the same bug is another question, which findings/same_bug.c answers by the numbers
 * of lines; its head says how the answers differ.
 */
#include "base/sha256.h"
#include "report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 2 * RD_TID_MAX };

/* The places of a finding, each as a hash. */
struct places {
    const struct rd_report *r;
    uint32_t count;
    uint8_t at[PLACES][RD_SHA256_SIZE];
};

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Adds the words of a line of source, with one space between them. */
static void add_words(struct rd_sha256 *h, const char *text) {
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        size_t n = strcspn(text, " \t");
        rd_sha256_add(h, text, n);
        rd_sha256_add(h, " ", 1);
        text += n;
    }
    rd_sha256_add(h, "", 1);
}

static void add_line(void *ctx, int number, const char *text) {
    (void)number;
    add_words(ctx, text);
}

/* Adds a place by the names of its function and file. `path` opens the file. */
static void add_position(struct places *p, const char *function, const char *file, const char *path, int line) {
    struct rd_sha256 h;
    if (p->count == PLACES)
        return;
    rd_sha256_begin(&h);
    rd_sha256_add_text(&h, function);
    rd_sha256_add_text(&h, base_of(file));
    if (!rd_source_around(p->r, path, line, 0, 0, add_line, &h)) {
        char number[32];
        snprintf(number, sizeof number, "line %d", line);
        rd_sha256_add_text(&h, number);
    }
    rd_sha256_end(&h, p->at[p->count++]);
}

static void add_frame(struct places *p, const struct rd_frame *f) {
    char offset[32];
    if (!f)
        return;
    if (f->file && f->line) {
        add_position(p, f->function, f->file, f->file, f->line);
        return;
    }
    snprintf(offset, sizeof offset, "+%" PRIx64, f->pc & (((uint64_t)1 << 48) - 1));
    add_position(p, offset, f->module ? f->module : "", "", 0);
}

static void add_step(struct places *p, uint32_t step) {
    const struct rd_schedule *s = p->r->schedule;
    if (step > 0 && step <= s->step_count)
        add_frame(p, rd_facts_step_frame(p->r, step - 1));
}

static void add_deadlock(struct places *p) {
    const struct rd_schedule *s = p->r->schedule;
    rd_tid cycle[RD_TID_MAX];
    uint32_t n = rd_facts_cycle(p->r, cycle);
    for (uint32_t i = 0; i < n; i++)
        add_frame(p, rd_facts_pending_frame(p->r, cycle[i]));
    for (unsigned joins = 0; joins < 2 && !p->count; joins++)
        for (uint32_t i = 0; i < s->thread_count; i++)
            if (rd_facts_blocked(p->r, (rd_tid)i) && (joins || s->threads[i].pending.kind != RD_OP_JOIN))
                add_frame(p, rd_facts_pending_frame(p->r, (rd_tid)i));
}

static void add_livelock(struct places *p) {
    const struct rd_schedule *s = p->r->schedule;
    uint32_t first = rd_facts_livelock_round(s);
    if (first && s->step_count - first <= PLACES)
        for (uint32_t i = first; i < s->step_count; i++)
            add_step(p, i + 1);
    for (uint32_t i = 0; i < s->thread_count && !first; i++)
        if (s->threads[i].state == RD_T_READY && s->threads[i].pending.kind == RD_OP_AWAIT)
            add_frame(p, rd_facts_pending_frame(p->r, (rd_tid)i));
}

static void add_circle(struct places *p) {
    const struct rd_finding *f = &p->r->schedule->finding;
    for (uint32_t i = 0; i < f->circle_count && i < RD_CIRCLE_MAX; i++)
        if (f->circle[i])
            add_step(p, f->circle[i]);
        else if (f->tid < p->r->schedule->thread_count)
            add_frame(p, rd_facts_pending_frame(p->r, f->tid));
}

static void add_where(struct places *p) {
    struct rd_where w;
    rd_facts_where(p->r, &w);
    if (w.line && w.file[0])
        add_position(p, w.function, w.file, w.path, w.line);
    else if (w.function[0] || !p->r->schedule->finding.pc)
        add_position(p, w.function, "", "", 0);
    else
        add_frame(p, rd_symbols_at(p->r->symbols, p->r->schedule->finding.pc, true));
}

static void add_outermost(struct places *p) {
    struct rd_frame stack[RD_STACK_MAX];
    uint32_t n = rd_facts_stack(p->r, p->r->schedule->finding.tid, stack, RD_STACK_MAX);
    if (n)
        add_position(p, stack[n - 1].function, stack[n - 1].file ? stack[n - 1].file : "", "", 0);
}

static void add_places(struct places *p) {
    const struct rd_report *r = p->r;
    const struct rd_finding *f = &r->schedule->finding;
    uint32_t a, b;
    switch (f->kind) {
    case RD_DATA_RACE:
        if (rd_race_steps(r, &a, &b)) {
            add_frame(p, rd_facts_step_frame(r, a));
            add_frame(p, rd_facts_step_frame(r, b));
        }
        break;
    case RD_LOCK_DISCIPLINE:
        add_where(p);
        add_frame(p, rd_facts_other_frame(r));
        break;
    case RD_DEADLOCK:
        add_deadlock(p);
        break;
    case RD_PREDICTED_DEADLOCK:
        add_circle(p);
        break;
    case RD_LIVELOCK:
        add_livelock(p);
        break;
    case RD_HANG:
        add_outermost(p);
        break;
    default:
        add_where(p);
        add_frame(p, rd_facts_block(r, false));
    }
    if (!p->count && f->kind != RD_HANG)
        add_where(p);
}

/* The message of the finding. Of one that quotes the program's output, all that can be a digit is left out. */
static void add_message(struct rd_sha256 *h, const struct rd_finding *f) {
    bool condition = f->kind == RD_ASSERTION && !strstr(f->message, " (abort() was called)");
    if (f->kind != RD_ASSERTION && f->kind != RD_MISUSE)
        return;
    for (const char *c = f->message; *c; c++)
        if (condition || !isxdigit((unsigned char)*c))
            rd_sha256_add(h, c, 1);
}

static int by_bytes(const void *a, const void *b) { return memcmp(a, b, RD_SHA256_SIZE); }

void rd_facts_identity(const struct rd_report *r, char to[RD_IDENTITY]) {
    const struct rd_finding *f = &r->schedule->finding;
    struct places p = {.r = r};
    struct rd_sha256 h;
    uint8_t hash[RD_SHA256_SIZE];
    char number[64] = "";
    rd_sha256_begin(&h);
    rd_sha256_add_text(&h, rd_finding_name(f->kind));
    if (f->kind == RD_CRASH || f->kind == RD_EXIT_STATUS)
        snprintf(number, sizeof number, "%d", f->kind == RD_CRASH ? f->signal : f->status);
    rd_sha256_add_text(&h, number);
    add_message(&h, f);
    add_places(&p);
    qsort(p.at, p.count, sizeof *p.at, by_bytes);
    for (uint32_t i = 0; i < p.count; i++)
        if (i == 0 || memcmp(p.at[i], p.at[i - 1], sizeof p.at[i]) != 0)
            rd_sha256_add(&h, p.at[i], sizeof p.at[i]);
    rd_sha256_end(&h, hash);
    rd_sha256_hex(hash, RD_IDENTITY - 1, to);
}
