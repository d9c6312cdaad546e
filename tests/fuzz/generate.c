/*
 * generate.c - random programs. A program uses a few features out of many, and two or three variables and one or
 * two locks, so that its operations often conflict. Every program ends: its only loops are loops around a wait
 * without a deadline, and loops that wait by themselves, which the engine recognises (engine/spin.h). A thread
 * refers only to threads that were created before it, or by it, because a thread's number is read when an operation
 * is announced, and must not depend on the schedule.
 */
#include "generate.h"

#include "exprs.h"
#include "model/model.h"

static int type_of(uint32_t m) { /* the type follows from the mutex's number; the mutexes in blocks are normal */
    return m < 2 || m >= SIM_BLOCK_MUTEX ? RD_MUTEX_NORMAL : m == 2 ? RD_MUTEX_RECURSIVE : RD_MUTEX_ERRORCHECK;
}

static uint32_t mutex(struct gen *g) {
    if ((g->features & HEAP) && one_in(g, g->dense ? 2 : 4))
        return (uint32_t)SIM_BLOCK_MUTEX + either(g);
    return one_in(g, 5) && !g->dense ? 2 + below(g, 2) : below(g, g->mutexes);
}

static uint32_t deadline(struct gen *g) {
    static const uint32_t some[] = {1, 500, 1500, 4000};
    return some[below(g, RD_COUNT(some))];
}

static void lock(struct gen *g, uint32_t m) { EMIT(g, do_lock_of(u8(m), type_of(m))); }
static void unlock(struct gen *g, uint32_t m) { EMIT(g, do_unlock_of(u8(m), type_of(m))); }

static void access_to(struct gen *g, uint8_t x) {
    if (x >= SIM_BLOCK_VAR && one_in(g, g->dense ? 2 : 4)) {
        EMIT(g, do_free(u8(x - (uint32_t)SIM_BLOCK_VAR)));
        return;
    }
    switch (below(g, 7)) {
    case 0:
    case 1:
    case 2:
        EMIT(g, do_read(x, (int8_t)below(g, 3)));
        break;
    case 3:
        EMIT(g, do_write(x, (int)below(g, 3)));
        break;
    case 4:
        EMIT(g, do_write_fn(x, fuzz_value(below(g, UINT16_MAX))));
        break;
    default:
        EMIT(g, do_rmw(x, fuzz_update(below(g, UINT16_MAX)), (int8_t)(one_in(g, 3) ? (int)below(g, 3) : -1)));
        break;
    }
}

/* Emits an access to a variable; in a disciplined program with the variable's lock held. */
static void touch(struct gen *g) {
    bool heap = (g->features & HEAP) && (g->dense || one_in(g, 2));
    uint8_t x = u8(heap ? (uint32_t)SIM_BLOCK_VAR + either(g) : below(g, g->vars));
    if (!g->c->disciplined) {
        access_to(g, x);
        return;
    }
    uint32_t m = x % g->mutexes;
    bool take = g->held != (int)m;
    int outer = g->held;
    if (take && outer >= 0 && !one_in(g, 3)) { /* mostly use a variable of the lock that is held already */
        access_to(g, u8((uint32_t)outer));
        return;
    }
    if (take)
        lock(g, m);
    g->held = (int)m;
    access_to(g, x);
    if (one_in(g, 2))
        access_to(g, x);
    g->held = outer;
    if (take)
        unlock(g, m);
}

static void statement(struct gen *g);

static void some(struct gen *g, uint32_t most) {
    for (uint32_t n = below(g, most + 1); n > 0; n--)
        statement(g);
}

static void check(struct gen *g) { EMIT(g, do_assert(fuzz_test(below(g, UINT16_MAX)))); }

/* Emits if (…) { … }. */
static void branch(struct gen *g) {
    if (g->labels == SIM_LABELS)
        return;
    uint8_t out = u8(g->labels++);
    if (one_in(g, 2))
        EMIT(g, do_if(fuzz_test(below(g, UINT16_MAX)), out));
    else
        EMIT(g, do_if_zero(fuzz_test(below(g, UINT16_MAX)), out));
    touch(g);
    some(g, 1);
    EMIT(g, do_label(out));
}

static void section(struct gen *g) {
    if (g->c->disciplined && g->held >= 0)
        return;
    uint32_t m = g->c->disciplined ? below(g, g->mutexes) : mutex(g);
    lock(g, m);
    g->held = (int)m;
    touch(g);
    some(g, 1);
    g->held = -1;
    if (!one_in(g, 12))
        unlock(g, m);
}

/* Emits a trylock or a timed lock, and code that runs if it succeeds. */
static void attempt(struct gen *g) {
    if (g->labels == SIM_LABELS)
        return;
    uint8_t out = u8(g->labels++);
    uint32_t m = mutex(g);
    if (one_in(g, 2))
        EMIT(g, do_trylock_of(u8(m), type_of(m), TRIED));
    else
        EMIT(g, {.kind = SIM_LOCK, .object = u8(m), .value = type_of(m), .until = deadline(g), .reg = TRIED});
    EMIT(g, do_if_zero(fuzz_tried, out));
    some(g, 1);
    unlock(g, m);
    EMIT(g, do_label(out));
}

static void rwlock(struct gen *g) {
    uint8_t l = either(g);
    int writers_first = l; /* the kind follows from the lock's number, too */
    bool tried = g->labels < SIM_LABELS && one_in(g, 3);
    uint8_t out = u8(g->labels);
    switch (below(g, 4) + 4 * tried) {
    case 0:
    case 1:
        EMIT(g, do_rdlock(l, writers_first));
        break;
    case 2:
    case 3:
        EMIT(g, do_wrlock(l, writers_first));
        break;
    case 4:
        EMIT(g, do_tryrdlock(l, writers_first, TRIED));
        break;
    case 5:
        EMIT(g, do_trywrlock(l, writers_first, TRIED));
        break;
    case 6:
        EMIT(g, do_timedrdlock(l, writers_first, deadline(g), TRIED));
        break;
    default:
        EMIT(g, do_timedwrlock(l, writers_first, deadline(g), TRIED));
        break;
    }
    if (tried) {
        g->labels++;
        EMIT(g, do_if_zero(fuzz_tried, out));
    }
    some(g, 1);
    EMIT(g, do_rwunlock(l));
    if (tried)
        EMIT(g, do_label(out));
}

/*
 * Emits while (x == 0) wait; or the same with `if`, or with a time limit. The condition belongs to mutex 0, as
 * variable 0 does.
 */
static void await(struct gen *g) {
    if (g->labels + 2 > SIM_LABELS || !room(g, 9) || (g->c->disciplined && g->held >= 0))
        return;
    uint8_t top = u8(g->labels++), go = u8(g->labels++), cond = u8(either(g) * one_in(g, 4));
    bool timed = (g->features & TIME) && one_in(g, 2), loop = !timed && one_in(g, 2);
    lock(g, 0);
    if (loop)
        EMIT(g, do_label(top));
    EMIT(g, do_read(0, 0));
    EMIT(g, do_if(fuzz_value(0), go));
    if (timed)
        EMIT(g, do_timedwait(cond, 0, deadline(g), TRIED));
    else
        EMIT(g, do_wait(cond, 0));
    if (loop)
        EMIT(g, do_goto(top));
    EMIT(g, do_label(go));
    if (one_in(g, 2))
        access_to(g, 0);
    unlock(g, 0);
}

static void wake(struct gen *g) {
    bool locked = g->c->disciplined || !one_in(g, 3);
    uint8_t cond = u8(either(g) * one_in(g, 4));
    if (!room(g, 5) || (g->c->disciplined && g->held >= 0))
        return;
    if (locked)
        lock(g, 0);
    if (!one_in(g, 4))
        EMIT(g, do_write(0, 1));
    if (one_in(g, 2))
        EMIT(g, do_broadcast(cond));
    else
        EMIT(g, do_signal(cond));
    if (locked)
        unlock(g, 0);
}

static void semaphore(struct gen *g) {
    uint8_t s = either(g);
    switch (below(g, 8)) {
    case 0:
    case 1:
    case 2:
        EMIT(g, do_sem_post(s));
        break;
    case 3:
        EMIT(g, do_sem_trywait(s, TRIED));
        break;
    case 4:
        EMIT(g, do_sem_value(s, (int8_t)below(g, 3)));
        break;
    case 5:
        EMIT(g, do_sem_timedwait(s, deadline(g), TRIED));
        break;
    default:
        EMIT(g, do_sem_wait(s));
        break;
    }
}

static void barrier(struct gen *g) {
    uint8_t b = g->dense ? g->which : u8(one_in(g, 3));
    EMIT(g, do_barrier(b, 2 + (b && g->threads > 2), (int8_t)TRIED));
}

static void pass_time(struct gen *g) {
    if (one_in(g, 2))
        EMIT(g, do_yield());
    else
        EMIT(g, do_sleep(1000 << below(g, 2)));
}

/* A thread whose number the current thread can know, or -1. */
static int other(struct gen *g) {
    const struct sim_program *p = &g->c->program;
    if (!p->main)
        return (int)((g->thread + 1 + below(g, g->threads - 1)) % g->threads);
    if (g->thread == 0)
        return g->spawned ? (int)(1 + below(g, g->spawned)) : -1;
    if (g->thread == 1 && g->child_spawned && one_in(g, 2))
        return (int)g->by_child;
    return (int)below(g, g->thread == g->by_child ? 2 : g->thread);
}

static void about_a_thread(struct gen *g) {
    int t = other(g);
    if (t < 0)
        return;
    uint32_t kind = below(g, 3) + (g->features & THREADS ? 0 : 3);
    if (kind == 0)
        EMIT(g, do_join(u8((uint32_t)t)));
    else if (kind == 1)
        EMIT(g, do_tryjoin(u8((uint32_t)t), TRIED));
    else if (kind == 2)
        EMIT(g, do_timedjoin(u8((uint32_t)t), deadline(g), TRIED));
    else if (g->features & CANCEL)
        EMIT(g, do_cancel(u8((uint32_t)t)));
    else
        EMIT(g, do_send(u8((uint32_t)t)));
}

static void end(struct gen *g) {
    if (one_in(g, 3))
        EMIT(g, do_exit());
    else
        EMIT(g, do_end());
}

/*
 * Emits a loop that waits: for a flag, with or without the flag's lock, for a lock made of a variable, or for a
 * mutex; or emits a write that such a loop may wait for. A program whose loops poll under a lock has no trylock of
 * that lock: the two could enable each other for ever.
 */
static void loop(struct gen *g) {
    uint8_t x = u8(below(g, g->vars)), top = u8(g->labels);
    uint32_t kind = below(g, 6);
    if (g->labels == SIM_LABELS || !room(g, 8) || g->c->disciplined)
        return;
    if (kind < 2) {
        EMIT(g, do_write(x, (int)kind));
        return;
    }
    g->labels++;
    EMIT(g, do_label(top));
    if (kind == 2) {
        EMIT(g, do_read(x, 0));
        if (one_in(g, 4))
            EMIT(g, do_yield());
        else if (one_in(g, 3)) /* a loop that stores the value that it has read, the same one again and again */
            EMIT(g, do_write_fn(u8(below(g, g->vars)), fuzz_value(0)));
        EMIT(g, do_if_zero(fuzz_value(0), top));
    } else if (kind == 3 && !(g->features & TRY)) {
        lock(g, 1);
        EMIT(g, do_read(x, 0));
        unlock(g, 1);
        EMIT(g, do_if_zero(fuzz_value(0), top));
    } else if (kind <= 4) {
        EMIT(g, do_rmw(x, fuzz_update(4), 0)); /* 0 becomes 1 */
        EMIT(g, do_if(fuzz_value(0), top));
        some(g, 1);
        EMIT(g, do_write(x, 0));
    } else {
        EMIT(g, do_trylock_of(0, type_of(0), TRIED));
        EMIT(g, do_if_zero(fuzz_tried, top));
        some(g, 1);
        unlock(g, 0);
    }
}

static void once(struct gen *g) { EMIT(g, do_once(either(g), TRIED)); }

static void open_value(struct gen *g) {
    if (one_in(g, 3))
        EMIT(g, do_assume(fuzz_test(below(g, UINT16_MAX))));
    else
        EMIT(g, do_choose(2 + (int)below(g, 2), (int8_t)below(g, 3)));
}

static void special(struct gen *g) {
    static void (*const by_feature[FEATURES])(struct gen *) = {
        section,        attempt, rwlock,    await, semaphore, barrier,    about_a_thread, about_a_thread,
        about_a_thread, once,    pass_time, end,   loop,      open_value, fuzz_futex,     fuzz_object,
    };
    uint32_t start = below(g, FEATURES);
    for (uint32_t i = 0; i < FEATURES; i++) {
        uint32_t f = (start + i) % FEATURES;
        if (!(g->features >> f & 1))
            continue;
        if (1u << f == COND && one_in(g, 2))
            wake(g);
        else
            by_feature[f](g);
        return;
    }
    touch(g);
}

static void statement(struct gen *g) {
    if (g->left <= 0 || !room(g, 8))
        return;
    if (g->holding && !one_in(g, 4)) {
        fuzz_holding(g);
        return;
    }
    switch (g->dense && !one_in(g, 4) ? UINT32_MAX : below(g, 9)) {
    case 0:
    case 1:
    case 2:
        touch(g);
        break;
    case 3:
        check(g);
        break;
    case 4:
        branch(g);
        break;
    default:
        special(g);
        break;
    }
}

static void body(struct gen *g, int32_t budget) {
    g->labels = 0;
    g->left = budget;
    g->held = -1;
    g->child_spawned = false;
    for (uint32_t i = 0; i < 10 && g->left > 0 && room(g, 9); i++) {
        if (g->thread == 1 && g->by_child && !g->child_spawned && one_in(g, 2)) {
            EMIT(g, do_spawn(u8(g->by_child)));
            g->child_spawned = true;
        }
        statement(g);
    }
    if (one_in(g, 4))
        check(g);
}

static void main_thread(struct gen *g, uint32_t threads) {
    g->thread = 0;
    sim_thread(&g->c->program, NULL, 0);
    g->labels = 0;
    g->held = -1;
    for (uint32_t t = 1; t < threads; t++) {
        if (t == g->by_child)
            continue;
        EMIT(g, do_spawn(u8(t)));
        g->spawned = t;
        g->left = 1;
        if (one_in(g, 4))
            statement(g);
    }
    for (uint32_t t = 1; t < threads; t++)
        if (t != g->by_child && one_in(g, 2) && room(g, 8))
            EMIT(g, do_join(u8(t)));
    g->left = (int32_t)below(g, 3);
    some(g, 2);
}

static void choose_features(struct gen *g) {
    static const uint8_t weight[FEATURES] = {6, 4, 4, 6, 5, 3, 3, 1, 1, 2, 3, 1, 5, 4, 4, 3};
    uint32_t count = 1 + below(g, 3), weights = 0;
    for (uint32_t f = 0; f < FEATURES; f++)
        weights += weight[f];
    while (count-- > 0) {
        uint32_t w = below(g, weights), f = 0;
        while (w >= weight[f])
            w -= weight[f++];
        g->features |= 1u << f;
    }
    if (one_in(g, 12))
        g->features = 0; /* only memory accesses */
    g->c->disciplined = one_in(g, 6);
    if (g->c->disciplined) {
        static const unsigned more[] = {COND, SEM, SEM, BARRIER, THREADS, ONCE, TRY, RW};
        g->features = MUTEX | (one_in(g, 2) ? COND : 0);
        for (uint32_t n = below(g, 3); n > 0; n--)
            g->features |= more[below(g, RD_COUNT(more))];
        g->holding = one_in(g, 2);
    }
}

/* Chooses the features and emits the threads. */
static void generate(struct gen *g) {
    static const int32_t most[] = {0, 0, 7, 4, 3};
    struct fuzz_case *c = g->c;
    uint32_t threads = 2 + below(g, 5) / 2;
    g->threads = threads;
    g->vars = 1 + below(g, g->dense ? 2 : 3);
    g->mutexes = c->mutexes = g->dense ? 1 : 1 + below(g, 2);
    struct sim_program *p = &c->program;
    p->name = "fuzz";
    p->main = threads > 2 && one_in(g, 4);
    p->start_steps = p->main && one_in(g, 2);
    g->by_child = p->main && threads > 2 && one_in(g, 4) ? threads - 1 : 0;
    for (uint32_t i = 0; i < 2; i++)
        p->sems[i] = (int)below(g, 2);
    c->options = (struct sim_options){.asserts_go_on = one_in(g, 2), .steps_max = 200};
    c->options.asserts_are_points = !c->options.asserts_go_on && one_in(g, 2);
    if (g->features & LOOP) {
        c->options.loops = true;
        c->options.steps_max = SIM_STEPS_MAX; /* enough for a livelock, which takes some hundred steps */
    }
    c->options.signal_fifo = one_in(g, 6);
    c->options.timeouts = below(g, 3);
    c->options.spurious = !c->disciplined && one_in(g, g->dense ? 2 : 5);
    if (p->main)
        main_thread(g, threads);
    uint32_t bodies = p->main ? threads - 1 : threads;
    for (uint32_t t = 0; t < bodies; t++) {
        g->thread = p->main ? t + 1 : t;
        sim_thread(p, NULL, 0);
        body(g, 1 + (int32_t)below(g, (uint32_t)most[RD_MIN(threads, 4u)]));
    }
}

void fuzz_generate(struct fuzz_case *c, uint64_t seed) {
    *c = (struct fuzz_case){.seed = seed};
    struct gen g = {.c = c};
    rd_rng_seed(&g.rng, seed);
    choose_features(&g);
    g.features |= seed % 6 == 5 ? HEAP : 0;
    generate(&g);
}

bool fuzz_generate_dense(struct fuzz_case *c, uint64_t seed, uint32_t feature) {
    if (feature >= FEATURES)
        return false;
    *c = (struct fuzz_case){.seed = seed};
    struct gen g = {.c = c, .features = 1u << feature, .dense = true};
    rd_rng_seed(&g.rng, rd_hash2(seed, feature));
    g.which = u8(below(&g, 2));
    g.features |= one_in(&g, 3) ? 1u << below(&g, FEATURES) : 0;
    g.features |= one_in(&g, 2) ? HEAP : 0;
    generate(&g);
    return true;
}
