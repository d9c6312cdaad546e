/*
 * sim.c - one execution of a simulated program. It owns the program's state (variables, registers, program
 * counters) and drives the engine by the protocol of engine.h: the model performs the chosen operation, then this
 * file applies its effect to memory and registers, then the thread runs to its next visible instruction and
 * announces it. Addresses are synthetic: each kind of object has a range, and each instruction a code location.
 */
#include "sim.h"
#include "sim_check.h"

#include "model/model.h"
#include "trace/place.h"
#include "trace/profile.h"

#include <errno.h>
#include <string.h>

enum { VAR_AT = 0x10000, MUTEX_AT = 0x20000, COND_AT = 0x30000, CODE_AT = 0x400000 };
enum { RWLOCK_AT = 0x40000, SEM_AT = 0x50000, BARRIER_AT = 0x60000, ONCE_AT = 0x70000 };
enum { BLOCK_AT = 0x80000, BLOCK_SIZE = 128, BLOCK_MUTEX = 64 };
enum { SIGNAL = 10 }; /* the signal that SIM_SEND sends */

static int value_of(const struct sim *s, uint32_t t, const struct sim_instr *i) {
    return i->expr ? i->expr(s->reg[t]) : i->value;
}

static void fail(struct sim *s, uint32_t t, rd_place pc) {
    if (s->failed)
        return;
    s->failed = true;
    if (s->options.asserts_go_on)
        return;
    struct rd_finding *f = &s->rec.out->finding;
    *f = (struct rd_finding){.kind = RD_ASSERTION, .tid = s->tid_of[t], .pc = pc};
    f->key = rd_hash2(RD_ASSERTION, pc);
}

static rd_place pc_of(uint32_t t, uint32_t i) {
    return rd_place_make(RD_PLACE_MODULE, CODE_AT + t * 0x1000 + i * 4);
}

/* Does a failing assert of the thread let the others go on first, as in the runtime (rt/thread/failure_point.h)? */
static bool fails_later(const struct sim *s, uint32_t t) {
    return s->options.asserts_are_points && !s->options.asserts_go_on && !s->has_read[t];
}

/* Runs the invisible instructions up to the next visible one. Returns false if the thread ends. */
static bool glue(struct sim *s, uint32_t t) {
    const struct sim_program *p = s->program;
    while (s->at[t] < p->length[t]) {
        const struct sim_instr *i = &p->code[t][s->at[t]];
        if (i->kind < SIM_SET || (i->kind == SIM_ASSUME && !value_of(s, t, i)))
            return true;
        if (i->kind == SIM_ASSERT && fails_later(s, t) && !value_of(s, t, i))
            return true;
        if (i->kind == SIM_END)
            return false;
        bool jump = i->kind == SIM_GOTO || (i->kind == SIM_IF && value_of(s, t, i)) ||
                    (i->kind == SIM_IF_ZERO && !value_of(s, t, i));
        if (i->kind == SIM_SET)
            s->reg[t][i->reg] = value_of(s, t, i);
        if (i->kind == SIM_ASSERT && !value_of(s, t, i))
            fail(s, t, pc_of(t, s->at[t]));
        s->at[t] = jump ? s->label[t][i->object] : s->at[t] + 1;
    }
    return false;
}

static rd_place place_of(uint64_t addr) {
    return rd_place_make(addr >= BLOCK_AT ? RD_PLACE_HEAP : RD_PLACE_MODULE, addr);
}

static void name_object(struct rd_op *op, uint64_t addr) {
    op->addr = addr;
    op->place = place_of(addr);
}

static uint64_t block_at(uint32_t b) { return BLOCK_AT + 256 * (uint64_t)b; }

static uint64_t var_at(uint32_t x) {
    return x < SIM_BLOCK_VAR ? VAR_AT + 8 * (uint64_t)x : block_at(x - SIM_BLOCK_VAR) + 8;
}

static uint64_t mutex_at(uint32_t m) {
    return m < SIM_BLOCK_MUTEX ? MUTEX_AT + 64 * (uint64_t)m : block_at(m - SIM_BLOCK_MUTEX) + BLOCK_MUTEX;
}

/*
 * For each kind of instruction: its operation, the second one if it has two, and the address range of its objects.
 */
static const struct {
    uint8_t op, second;
    uint32_t at;
} kinds[] = {
    [SIM_READ] = {RD_OP_READ, 0, VAR_AT},
    [SIM_WRITE] = {RD_OP_WRITE, 0, VAR_AT},
    [SIM_RMW] = {RD_OP_ATOMIC_RMW, 0, VAR_AT},
    [SIM_LOCK] = {RD_OP_MUTEX_LOCK, 0, MUTEX_AT},
    [SIM_UNLOCK] = {RD_OP_MUTEX_UNLOCK, 0, MUTEX_AT},
    [SIM_TRYLOCK] = {RD_OP_MUTEX_TRYLOCK, 0, MUTEX_AT},
    [SIM_SPAWN] = {RD_OP_CREATE, 0, 0},
    [SIM_JOIN] = {RD_OP_JOIN, 0, 0},
    [SIM_YIELD] = {RD_OP_YIELD, 0, 0},
    [SIM_WAIT] = {RD_OP_COND_WAIT, RD_OP_COND_WAKE, COND_AT},
    [SIM_SIGNAL] = {RD_OP_COND_SIGNAL, 0, COND_AT},
    [SIM_BROADCAST] = {RD_OP_COND_BROADCAST, 0, COND_AT},
    [SIM_RDLOCK] = {RD_OP_RWLOCK_RDLOCK, 0, RWLOCK_AT},
    [SIM_WRLOCK] = {RD_OP_RWLOCK_QUEUE, RD_OP_RWLOCK_WRLOCK, RWLOCK_AT},
    [SIM_RWUNLOCK] = {RD_OP_RWLOCK_UNLOCK, 0, RWLOCK_AT},
    [SIM_SEM_WAIT] = {RD_OP_SEM_WAIT, 0, SEM_AT},
    [SIM_SEM_POST] = {RD_OP_SEM_POST, 0, SEM_AT},
    [SIM_BARRIER] = {RD_OP_BARRIER_ARRIVE, RD_OP_BARRIER_LEAVE, BARRIER_AT},
    [SIM_SLEEP] = {RD_OP_SLEEP, 0, 0},
    [SIM_SEM_TRYWAIT] = {RD_OP_SEM_TRYWAIT, 0, SEM_AT},
    [SIM_SEM_VALUE] = {RD_OP_SEM_VALUE, 0, SEM_AT},
    [SIM_TRYRDLOCK] = {RD_OP_RWLOCK_TRYRDLOCK, 0, RWLOCK_AT},
    [SIM_TRYWRLOCK] = {RD_OP_RWLOCK_TRYWRLOCK, 0, RWLOCK_AT},
    [SIM_ONCE] = {RD_OP_ONCE_BEGIN, RD_OP_ONCE_END, ONCE_AT},
    [SIM_TRYJOIN] = {RD_OP_TRYJOIN, 0, 0},
    [SIM_CANCEL] = {RD_OP_CANCEL, 0, 0},
    [SIM_SEND] = {RD_OP_SIGNAL_SEND, 0, 0},
    [SIM_EXIT] = {RD_OP_EXIT, 0, 0},
    [SIM_CHOOSE] = {RD_OP_CHOOSE, 0, 0},
    [SIM_FREE] = {RD_OP_FREE, 0, BLOCK_AT},
    [SIM_FUTEX_WAIT] = {RD_OP_FUTEX_WAIT, RD_OP_FUTEX_WOKEN, VAR_AT},
    [SIM_FUTEX_WAKE] = {RD_OP_FUTEX_WAKE, 0, VAR_AT},
    [SIM_INIT] = {RD_OP_OBJECT_INIT, 0, 0},
    [SIM_DESTROY] = {RD_OP_OBJECT_DESTROY, 0, 0},
    [SIM_ASSUME] = {RD_OP_ASSUME, 0, 0},
    [SIM_ASSERT] = {RD_OP_FAIL, 0, 0},
};

static bool about_thread(unsigned kind) {
    return kind == SIM_JOIN || kind == SIM_TRYJOIN || kind == SIM_CANCEL || kind == SIM_SEND;
}

static bool about_sem(unsigned kind) {
    return kind == SIM_SEM_WAIT || kind == SIM_SEM_POST || kind == SIM_SEM_TRYWAIT || kind == SIM_SEM_VALUE;
}

/* Fills in the operation that begins or ends the life of an object of any kind. */
static void about_object(struct rd_op *op, const struct sim_instr *i) {
    static const uint32_t at[] = {
        [RD_OBJ_COND] = COND_AT, [RD_OBJ_RWLOCK] = RWLOCK_AT, [RD_OBJ_SEM] = SEM_AT, [RD_OBJ_BARRIER] = BARRIER_AT};
    bool init = i->kind == SIM_INIT, mutex = i->value == RD_OBJ_MUTEX;
    if (mutex)
        op->kind = init ? RD_OP_MUTEX_INIT : RD_OP_MUTEX_DESTROY;
    else if (i->value == RD_OBJ_COND)
        op->kind = init ? RD_OP_COND_INIT : RD_OP_COND_DESTROY;
    op->arg = op->kind == RD_OP_OBJECT_DESTROY ? (uint64_t)i->value : 0;
    name_object(op, mutex ? mutex_at(i->object) : at[i->value] + 64u * i->object);
}

/* The visible instruction as the operation that the engine is told. */
static struct rd_op operation(const struct sim *s, uint32_t t) {
    const struct sim_instr *i = &s->program->code[t][s->at[t]];
    bool second = s->halfway[t] || (i->kind == SIM_WRLOCK && !i->value);
    struct rd_op op = {.kind = second ? kinds[i->kind].second : kinds[i->kind].op, .pc = pc_of(t, s->at[t])};
    op.arg = (uint64_t)i->value;
    if (i->kind <= SIM_RMW) {
        name_object(&op, var_at(i->object));
        op.size = 4;
        op.arg = 0;
    } else if (i->kind == SIM_FREE) {
        name_object(&op, block_at(i->object));
        op.size = BLOCK_SIZE;
    } else if (kinds[i->kind].at == VAR_AT) {
        name_object(&op, var_at(i->object));
        op.size = op.kind == RD_OP_FUTEX_WAIT ? 4 : 0;
        op.arg = op.kind == RD_OP_FUTEX_WOKEN ? 0 : RD_FUTEX_ARG(i->value, RD_FUTEX_ANY);
        op.order = __ATOMIC_SEQ_CST;
    } else if (kinds[i->kind].at == MUTEX_AT) {
        name_object(&op, mutex_at(i->object));
    } else if (kinds[i->kind].at) {
        name_object(&op, kinds[i->kind].at + 64u * i->object);
    }
    if (i->kind == SIM_INIT || i->kind == SIM_DESTROY)
        about_object(&op, i);
    if (about_thread(i->kind))
        op.arg = s->tid_of[i->object];
    if (i->kind == SIM_SEND)
        op.size = SIGNAL;
    if (about_sem(i->kind))
        op.arg = (uint64_t)s->program->sems[i->object];
    if (i->kind == SIM_ONCE)
        op.arg = second;
    if (i->kind == SIM_WAIT && s->relocks[t]) {
        op.kind = RD_OP_MUTEX_LOCK;
        op.arg |= RD_MUTEX_RELOCK;
        name_object(&op, mutex_at(i->mutex));
    } else if (i->kind == SIM_WAIT && !(second && i->until)) {
        op.addr2 = mutex_at(i->mutex);
        op.place2 = place_of(op.addr2);
    }
    if ((second || !kinds[i->kind].second) && !s->relocks[t])
        op.deadline = i->until;
    if (s->options.loops) {
        op.local = s->at[t] + 1;
        for (uint32_t k = 0; k < SIM_REGS; k++)
            op.local = rd_hash2(op.local, (uint64_t)s->reg[t][k]);
        if (s->engine.stall.content && (i->kind == SIM_READ || i->kind == SIM_WRITE || i->kind == SIM_RMW))
            rd_livelock_cycle_content(&op, (uint64_t)s->vars[i->object]);
    }
    return op;
}

static void effect(struct sim *s, uint32_t t, const struct rd_result *r);

/* The block that the instruction uses or frees; SIM_BLOCKS: none. */
static uint32_t block_of(const struct sim_instr *i) {
    bool locks = i->kind == SIM_LOCK || i->kind == SIM_UNLOCK || i->kind == SIM_TRYLOCK;
    uint32_t m = locks ? i->object : i->kind == SIM_WAIT ? i->mutex : 0;
    if (i->kind == SIM_FREE)
        return i->object;
    if (i->kind <= SIM_RMW && i->object >= SIM_BLOCK_VAR)
        return i->object - SIM_BLOCK_VAR;
    return m >= SIM_BLOCK_MUTEX ? m - SIM_BLOCK_MUTEX : SIM_BLOCKS;
}

/*
 * If the thread's next instruction uses a block that is freed, reports the finding, which ends the execution as in
 * a real program.
 */
static bool uses_freed(struct sim *s, uint32_t t) {
    const struct sim_instr *i = &s->program->code[t][s->at[t]];
    uint32_t b = s->started[t] && s->at[t] < s->program->length[t] ? block_of(i) : SIM_BLOCKS;
    if (b == SIM_BLOCKS || !s->freed[b])
        return false;
    enum rd_finding_kind kind = i->kind == SIM_FREE ? RD_DOUBLE_FREE : RD_USE_AFTER_FREE;
    s->rec.out->finding = (struct rd_finding){.kind = kind, .tid = s->tid_of[t], .pc = pc_of(t, s->at[t])};
    s->rec.out->finding.key = rd_hash2(kind, pc_of(t, s->at[t]));
    s->rec.out->verdict = RD_FOUND;
    return true;
}

/* Has an assert failed that ends the execution? As in a real program, its thread goes no further. */
static bool is_stopped(const struct sim *s) { return s->failed && !s->options.asserts_go_on; }

/* Runs the thread to its next visible instruction, or to its end. */
static void advance(struct sim *s, uint32_t t) {
    if (!s->started[t]) {
        struct rd_op start = {.kind = RD_OP_START, .pc = pc_of(t, SIM_CODE)};
        rd_engine_announce(&s->engine, s->tid_of[t], &start);
        return;
    }
    struct rd_op op;
    enum rd_access_action how;
    do {
        bool more = glue(s, t);
        if (is_stopped(s))
            return;
        if (!more) {
            rd_engine_finish_thread(&s->engine, s->tid_of[t]);
            return;
        }
        op = operation(s, t);
        bool plain = op.kind == RD_OP_READ || op.kind == RD_OP_WRITE;
        how = plain ? rd_engine_access(&s->engine, s->tid_of[t], &op) : RD_ACTION_ANNOUNCE;
        if (how == RD_ACTION_PROCEED && uses_freed(s, t))
            return;
        if (how == RD_ACTION_PROCEED)
            effect(s, t, &(struct rd_result){0});
    } while (how == RD_ACTION_PROCEED);
    s->polite[t] = how == RD_ACTION_YIELD;
    if (s->polite[t])
        op = (struct rd_op){.kind = RD_OP_YIELD, .pc = op.pc};
    rd_engine_announce(&s->engine, s->tid_of[t], &op);
}

static void born(struct sim *s, uint32_t t, rd_tid tid) {
    s->tid_of[t] = tid;
    s->thread_of[tid] = (uint8_t)t;
    s->started[t] = !s->program->start_steps || t == 0;
}

/* Whether the second operation of the instruction is still to come. */
static bool more_to_come(const struct sim *s, uint32_t t, const struct sim_instr *i, const struct rd_result *r) {
    bool two = i->kind == SIM_WAIT || i->kind == SIM_BARRIER || i->kind == SIM_FUTEX_WAIT ||
               (i->kind == SIM_WRLOCK && i->value);
    if (i->kind == SIM_ONCE)
        return !s->halfway[t] && r->value;
    return two && !s->halfway[t] && r->error == 0 && r->value == 0;
}

/* Applies the operation's effect to the program's own state. The model has performed its part before. */
static void effect(struct sim *s, uint32_t t, const struct rd_result *r) {
    const struct sim_instr *i = &s->program->code[t][s->at[t]];
    bool before = s->halfway[t];
    bool waited = s->relocks[t], wakes = i->kind == SIM_WAIT && before && !waited;
    s->relocks[t] = wakes && (i->until || r->error);
    s->halfway[t] = s->relocks[t] || more_to_come(s, t, i, r);
    if (s->relocks[t] && i->until)
        s->reg[t][i->reg] = r->error == 0;
    if (s->halfway[t])
        return;
    s->has_read[t] = i->kind == SIM_READ;
    s->at[t]++;
    int *x = &s->vars[i->object < SIM_VARS ? i->object : 0];
    int *reg = i->reg >= 0 ? &s->reg[t][i->reg] : NULL;
    int old = *x;
    switch (i->kind) {
    case SIM_READ:
        if (reg)
            *reg = old;
        break;
    case SIM_WRITE:
        *x = value_of(s, t, i);
        if (*x == old && rd_spin_stored(&s->engine.spin, s->tid_of[t], var_at(i->object)))
            rd_spin_unchanged(&s->engine.spin, s->tid_of[t]);
        break;
    case SIM_RMW:
        *x = i->update(old, s->reg[t]);
        if (*x == old)
            rd_spin_unchanged(&s->engine.spin, s->tid_of[t]);
        if (reg)
            *reg = old;
        break;
    case SIM_TRYLOCK:
    case SIM_SEM_TRYWAIT:
    case SIM_TRYRDLOCK:
    case SIM_TRYWRLOCK:
    case SIM_TRYJOIN:
        *reg = r->error == 0;
        break;
    case SIM_SEM_VALUE:
    case SIM_CHOOSE:
        *reg = (int)r->value;
        break;
    case SIM_ONCE:
        *reg = before;
        break;
    case SIM_EXIT:
        s->exited = true;
        break;
    case SIM_ASSERT:
        fail(s, t, pc_of(t, s->at[t] - 1));
        break;
    case SIM_FREE:
        s->freed[i->object] = true;
        break;
    case SIM_SPAWN:
        RD_CHECK(r->error == 0);
        born(s, i->object, (rd_tid)r->value);
        advance(s, i->object);
        break;
    case SIM_BARRIER:
    case SIM_FUTEX_WAKE:
        *reg = (int)r->value;
        break;
    default:
        if (i->until && !waited)
            *reg = r->error == 0;
        break;
    }
}

/* The simulator whose variables a futex wait compares with. */
static const struct sim *running;

static int compare(uint64_t addr, uint32_t expected) {
    for (uint32_t x = 0; x < SIM_VARS; x++)
        if (var_at(x) == addr)
            return (uint32_t)running->vars[x] == expected ? 0 : EAGAIN;
    return EFAULT;
}

/* A signal has ended the wait. The wait begins again unless a wake-up has reached the thread, too. */
static void interrupted(struct sim *s, uint32_t t) {
    struct rd_op leave = {.kind = RD_OP_FUTEX_LEAVE};
    struct rd_result r;
    if (!s->halfway[t] || s->program->code[t][s->at[t]].kind != SIM_FUTEX_WAIT)
        return;
    rd_engine_instant(&s->engine, s->tid_of[t], &leave, &r);
    if (r.error == 0)
        effect(s, t, &(struct rd_result){0});
    s->halfway[t] = false;
}

static void perform(struct sim *s, rd_tid tid) {
    uint32_t t = s->thread_of[tid];
    const struct rd_world *w = &s->engine.world;
    struct rd_result r;
    bool waits = w->threads[tid].pending.kind == RD_OP_AWAIT; /* an access that waits is not performed now */
    if (!waits && !rd_model_cancelled(w, tid) && !rd_model_signal(w, tid) && !s->polite[t] && uses_freed(s, t))
        return;
    rd_engine_perform(&s->engine, tid, &r);
    if (r.again) {
        advance(s, t);
        return;
    }
    if (r.cancelled) {
        rd_engine_finish_thread(&s->engine, tid);
        return;
    }
    if (r.signal) {
        s->reg[t][SIM_REGS - 1]++; /* the operation itself is tried again afterwards */
        interrupted(s, t);
    } else if (s->started[t]) {
        effect(s, t, &r); /* also after a yield in place of an access: the access is performed then, too */
    }
    s->polite[t] = false;
    s->started[t] |= !r.signal;
    if (!s->exited && s->rec.out->verdict == RD_RUNNING)
        advance(s, t);
}

/* Starts with all threads created before the recording begins and their creator ended. */
static void release_bare(struct sim *s) {
    for (uint32_t t = 0; t < s->program->threads; t++) {
        struct rd_op create = {.kind = RD_OP_CREATE};
        struct rd_result r;
        rd_engine_instant(&s->engine, 0, &create, &r);
        RD_CHECK(r.error == 0 && r.value == t + 1);
        born(s, t, (rd_tid)r.value);
        s->started[t] = true;
    }
    rd_engine_finish_thread(&s->engine, 0);
    for (uint32_t t = 0; t < s->program->threads; t++)
        advance(s, t);
}

static void run_main_alone(struct sim *s) {
    born(s, 0, 0);
    advance(s, 0);
    while (!is_stopped(s) && s->engine.world.threads[0].pending.kind != RD_OP_CREATE) {
        /* a main thread that creates no other thread is no test */
        RD_CHECK(s->engine.world.threads[0].state == RD_T_READY);
        perform(s, rd_engine_next(&s->engine));
    }
}

static void reset(struct sim *s) {
    memcpy(s->vars, s->program->vars, sizeof s->vars);
    memset(s->reg, 0, sizeof s->reg);
    memset(s->at, 0, sizeof s->at);
    memset(s->halfway, 0, sizeof s->halfway);
    memset(s->relocks, 0, sizeof s->relocks);
    memset(s->freed, 0, sizeof s->freed);
    memset(s->has_read, 0, sizeof s->has_read);
    memset(s->rec.out, 0, offsetof(struct rd_outcome, finding));
    s->rec.out->finding.kind = RD_NO_FINDING;
    memset(s->tid_of, 0xff, sizeof s->tid_of); /* RD_TID_NONE: not created yet */
    s->failed = s->exited = false;
    rd_arena_reset(&s->arena);
}

static struct rd_range range(uint64_t first, uint64_t size, enum rd_names list) {
    rd_place at = rd_place_make(RD_PLACE_MODULE, first);
    return (struct rd_range){.first = at, .last = at + size - 1, .list = list};
}

struct rd_range sim_focus_var(uint32_t number) {
    return range(VAR_AT + 8u * number, 4, RD_NAMES_FOCUS_VAR);
}
struct rd_range sim_focus_mutex(uint32_t number) {
    return range(MUTEX_AT + 64u * number, 40, RD_NAMES_FOCUS_VAR);
}
struct rd_range sim_focus_thread(uint32_t number) {
    return range(CODE_AT + number * 0x1000, 0x1000, RD_NAMES_FOCUS_FUNCTION);
}

void sim_run(struct sim *s, const struct rd_plan *plan) {
    struct rd_engine *e = &s->engine;
    struct rd_outcome *o = s->rec.out;
    struct rd_engine_limits limits = {.steps_max = s->options.steps_max,
                                      .fair_after = s->options.fair_after,
                                      .stalled_after = s->options.stalled_after,
                                      .yields = s->options.yields};
    reset(s);
    rd_engine_begin(e, &s->arena, &s->rec, s->paths, &s->path_count);
    e->strict = s->options.strict;
    e->world.signal_fifo = s->options.signal_fifo;
    e->world.compare = compare;
    running = s;
    e->world.spurious_left = s->options.spurious;
    e->world.timeouts = s->options.timeouts;
    if (s->program->main)
        run_main_alone(s);
    else
        release_bare(s);
    o->started = 1;
    rd_engine_record(e, plan, &limits);
    rd_engine_focus(e, s->options.focus, s->options.focus_count);
    bool stop = is_stopped(s);
    for (rd_tid tid; !stop && !s->exited && (tid = rd_engine_next(e)) != RD_TID_NONE;) {
        sim_check(e);
        perform(s, tid);
        stop = is_stopped(s) || o->verdict != RD_RUNNING;
    }
    if (o->verdict == RD_RUNNING)
        o->verdict = stop ? RD_FOUND : RD_PASSED;
    rd_engine_end(e);
}

void sim_run_threads(struct sim *s, const rd_tid *tids, uint32_t count) {
    RD_CHECK(count <= SIM_STEPS_MAX && s->rec.prefix == s->prefix);
    for (uint32_t i = 0; i < count; i++)
        s->prefix[i] = (struct rd_choice){.pick = tids[i]};
    sim_run(s, &(struct rd_plan){.prefix_count = count, .picker = RD_PICK_STAY});
}
