/* event.c - the things that each kind of operation touches; event.h says what dependence means. */
#include "trace/event.h"

#include "trace/place.h"

/*
 * Properties of a kind of operation. WIDE: it depends on every event (a fork copies the effects of all threads, an
 * exit ends all threads). TARGET: it acts on another thread. TIME: it adds to the clock. The lowest bits (TOUCH)
 * are the way in which it touches its first object; 0: the field `order` of the operation tells (RD_ACCESS_*).
 */
enum { TOUCH = 3, WIDE = 4, TARGET = 8, TIME = 16 };
static_assert((int)RD_TOUCHES - 1 <= (int)TOUCH, "an enum rd_touch fits into its bits");
static const uint8_t kinds[RD_OP_KINDS] = {
    [RD_OP_SEM_POST] = RD_TOUCH_ADD,
    [RD_OP_RELEASE] = RD_TOUCH_ADD,
    [RD_OP_AWAIT] = RD_TOUCH_WRITE, /* it can wait for the release of a read lock, which is a READ */
    [RD_OP_SEM_VALUE] = RD_TOUCH_READ,
    [RD_OP_RWLOCK_RDLOCK] = RD_TOUCH_READ,
    [RD_OP_RWLOCK_TRYRDLOCK] = RD_TOUCH_READ,
    [RD_OP_BARRIER_LEAVE] = RD_TOUCH_READ,
    [RD_OP_ACQUIRE] = RD_TOUCH_READ,
    [RD_OP_EXIT] = WIDE,
    [RD_OP_PROCESS_START] = WIDE,
    [RD_OP_PROCESS_SIGNAL] = WIDE,
    [RD_OP_CREATE] = TARGET,
    [RD_OP_JOIN] = TARGET,
    [RD_OP_TRYJOIN] = TARGET,
    [RD_OP_CANCEL] = TARGET,
    [RD_OP_SIGNAL_SEND] = TARGET,
    [RD_OP_DETACH] = TARGET,
    [RD_OP_YIELD] = TIME,
    [RD_OP_SLEEP] = TIME,
};

/* The address of a call is that of the function that is called, which is no object. */
static inline bool has_object(unsigned op) { return op != RD_OP_CALL; }

static inline uint8_t kind_of(unsigned op) { return op < RD_OP_KINDS ? kinds[op] : 0; }

static inline uint8_t touch_of(unsigned op, unsigned how) {
    uint8_t touch = kind_of(op) & TOUCH;
    if (touch)
        return touch;
    return how == RD_ACCESS_SHARED ? RD_TOUCH_READ : how == RD_ACCESS_OWN ? RD_TOUCH_NONE : RD_TOUCH_WRITE;
}

uint8_t rd_event_touch(const struct rd_op *op) { return touch_of(op->kind, rd_access_mode(op->order)); }

void rd_event_used(unsigned op, uint64_t object, uint64_t second, uint64_t used[RD_EVENT_OBJECTS]) {
    used[0] = used[1] = 0;
    switch (op) {
    case RD_OP_COND_WAKE:
        used[1] = second;
        break;
    case RD_OP_COND_WAIT:
        used[1] = second;
        used[0] = object;
        break;
    case RD_OP_MUTEX_INIT:
    case RD_OP_MUTEX_DESTROY:
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_MUTEX_CONSISTENT:
    case RD_OP_COND_INIT:
    case RD_OP_COND_DESTROY:
    case RD_OP_COND_SIGNAL:
    case RD_OP_COND_BROADCAST:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_QUEUE:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
    case RD_OP_RWLOCK_UNLOCK:
    case RD_OP_SEM_WAIT:
    case RD_OP_SEM_TRYWAIT:
    case RD_OP_SEM_POST:
    case RD_OP_SEM_VALUE:
    case RD_OP_BARRIER_ARRIVE:
    case RD_OP_ONCE_BEGIN:
    case RD_OP_ONCE_END:
    case RD_OP_OBJECT_INIT:
    case RD_OP_OBJECT_DESTROY:
        used[0] = object;
        break;
    default:
        break;
    }
}

static bool in_heap(rd_place p) {
    return rd_place_region(p) >= RD_PLACE_HEAP && rd_place_region(p) < RD_PLACE_STACK;
}

enum { NEAR = 4096 };

/*
 * Makes the event read the memory of its objects in the heap, because they can be freed. An event has one range of
 * memory: two objects that are more than NEAR apart make it wide.
 */
static void read_objects(struct rd_event *e, rd_place place, rd_place place2) {
    uint64_t used[RD_EVENT_OBJECTS];
    if (!in_heap(place) && !in_heap(place2))
        return;
    rd_event_used(e->op, in_heap(place) ? e->object[0] : 0, in_heap(place2) ? e->object[1] : 0, used);
    if (!used[0] && !used[1])
        return;
    e->access = RD_TOUCH_READ;
    e->first = used[0] && used[1] ? RD_MIN(used[0], used[1]) : used[0] + used[1];
    e->last = RD_MAX(used[0], used[1]);
    e->wide |= e->last - e->first > NEAR;
}

/*
 * Fills in the fields of the event that follow from its kind, from its memory order or way of touching (`how`), and
 * from whether it has a deadline. pre: op, objects, range of memory, target and place of the event are set.
 */
static inline void classify(struct rd_event *e, unsigned how, rd_place place2, bool timed) {
    unsigned kind = rd_op_flags(e->op);
    bool stores = kind & RD_F_STORES && e->object[0];
    bool accesses = kind & (RD_F_READS | RD_F_WRITES) || stores;
    bool wide = rd_access_mode_is_wide(how);
    how = kind & RD_F_ATOMIC ? RD_ACCESS_PLAIN : rd_access_mode(how); /* an atomic's `order` is its memory order */
    if (accesses)
        e->access = kind & RD_F_WRITES || stores ? RD_TOUCH_WRITE : RD_TOUCH_READ;
    /* the frequent case: a plain access */
    if (accesses && !stores && !(kind & RD_F_OBJECT) && how == RD_ACCESS_PLAIN && !wide && !e->object[1]) {
        e->object[0] = 0;
        return;
    }
    e->clock = timed ? RD_TOUCH_READ : kind_of(e->op) & TIME ? RD_TOUCH_ADD : RD_TOUCH_NONE;
    bool awaits_object = e->op == RD_OP_AWAIT && how == RD_ACCESS_SHARED;
    if (accesses && !(kind & RD_F_OBJECT) && !awaits_object)
        e->object[0] = 0;
    e->more = rd_extents_of(how, e->object[1]);
    if (rd_access_mode_has_extents(how))
        e->object[1] = place2 = 0;
    if (!has_object(e->op))
        e->object[0] = 0;
    e->touch[0] = e->object[0] ? touch_of(e->op, how) : RD_TOUCH_NONE;
    e->touch[1] = e->object[1] ? RD_TOUCH_WRITE : RD_TOUCH_NONE;
    e->wide = kind_of(e->op) & WIDE || wide;
    e->wide |= how == RD_ACCESS_EXTENTS && !e->more; /* a step of a schedule file: its extents are not known */
    if (e->op == RD_OP_SIGNAL_SEND && e->target == RD_TID_NONE)
        e->wide = true; /* a signal to the process: the first thread that has it unblocked takes it */
    if (!accesses)
        read_objects(e, e->place, place2);
}

static void set_memory(struct rd_event *e, rd_place p, uint32_t size) {
    rd_place_span(p, size, &e->first, &e->last);
}

static inline rd_tid target_of(unsigned op, uint64_t value) {
    return kind_of(op) & TARGET && value < RD_TID_MAX ? (rd_tid)value : RD_TID_NONE;
}

static uint64_t name_gate(uint64_t object, uint64_t gate) { return rd_hash2(object, gate) | 1; }

static inline bool was_let_go(unsigned op) { return op == RD_OP_BARRIER_LEAVE || op == RD_OP_FUTEX_WOKEN; }

void rd_event_set_gate(struct rd_event *e, uint64_t gate) {
    if (!gate)
        return;
    uint64_t name = name_gate(e->object[0], gate);
    if (was_let_go(e->op)) {
        e->object[0] = name;
        e->touch[0] = RD_TOUCH_READ;
    } else {
        e->object[1] = name;
        e->touch[1] = RD_TOUCH_WRITE;
    }
}

/*
 * Returns the gate of a pending operation, or 0. A futex waiter that was moved to another queue has the queue in
 * addr2 and no gate. A wait with a deadline could have left the queue by timing out: it touches the queue, released
 * or not.
 */
static inline uint64_t gate_of_op(const struct rd_op *op) {
    return was_let_go(op->kind) && !op->addr2 && !op->deadline ? op->arg : 0;
}

static uint64_t gate_of_step(const struct rd_step *s) {
    if (s->flags & RD_STEP_VALUE2)
        return 0;
    if (s->op == RD_OP_FUTEX_WAKE)
        return s->value >> 32;
    return s->op == RD_OP_BARRIER_ARRIVE || was_let_go(s->op) ? s->value : 0;
}

rd_place rd_event_gate(const struct rd_step *s) {
    uint64_t gate = gate_of_step(s);
    return gate ? name_gate(s->place, gate) : s->place;
}

void rd_event_set_op(struct rd_event *e, rd_tid tid, const struct rd_op *op, rd_tid other) {
    unsigned flags = rd_op_flags(op->kind);
    bool memory = (flags & (RD_F_READS | RD_F_WRITES)) && !(flags & RD_F_OBJECT);
    e->first = op->addr;
    e->last = op->addr + (op->size ? op->size - 1 : 0);
    e->touch[0] = e->touch[1] = RD_TOUCH_NONE;
    e->op = op->kind;
    e->wide = false;
    e->clock = RD_TOUCH_NONE;
    e->tid = tid;
    e->place = op->place;
    e->more = NULL;
    e->object[1] = op->addr2;
    if (memory && (op->order == RD_ACCESS_PLAIN || (flags & RD_F_ATOMIC && !rd_access_mode_is_wide(op->order))) &&
        !op->addr2) { /* the frequent case: a plain or atomic access */
        e->object[0] = 0;
        e->access = flags & RD_F_WRITES ? RD_TOUCH_WRITE : RD_TOUCH_READ;
        e->target = RD_TID_NONE;
        return;
    }
    e->object[0] = op->addr;
    e->access = RD_TOUCH_NONE;
    e->target = op->kind == RD_OP_CREATE ? other : target_of(op->kind, op->arg);
    classify(e, op->order, op->place2, op->deadline != 0);
    rd_event_set_gate(e, gate_of_op(op));
}

struct rd_event rd_event_of_op(rd_tid tid, const struct rd_op *op, rd_tid other) {
    struct rd_event e;
    rd_event_set_op(&e, tid, op, other);
    return e;
}

struct rd_event rd_event_of_pending(rd_tid tid, const struct rd_op *op) {
    struct rd_event e = {.op = op->kind, .tid = tid, .place = op->place};
    set_memory(&e, op->place, op->size);
    e.object[0] = op->place;
    e.object[1] = op->place2;
    e.target = op->kind == RD_OP_CREATE ? RD_TID_NONE : target_of(op->kind, op->arg);
    classify(&e, op->order, op->place2, op->deadline != 0);
    rd_event_set_gate(&e, gate_of_op(op));
    return e;
}

void rd_event_set_step(struct rd_event *e, const struct rd_step *s) {
    *e = (struct rd_event){.op = s->op, .tid = s->tid, .place = s->place};
    set_memory(e, s->place, s->size);
    e->object[0] = s->place;
    e->object[1] = s->flags & RD_STEP_VALUE2 || rd_access_mode_has_extents(s->order) ? s->value : 0;
    bool failed = s->op == RD_OP_CREATE && s->result;
    e->target = failed ? RD_TID_NONE : target_of(s->op, s->value);
    classify(e, s->order, e->object[1], s->timed);
    if (!(s->timed && was_let_go(s->op)))
        rd_event_set_gate(e, gate_of_step(s));
}

struct rd_event rd_event_of_step(const struct rd_step *s) {
    struct rd_event e;
    rd_event_set_step(&e, s);
    return e;
}

void rd_event_forget_mutexes(struct rd_event *e) {
    if (e->clock) /* the order of the mutex operations decides whether a timed one times out */
        return;
    switch (e->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_UNLOCK:
        e->touch[0] = RD_TOUCH_NONE;
        break;
    case RD_OP_COND_WAIT:
    case RD_OP_COND_WAKE:
        e->touch[1] = RD_TOUCH_NONE;
        break;
    default:
        break;
    }
}

bool rd_event_touches_same(const struct rd_event *a, const struct rd_event *b) {
    bool memory = a->access == b->access && a->first == b->first && a->last == b->last;
    bool same = memory && a->wide == b->wide && a->clock == b->clock && a->tid == b->tid && a->target == b->target;
    same = same && a->more == b->more; /* equal lists have one address: each is kept once */
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        same = same && a->object[i] == b->object[i] && a->touch[i] == b->touch[i];
    return same;
}

static bool touches_extent(const struct rd_event *e, const struct rd_extent *x) {
    if (!x->object)
        return rd_touch_conflict(e->access, x->touch) && e->first <= x->last && x->first <= e->last;
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (e->object[i] == x->first && rd_touch_conflict(e->touch[i], x->touch))
            return true;
    return false;
}

static bool extents_conflict(const struct rd_extent *a, const struct rd_extent *b) {
    return a->object == b->object && rd_touch_conflict(a->touch, b->touch) && a->first <= b->last &&
           b->first <= a->last;
}

bool rd_event_extents_meet(const struct rd_event *a, const struct rd_event *b) {
    uint32_t of_a = a->more ? a->more->count : 0, of_b = b->more ? b->more->count : 0;
    for (uint32_t i = 0; i < of_a; i++) {
        if (touches_extent(b, &a->more->at[i]))
            return true;
        for (uint32_t k = 0; k < of_b; k++)
            if (extents_conflict(&a->more->at[i], &b->more->at[k]))
                return true;
    }
    for (uint32_t k = 0; k < of_b; k++)
        if (touches_extent(a, &b->more->at[k]))
            return true;
    return false;
}

static uint64_t bit_of(uint64_t thing) { return (uint64_t)1 << (rd_mix(thing) & 63); }

enum { GRANULE = 8, FEW = 8 };

static uint64_t sign_of_memory(uint64_t first, uint64_t last) {
    uint64_t from = first / GRANULE, to = last / GRANULE, bits = to - from >= FEW ? UINT64_MAX : 0;
    for (uint64_t g = from; g <= to && bits != UINT64_MAX; g++)
        bits |= bit_of(g << 1);
    return bits;
}

struct rd_event_sign rd_event_sign(const struct rd_event *e) {
    enum { CLOCK = 1 }; /* the bit of object 0, which is no object */
    struct rd_event_sign s = {e->wide ? UINT64_MAX : 0, (uint64_t)1 << e->tid % 64};
    if (e->access)
        s.things |= sign_of_memory(e->first, e->last);
    for (uint32_t i = 0; e->more && i < e->more->count; i++) {
        const struct rd_extent *x = &e->more->at[i];
        s.things |= x->object ? bit_of(x->first << 1 | 1) : sign_of_memory(x->first, x->last);
    }
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        s.things |= e->touch[i] ? bit_of(e->object[i] << 1 | 1) : 0;
    s.things |= e->clock ? bit_of(CLOCK) : 0;
    s.threads |= e->target != RD_TID_NONE ? (uint64_t)1 << e->target % 64 : 0;
    s.threads |= e->wide ? UINT64_MAX : 0; /* a wide event meets events that touch no things, too */
    return s;
}
