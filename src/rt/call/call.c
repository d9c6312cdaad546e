/*
 * call.c - a call out of instrumented code, at the moment at which it is made (call.h).
 *
 * Invariants: the extents of a pending operation exist twice: by address, in the thread's struct rd_called, and by
 * place, in the table of kept extents. Neither list changes while the operation is pending.
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

/* Makes the list by place from the list by address. Leaves out extents of memory that only this thread knows. The
 * place of memory is that of its first byte; an extent ends at the end of its region at the latest. */
static void name_extents(struct rd_extents *to, const struct rd_extents *from) {
    to->count = 0;
    to->pad = 0;
    RD_ASSERT(from->count <= RD_EXTENTS_MAX);
    for (uint32_t i = 0; i < from->count; i++) {
        struct rd_extent e = from->at[i];
        RD_ASSERT(e.object ? e.first == e.last && !e.own : e.first <= e.last);
        if (e.own)
            continue;
        if (e.object)
            e.first = e.last = rd_place_object(e.first) ? rd_place_object(e.first) : e.first;
        else
            rd_place_span(rd_place_of(e.first), e.last - e.first + 1, &e.first, &e.last);
        to->at[to->count++] = e;
    }
}

/* Keeps the current list of `by_address` as the extents of the call at pc. */
static void keep(struct rd_called *k, bool wide, uint64_t named, uint64_t pc) {
    struct rd_extents places;
    const struct rd_extents *x = &k->by_address[k->turn];
    RD_CHECK(k->turn < RD_COUNT(k->by_address));
    rd_rt_enter();
    name_extents(&places, x);
    k->kept = places.count && rd_call_kept ? rd_extents_keep(rd_call_kept, &places) : NULL;
    rd_rt_leave();
    k->wide = wide || (places.count && !k->kept);
    RD_ASSERT(!k->kept || (rd_extents_is_kept(rd_call_kept, k->kept) && rd_extents_same(k->kept, &places)));
    if (k->wide)
        rd_sharing_all(); /* the call may touch memory that only one thread has used so far */
    k->pc = pc;
    k->named = named;
}

/* The operation of the call. */
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
    RD_CHECK(k->kept || k->wide);
    rd_rt_op(op_of(k));
    k->steps = rd_rt.engine.rec.out->steps;
}

/* Returns whether hooks make operations of this kind for functions of class RD_FUNCTION_CARRIED. */
static bool takes_extents(unsigned kind) {
    return (kind >= RD_OP_IO_RECEIVE && kind <= RD_OP_IO_CONTROL) || kind == RD_OP_PROCESS_WAIT;
}

/* pre: the operation is of a hook, and its addresses have no places yet. */
void rd_call_attach(struct rd_op *op) {
    struct rd_called *k = rd_self->called;
    if (!takes_extents(op->kind) || k->pc != op->pc || (!k->kept && !k->wide) ||
        rd_access_mode_has_extents(op->order))
        return;
    bool wide = k->wide || rd_access_mode_is_wide(op->order);
    if (op->addr2) { /* the extents take the place of the second object, so it becomes one of them */
        struct rd_extent e = {.first = op->addr2, .last = op->addr2, .touch = RD_TOUCH_WRITE, .object = true};
        wide |= !rd_extents_add(&k->by_address[k->turn], &e);
        keep(k, wide, k->named, k->pc);
        wide = k->wide;
    }
    RD_CHECK(!op->place2);
    op->order = (uint8_t)((k->kept ? RD_ACCESS_EXTENTS : rd_access_mode(op->order)) | (wide ? RD_ACCESS_WIDE : 0));
    if (!k->kept)
        return;
    op->addr2 = (uintptr_t)&k->by_address[k->turn];
    op->place2 = (uintptr_t)k->kept;
}

enum heap_part { ALL, OWN_ONLY };

/* Reports errors of the heap in the memory of the extents, or only in memory that no other thread knows.
 * pre: the call's turn has come (which memory that no other thread knows need not wait for). */
static void check_heap(const struct rd_extents *x, enum heap_part which, uint64_t pc) {
    for (uint32_t i = 0; i < x->count; i++) {
        const struct rd_extent *e = &x->at[i];
        uint64_t size = e->last - e->first + 1;
        if (!e->object && !e->bound && size <= UINT32_MAX && (e->own || which == ALL))
            rd_heap_look(e->first, (uint32_t)size, e->touch == RD_TOUCH_WRITE ? RD_OP_WRITE : RD_OP_READ, pc);
    }
}

void rd_call_check_heap(const struct rd_op *op, uint64_t pc) {
    RD_ASSERT(rd_access_mode_has_extents(op->order));
    if (op->kind != RD_OP_CALL) /* known() checks the memory of a call when it has looked at the arguments again */
        check_heap((const struct rd_extents *)(uintptr_t)op->addr2, ALL, pc);
}

static bool alone(void) { return rd_rt.engine.world.unjoined == 0; }

/* Returns whether a call is an operation at all: accesses are points, and are not ignored. */
static bool counts(void) {
    bool on = rd_hook_on() && rd_rt.all_accesses;
    if (on && RD_UNLIKELY(rd_self->ignore)) /* the call is none, but its memory may be another thread's, too */
        rd_sharing_all();
    return on && !rd_self->ignore;
}

static jmp_buf given_up;
static volatile bool looking;

void rd_call_fault(void) {
    if (looking)
        _longjmp(given_up, 1);
}

/* Evaluates the rules of the call into the other list of `by_address`. If that faults the call depends on
 * all operations: the function may ignore the bad pointer. */
static void look(struct rd_call *c, struct rd_called *k) {
    RD_CHECK(!looking && c->callee);
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
    RD_CHECK(c->to->count <= RD_EXTENTS_MAX);
    rd_rt_leave();
    errno = saved;
}

/* Counts a call that depends on all operations, for the summary: it names the functions with the most such calls.
 */
static void count_opaque(const struct rd_callee *c) {
    RD_ASSERT(c->named && c->name);
    struct rd_summary *s = &rd_rt.channel->result.summary;
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

/* A call of a function with rules. Announces its operation, and again, as long as its extents have changed when its
 * turn has come. If the hook of the function makes the operation, only keeps the extents for it. */
static void known(struct rd_call *c, uint64_t pc) {
    struct rd_called *k = called();
    RD_ASSERT(pc && c->callee->class != RD_FUNCTION_OPAQUE);
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

/* A call of a function without rules. */
static void opaque(const struct rd_callee *c, uint64_t pc) {
    RD_CHECK(c->class == RD_FUNCTION_OPAQUE || c->class == RD_FUNCTION_SYNC);
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
    RD_CHECK(callee->class == RD_FUNCTION_SYNC);
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
        return; /* the thread is in no call: the handler's calls can use the struct rd_called of the thread */
    rd_rt_enter();
    if (!fresh)
        fresh = rd_arena_zero(&rd_rt.arena, sizeof *fresh);
    rd_rt_leave();
    RD_CHECK(fresh != own && !fresh->before);
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
    RD_CHECK(used->before != used);
    v->called = used->before;
    v->called->spare = used;
    v->nested = used->nested;
    used->before = NULL;
}

/* ---- calls ---- */

/*
 * Returns whether the program makes the call with this return address. Calls of the runtime count if it calls a
 * function that the program has given it (a library's function as the start of a thread); all calls count within a
 * nested call.
 */
static bool is_programs(uint64_t pc) {
    return rd_place_is_instrumented(pc) || rd_call_levels() || (rd_self->callback && rd_place_is_own(pc));
}

struct rd_call_way rd_call_out(uint32_t index, struct rd_call_frame *frame, const uint64_t *from) {
    const struct rd_callee *callee = &rd_callees[index];
    RD_ASSERT(index < RD_CALL_THUNKS + RD_SYNC_THUNKS && callee->target && callee->name);
    struct rd_call_way way = {callee->target, 0};
    if (rd_self && rd_self->called) { /* the call before this one has returned */
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
    uint64_t pc =
        rd_place_is_own(*from) ? callee->named : *from; /* a pc that does not depend on libraddle's code */
    if (callee->class == RD_FUNCTION_OPAQUE) {
        opaque(callee, pc);
        return way;
    }
    struct rd_call c = {.callee = callee, .frame = frame, .stack = from + 1};
    known(&c, pc);
    if (callee->calls || c.calls) {
        rd_call_begin_nested(frame);
        way.nested = 1;
    }
    return way;
}

/* Makes the current list of `by_address` anew: the extents of the call (unless it is not seen, in unseen code), and
 * the objects that its hook has named. */
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
    for (unsigned i = 0; i < count; i++) /* code that has the function inline accesses the memory itself */
        if (objects[i].name && objects[i].memory)
            rd_call_add(&c, objects[i].name, objects[i].memory, objects[i].touch == RD_TOUCH_WRITE, true);
    k->wide = c.wide || wide;
}

/* Returns whether the last step was the operation of a call whose extents include these objects: then the function
 * that the program has called is using them now. */
static bool covered(const struct rd_called *k, const struct rd_call_object *objects, unsigned count) {
    const struct rd_extents *x = &k->by_address[k->turn];
    unsigned found = 0;
    RD_ASSERT(k->steps <= rd_rt.engine.rec.out->steps);
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
    RD_CHECK(function && (objects || !count));
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
    k->callee = NULL; /* pc stays: the call goes on, and operations of its transfers take the extents, too */
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
    RD_CHECK(pc);
    k->by_address[k->turn ^= 1].count = 0;
    k->callee = NULL;
    keep(k, true, 0, pc);
    if (now)
        operate(k);
}
