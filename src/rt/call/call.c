/*
 * call.c - a call out of instrumented code, at the moment at which it is made (call.h).
 *
 * Invariants: the extents of a pending operation are in the thread's own memory, by address, and kept, by place.
 * They do not change while the operation is pending.
 */
#include "rt/call/call.h"

#include "rt/hook/hook.h"
#include "rt/layout.h"
#include "rt/access/shared_access.h"
#include "trace/event.h"
#include "trace/place.h"

#include <errno.h>
#include <setjmp.h>

struct rd_callee *rd_callees;
struct rd_arena rd_call_arena;
struct rd_extents_table *rd_call_kept;

static struct rd_called *called(void) {
    struct rd_vthread *v = rd_self;
    if (!v->called) {
        rd_rt_enter();
        v->called = rd_arena_zero(&rd_rt.arena, sizeof *v->called);
        rd_rt_leave();
    }
    return v->called;
}

/* The list by place, without what is the thread's own. Memory is named by its first byte; it does not go beyond its
 * region. */
static void name_extents(struct rd_extents *to, const struct rd_extents *from) {
    to->count = 0;
    to->pad = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        struct rd_extent e = from->at[i];
        if (e.own)
            continue;
        if (e.object)
            e.first = e.last = rd_place_object(e.first) ? rd_place_object(e.first) : e.first;
        else
            rd_place_span(rd_place_of(e.first), e.last - e.first + 1, &e.first, &e.last);
        to->at[to->count++] = e;
    }
}

/* The call at pc touches what is in the list of this turn. */
static void keep(struct rd_called *k, bool wide, uint64_t named, uint64_t pc) {
    struct rd_extents places;
    const struct rd_extents *x = &k->by_address[k->turn];
    rd_rt_enter();
    name_extents(&places, x);
    k->kept = places.count && rd_call_kept ? rd_extents_keep(rd_call_kept, &places) : NULL;
    rd_rt_leave();
    k->wide = wide || (places.count && !k->kept);
    if (k->wide)
        rd_sharing_all(); /* it may touch what only one thread has used so far */
    k->pc = pc;
    k->named = named;
}

static struct rd_op op_of(const struct rd_called *k) {
    struct rd_op op = {.kind = RD_OP_CALL, .addr = k->named, .pc = k->pc};
    op.order = (uint8_t)((k->kept ? RD_ACCESS_EXTENTS : RD_ACCESS_PLAIN) | (k->wide ? RD_ACCESS_WIDE : 0));
    if (k->kept) {
        op.addr2 = (uintptr_t)&k->by_address[k->turn];
        op.place2 = (uintptr_t)k->kept;
    }
    return op;
}

static void operate(struct rd_called *k) {
    rd_rt_op(op_of(k));
    k->steps = rd_rt.engine.rec.out->steps;
}

static bool takes_extents(unsigned kind) {
    return (kind >= RD_OP_IO_RECEIVE && kind <= RD_OP_IO_CONTROL) || kind == RD_OP_PROCESS_WAIT;
}

/* pre: the operation is of a hook, and its names are not looked up yet. */
void rd_call_attach(struct rd_op *op) {
    struct rd_called *k = rd_self->called;
    if (!takes_extents(op->kind) || k->pc != op->pc || (!k->kept && !k->wide) ||
        rd_access_mode_has_extents(op->order))
        return;
    bool wide = k->wide || rd_access_mode_is_wide(op->order);
    if (op->addr2) { /* the second object is one of the extents then */
        struct rd_extent e = {.first = op->addr2, .last = op->addr2, .touch = RD_TOUCH_WRITE, .object = true};
        wide |= !rd_extents_add(&k->by_address[k->turn], &e);
        keep(k, wide, k->named, k->pc);
        wide = k->wide;
    }
    op->order = (uint8_t)((k->kept ? RD_ACCESS_EXTENTS : rd_access_mode(op->order)) | (wide ? RD_ACCESS_WIDE : 0));
    if (!k->kept)
        return;
    op->addr2 = (uintptr_t)&k->by_address[k->turn];
    op->place2 = (uintptr_t)k->kept;
}

enum which { ALL, OWN_ONLY };

/* Reports errors of the heap in the memory that the call touches, or only in the memory that is the thread's own.
 * pre: the call's turn has come; what is the thread's own can be looked at before. */
static void check_heap(const struct rd_extents *x, enum which which, uint64_t pc) {
    for (uint32_t i = 0; i < x->count; i++) {
        const struct rd_extent *e = &x->at[i];
        uint64_t size = e->last - e->first + 1;
        if (!e->object && !e->bound && size <= UINT32_MAX && (e->own || which == ALL))
            rd_heap_look(e->first, (uint32_t)size, e->touch == RD_TOUCH_WRITE ? RD_OP_WRITE : RD_OP_READ, pc);
    }
}

void rd_call_check_heap(const struct rd_op *op, uint64_t pc) {
    if (op->kind != RD_OP_CALL) /* known() checks the memory of a call when it has looked at the arguments again */
        check_heap((const struct rd_extents *)(uintptr_t)op->addr2, ALL, pc);
}

static bool alone(void) { return rd_rt.engine.world.unjoined == 0; }

/* Are there operations at all for what a call touches? */
static bool counts(void) {
    bool on = rd_hook_on() && rd_rt.all_accesses;
    if (on && RD_UNLIKELY(rd_self->ignore)) /* there are none, but others have to know what it uses */
        rd_sharing_all();
    return on && !rd_self->ignore;
}

static jmp_buf given_up;
static volatile bool looking;

void rd_call_fault(void) {
    if (looking)
        _longjmp(given_up, 1);
}

/* Puts what the call touches into the other list. A pointer that leads nowhere may be one that the function
 * ignores. */
static void look(struct rd_call *c, struct rd_called *k) {
    k->turn ^= 1;
    c->to = &k->by_address[k->turn];
    c->to->count = 0;
    c->wide = false;
    int saved = errno;
    rd_rt_enter();
    if (_setjmp(given_up) == 0) {
        looking = true;
        rd_call_touch(c);
    } else {
        c->to->count = 0;
        c->wide = true;
    }
    looking = false;
    rd_rt_leave();
    errno = saved;
}

/* For the summary: which functions cost the reduction most. */
static void count_opaque(const struct rd_callee *c) {
    struct rd_summary *s = &rd_rt.channel->summary;
    uint32_t i = 0, room = RD_MIN(s->opaque_count, (uint32_t)RD_OPAQUE_MAX);
    rd_place function = rd_place_of(c->named);
    while (i < room && s->opaque[i].function != function)
        i++;
    if (i == RD_OPAQUE_MAX) {
        s->opaque_others++;
        return;
    }
    if (i >= s->opaque_count) {
        s->opaque[i] = (struct rd_opaque){function, 0};
        s->opaque_count = i + 1;
    }
    s->opaque[i].calls++;
}

static void known(struct rd_call *c, uint64_t pc) {
    struct rd_called *k = called();
    c->own_from = k->own_from = rd_heap_own();
    look(c, k);
    if (alone()) {
        check_heap(c->to, ALL, pc);
        return;
    }
    for (;;) {
        keep(k, c->wide, c->callee->named, pc);
        if (c->callee->class == RD_FUNCTION_CARRIED) {
            k->callee = c->callee;
            k->frame = *c->frame;
            k->stack = c->stack;
            check_heap(c->to, OWN_ONLY, pc);
            return;
        }
        if (!k->kept && !k->wide)
            break;
        if (k->wide)
            count_opaque(c->callee);
        const struct rd_extents *before = c->to;
        operate(k);
        look(c, k);
        if (k->wide || (rd_extents_same(before, c->to) && !c->wide))
            break;
    }
    check_heap(c->to, ALL, pc);
}

static void opaque(const struct rd_callee *c, uint64_t pc) {
    if (alone())
        return;
    count_opaque(c);
    struct rd_called *k = called();
    k->by_address[k->turn ^= 1].count = 0;
    keep(k, true, c->named, pc);
    operate(k);
}

void rd_call_announce(const struct rd_callee *callee, const struct rd_call_frame *frame, const uint64_t *from) {
    struct rd_call c = {.callee = callee, .frame = frame, .stack = from + 1};
    if (!counts() || !rd_place_is_instrumented(*from))
        return;
    if (callee->rule->opaque)
        opaque(callee, *from);
    else if (callee->rule_count)
        known(&c, *from);
}

void rd_call_handler_begin(void) {
    struct rd_vthread *v = rd_self;
    struct rd_called *own = v->called, *fresh = own ? own->spare : NULL;
    if (!own)
        return; /* nothing was called: what the handler calls is as good as the thread's own */
    rd_rt_enter();
    if (!fresh)
        fresh = rd_arena_zero(&rd_rt.arena, sizeof *fresh);
    rd_rt_leave();
    fresh->before = own;
    fresh->nested = v->nested;
    v->nested = 0;
    v->called = fresh;
}

void rd_call_handler_end(void) {
    struct rd_vthread *v = rd_self;
    struct rd_called *used = v->called;
    if (!used || !used->before)
        return;
    v->called = used->before;
    v->called->spare = used;
    v->nested = used->nested;
    used->before = NULL;
}

/* ---- nested calls ---- */

static bool on_own_stack(const uint64_t *at) {
    return (uintptr_t)at >= (uintptr_t)rd_self->stack_low && (uintptr_t)at < (uintptr_t)rd_self->stack_top;
}

static uint32_t levels(void) { return rd_self->nested % RD_CALL_MUTED; }

static void set_levels(uint32_t count) { rd_self->nested = rd_self->nested - levels() + count; }

/*
 * A nested call that was left by an exception or longjmp() does not come back. While it goes on, the thunk's return
 * address is on the stack; so if that is not there, it was left. (If it is still there, nobody has written to that
 * part of the stack since: then it is found out later. Until then operations depend on more than they need to.) Of
 * calls on other stacks, of coroutines, nothing can be told: their memory may be gone.
 */
void rd_call_forget_left(void) {
    uint32_t n = levels();
    while (n && on_own_stack(rd_self->called->level[n - 1]) &&
           *rd_self->called->level[n - 1] != (uintptr_t)rd_call_nested_return)
        n--;
    if (n != levels())
        set_levels(n);
}

/* A nested call begins; what is deeper on the same stack was left. Beyond so many the outer ones stand for it. */
static void begin_nested(const struct rd_call_frame *frame) {
    const uint64_t *at = (const uint64_t *)frame - 1, **level = rd_self->called->level;
    uint32_t n = levels();
    while (n && on_own_stack(at) && on_own_stack(level[n - 1]) && level[n - 1] <= at)
        n--;
    if (n < RD_CALL_LEVELS)
        level[n++] = at;
    set_levels(n);
}

void rd_call_back(const struct rd_call_frame *frame) {
    const uint64_t *at = (const uint64_t *)frame - 1;
    for (uint32_t i = 0; rd_self && i < levels(); i++)
        if (rd_self->called->level[i] == at)
            set_levels(i);
}

/* ---- calls ---- */

/*
 * Is this a call that the program makes? Also where the runtime starts a thread with a library's function, and
 * where a library calls back what the program has given it.
 */
static bool is_programs(uint64_t pc) {
    return rd_place_is_instrumented(pc) || levels() || (rd_self->given && rd_place_is_own(pc));
}

struct rd_call_way rd_call_out(uint32_t index, struct rd_call_frame *frame, const uint64_t *from) {
    const struct rd_callee *callee = &rd_callees[index];
    struct rd_call_way way = {callee->target, 0};
    if (rd_self && rd_self->called) { /* what was called before is over */
        rd_self->called->pc = 0;
        rd_self->called->callee = NULL;
    }
    if (callee->class == RD_FUNCTION_SYNC)
        return rd_rt_active() ? rd_call_sync(callee, frame, from) : way;
    if (callee->class == RD_FUNCTION_LOOKUP) {
        struct rd_call c = {.callee = callee, .frame = frame, .stack = from + 1};
        bool seen = rd_rt_active() && rd_place_is_instrumented(*from);
        if (seen && counts())
            known(&c, *from);
        void *found = seen ? rd_call_look_up(callee, frame) : NULL;
        return found ? (struct rd_call_way){(uintptr_t)found, 2} : way;
    }
    if (!counts() || !is_programs(*from))
        return way;
    uint64_t pc = rd_place_is_own(*from) ? callee->named : *from; /* which does not change with this library */
    if (callee->class == RD_FUNCTION_OPAQUE) {
        opaque(callee, pc);
        return way;
    }
    struct rd_call c = {.callee = callee, .frame = frame, .stack = from + 1};
    known(&c, pc);
    if (callee->calls || c.calls) {
        begin_nested(frame);
        way.nested = 1;
    }
    return way;
}

/* What the call at pc touches, with the objects that its hook knows of; without that where its caller is not seen.
 */
static void look_again(struct rd_called *k, const struct rd_call_object *objects, unsigned count, bool seen,
                       bool wide) {
    struct rd_call c = {.callee = k->callee, .frame = &k->frame, .stack = k->stack, .own_from = k->own_from};
    if (seen) {
        look(&c, k);
    } else {
        k->turn ^= 1;
        c.to = &k->by_address[k->turn];
        c.to->count = 0;
    }
    for (unsigned i = 0; i < count; i++)
        if (objects[i].name)
            rd_call_add_object(&c, objects[i].name, objects[i].touch);
    for (unsigned i = 0; i < count; i++) /* those who have it inline use the memory itself */
        if (objects[i].name && objects[i].memory)
            rd_call_add(&c, objects[i].name, objects[i].memory, objects[i].touch == RD_TOUCH_WRITE, true);
    k->wide = c.wide || wide;
}

/* The function that instrumented code has called uses these objects itself: its operation was just now. */
static bool covered(const struct rd_called *k, const struct rd_call_object *objects, unsigned count) {
    const struct rd_extents *x = &k->by_address[k->turn];
    unsigned found = 0;
    if (k->steps != rd_rt.engine.rec.out->steps || !k->steps)
        return false;
    for (unsigned i = 0; i < count; i++)
        for (uint32_t n = 0; n <= x->count; n++) {
            bool is = n < x->count && x->at[n].object && x->at[n].first == objects[i].name &&
                      (x->at[n].touch == RD_TOUCH_WRITE || objects[i].touch == RD_TOUCH_READ);
            if (!objects[i].name || is) {
                found++;
                break;
            }
        }
    return k->wide || found == count;
}

static void touch_objects(const struct rd_call_object *objects, unsigned count, bool wide, const void *function,
                          uint64_t pc) {
    if (!counts() || alone())
        return;
    struct rd_called *k = called();
    bool seen = k->pc == pc && k->callee;
    if (!seen && covered(k, objects, count))
        return;
    uint64_t named = seen ? k->callee->named : (uintptr_t)function;
    look_again(k, objects, count, seen, wide);
    for (;;) {
        keep(k, k->wide, named, pc);
        if (!k->kept && !k->wide)
            break;
        const struct rd_extents *before = &k->by_address[k->turn];
        bool was_wide = k->wide;
        operate(k);
        look_again(k, objects, count, seen, wide);
        if (was_wide || (rd_extents_same(before, &k->by_address[k->turn]) && !k->wide))
            break;
    }
    check_heap(&k->by_address[k->turn], ALL, pc);
    k->callee = NULL; /* transfers within the call, by a stream, take the extents, too: it goes on after them */
}

void rd_call_objects(const struct rd_call_object *objects, unsigned count, const void *function, uint64_t pc) {
    touch_objects(objects, count, false, function, pc);
}

void rd_call_objects_wide(const struct rd_call_object *objects, unsigned count, const void *function, uint64_t pc) {
    touch_objects(objects, count, true, function, pc);
}

void rd_call_anything(uint64_t pc, bool now) {
    if (!counts() || alone())
        return;
    struct rd_called *k = called();
    k->by_address[k->turn ^= 1].count = 0;
    k->callee = NULL;
    keep(k, true, 0, pc);
    if (now)
        operate(k);
}
