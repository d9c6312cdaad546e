/*
 * step_phrase.c - an operation and its result in a few words: "lock m", "read counter = 0", "signal cv -> T2".
 *
 * The step of a signal does not say which thread it wakes. This follows from the threads that wait at the condition
 * at that step (struct rd_waits). They are tracked by going through the steps in order, in the way of the model: a
 * waiter stays in the queue until it wakes.
 */
#include "report/report.h"

#include "trace/event.h"
#include "trace/place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void append(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void append(char *to, size_t room, const char *format, ...) {
    size_t used = strlen(to);
    va_list args;
    va_start(args, format);
    vsnprintf(to + used, room - used, format, args);
    va_end(args);
}

/* The called function, or the stream that it works on if the function is not known. */
static void phrase_call(const struct rd_report *r, rd_place place, const char *object, char *to, size_t room) {
    const struct rd_frame *f = rd_place_module(place) >= 0 ? rd_symbols_at(r->symbols, place, true) : NULL;
    if (f && f->function && strcmp(f->function, "??") != 0)
        snprintf(to, room, "call %s", f->function);
    else
        snprintf(to, room, "call%s%s", object[0] ? " of " : "", object);
}

void rd_phrase_op(const struct rd_report *r, unsigned kind, rd_place place, rd_place place2, uint64_t arg, char *to,
                  size_t room) {
    char object[RD_PHRASE] = "", second[RD_PHRASE] = "";
    if (place && kind == RD_OP_FREE)
        rd_words_object(r, place, object, sizeof object);
    else if (place)
        rd_words_data(r, place, object, sizeof object);
    if (place2)
        rd_words_data(r, place2, second, sizeof second);
    const char *name = rd_op_name(kind);
    if (strncmp(name, "atomic-", 7) == 0 && kind != RD_OP_ATOMIC_BEGIN)
        snprintf(to, room, "atomic %s %s", name + 7, object);
    else if (kind == RD_OP_CREATE && arg >= RD_TID_MAX) /* its number is not known before the step */
        snprintf(to, room, "create a thread");
    else if (kind == RD_OP_CREATE || kind == RD_OP_JOIN || kind == RD_OP_TRYJOIN)
        snprintf(to, room, "%s T%u", name, (unsigned)arg);
    else if (kind == RD_OP_COND_WAIT && place2)
        snprintf(to, room, "wait %s, unlock %s", object, second);
    else if (kind == RD_OP_COND_WAKE && place2)
        snprintf(to, room, "wake %s, lock %s", object, second);
    else if ((kind == RD_OP_FUTEX_REQUEUE || kind == RD_OP_FUTEX_CMP_REQUEUE) && place2)
        snprintf(to, room, "%s %s to %s", name, object, second);
    else if (kind == RD_OP_FUTEX_WAKE_OP && place2)
        snprintf(to, room, "%s %s, change %s", name, second, object);
    else if (kind == RD_OP_FUTEX_WOKEN && place2)
        snprintf(to, room, "%s %s, moved to %s", name, object, second);
    else if (kind == RD_OP_AWAIT)
        snprintf(to, room, "wait for a change%s%s", object[0] ? " of " : "", object);
    else if (kind == RD_OP_CALL)
        phrase_call(r, place, object, to, room);
    else if (kind == RD_OP_TEAM) /* the object belongs to the OpenMP runtime and has no name */
        snprintf(to, room, "openmp");
    else if (object[0])
        snprintf(to, room, "%s %s", name, object);
    else
        snprintf(to, room, "%s", name);
}

/*
 * The place of an operation if it has one that can be named. A loop that waits (RD_OP_AWAIT) for several accesses
 * has only the beginning of a range.
 */
static rd_place nameable(unsigned kind, rd_place place, uint32_t size) {
    return kind == RD_OP_AWAIT && size > RD_ACCESS_MAX ? 0 : place;
}

void rd_phrase_pending(const struct rd_report *r, const struct rd_op *op, char *to, size_t room) {
    uint64_t arg = op->kind == RD_OP_CREATE ? RD_TID_MAX : op->arg;
    if (op->kind == RD_OP_COND_WAKE) /* the model is past the wait; for the reader the thread is still in it */
        rd_phrase_op(r, RD_OP_COND_WAIT, op->place, 0, arg, to, room);
    else if (op->kind == RD_OP_FUTEX_WOKEN)
        rd_phrase_op(r, RD_OP_FUTEX_WAIT, op->place2 ? op->place2 : op->place, 0, arg, to, room);
    else
        rd_phrase_op(r, op->kind, nameable(op->kind, op->place, op->size),
                     rd_access_mode_has_extents(op->order) ? 0 : op->place2, arg, to, room);
}

static void wait_begins(struct rd_waits *w, const struct rd_step *s) {
    if (w->count < RD_COUNT(w->at) && s->result == 0) {
        w->at[w->count].cond = s->place;
        w->at[w->count].tid = s->tid;
        w->at[w->count++].signalled = false;
    }
}

static void wait_ends(struct rd_waits *w, rd_tid tid) {
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->at[i].tid != tid)
            continue;
        memmove(&w->at[i], &w->at[i + 1], (w->count - i - 1) * sizeof w->at[0]);
        w->count--;
        return;
    }
}

/*
 * Marks the waiter number `index` of the condition, of the waiters without a signal, as signalled; or all of them.
 */
static void wake(struct rd_waits *w, rd_place cond, uint64_t index, bool all, char *to, size_t room) {
    uint64_t seen = 0;
    bool any = false;
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->at[i].cond != cond || w->at[i].signalled)
            continue;
        if (all || seen == index) {
            w->at[i].signalled = true;
            append(to, room, "%s T%u", any ? "" : " ->", w->at[i].tid);
            any = true;
        }
        seen++;
    }
    if (!any)
        append(to, room, " (nobody waits)");
}

/* The way of a signal: the waiter that it wakes, of all that could be. */
static void choice(struct rd_waits *w, const struct rd_step *s, char *to, size_t room) {
    char list[RD_PHRASE] = "", chosen[RD_PHRASE] = "";
    for (uint32_t i = 0; i < w->count; i++)
        if (w->at[i].cond == s->place && !w->at[i].signalled)
            append(list, sizeof list, "%sT%u", list[0] ? ", " : "", w->at[i].tid);
    wake(w, s->place, s->value, false, chosen, sizeof chosen);
    snprintf(to, room, "%s of %s", chosen[0] == ' ' ? chosen + 1 : chosen, list);
}

static void add_value(const struct rd_report *r, const struct rd_step *s, char *to, size_t room) {
    static const char *const orders[] = {"relaxed", "consume", "acquire", "release", "acq_rel"};
    unsigned flags = rd_op_flags(s->op);
    if (s->flags & RD_STEP_HAS_VALUE && nameable(s->op, s->place, s->size)) {
        char value[RD_PHRASE];
        rd_words_value(r, s->place, s->value, s->size, value, sizeof value);
        append(to, room, " = %s", value);
    }
    if (((flags & RD_F_ATOMIC) || s->op == RD_OP_FENCE) && rd_access_mode(s->order) < RD_COUNT(orders))
        append(to, room, " (%s)", orders[RD_ORDER_OF(s->order)]);
    if (s->op == RD_OP_MUTEX_TRYLOCK && s->result == EBUSY)
        append(to, room, " -> busy");
    else if (s->op == RD_OP_ATOMIC_CAS && s->result)
        append(to, room, " -> failed");
    else if (s->result)
        append(to, room, " -> %s", strerrorname_np(s->result) ? strerrorname_np(s->result) : "error");
}

/* Is it an operation of a futex? Its waiters are not tracked: the steps do not say for which wake-ups they wait. */
static bool is_futex(unsigned kind) { return kind >= RD_OP_FUTEX_WAIT && kind <= RD_OP_FUTEX_WAKE_OP; }

/* The way that was chosen for the operation `inside` of the step before. */
static void phrase_way(struct rd_waits *w, const struct rd_step *s, unsigned inside, char *to, size_t room) {
    if (inside == RD_OP_CHOOSE)
        snprintf(to, room, "-> %u of 0..%u", (unsigned)s->value, s->ncand - 1u);
    else if (inside == RD_OP_COND_WAIT || inside == RD_OP_FUTEX_WAIT)
        snprintf(to, room, s->value ? "-> will wake without a signal" : "-> will wake only by a signal");
    else if (inside == RD_OP_COND_WAKE)
        snprintf(to, room, s->value ? "-> is cancelled" : "-> returns before it is cancelled");
    else if (is_futex(inside))
        snprintf(to, room, "-> waiter %u of %u", (unsigned)s->value + 1, s->ncand);
    else
        choice(w, s, to, room);
}

void rd_phrase_step(const struct rd_report *r, struct rd_waits *w, uint32_t step, char *to, size_t room) {
    const struct rd_schedule *schedule = r->schedule;
    const struct rd_step *s = &schedule->steps[step];
    if (s->op == RD_OP_WAITER) {
        phrase_way(w, s, step > 0 ? s[-1].op : RD_OP_NONE, to, room);
        return;
    }
    rd_phrase_op(r, s->op, nameable(s->op, s->place, s->size), s->flags & RD_STEP_VALUE2 ? s->value : 0,
                 s->flags & (RD_STEP_VALUE2 | RD_STEP_HAS_VALUE) || rd_access_mode_has_extents(s->order)
                     ? RD_TID_MAX
                     : s->value,
                 to, room);
    add_value(r, s, to, room);
    if (s->op == RD_OP_FUTEX_WAKE && s->value == 0)
        append(to, room, " (nobody waits)");
    else if (s->op == RD_OP_FUTEX_WAKE)
        append(to, room, " -> %u woken", rd_futex_count(s->value));
    bool chosen = step + 1 < schedule->step_count && schedule->steps[step + 1].op == RD_OP_WAITER;
    if (s->op == RD_OP_COND_WAIT)
        wait_begins(w, s);
    else if (s->op == RD_OP_COND_WAKE)
        wait_ends(w, s->tid);
    else if (s->op == RD_OP_COND_BROADCAST || (s->op == RD_OP_COND_SIGNAL && !chosen))
        wake(w, s->place, 0, s->op == RD_OP_COND_BROADCAST, to, room);
}

void rd_phrase_skip(const struct rd_report *r, struct rd_waits *w, uint32_t step) {
    char unused[RD_PHRASE];
    switch (r->schedule->steps[step].op) {
    case RD_OP_COND_WAIT:
    case RD_OP_COND_WAKE:
    case RD_OP_COND_SIGNAL:
    case RD_OP_COND_BROADCAST:
    case RD_OP_WAITER:
        rd_phrase_step(r, w, step, unused, sizeof unused);
        break;
    default:
        break;
    }
}

void rd_phrase_at(const struct rd_report *r, uint32_t step, char *to, size_t room) {
    struct rd_waits *waits = calloc(1, sizeof *waits);
    if (!waits)
        abort();
    for (uint32_t i = 0; i < step; i++)
        rd_phrase_skip(r, waits, i);
    rd_phrase_step(r, waits, step, to, room);
    free(waits);
}
