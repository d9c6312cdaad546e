/*
 * generate_more.c - emits waits at a futex and wake-ups, with and without a change of its value; objects that are
 * destroyed, and initialised again or not; waits with a lock held.
 */
#include "generate.h"

#include "exprs.h"
#include "model/model.h"

/* Emits while (x == 0) wait; or the same with `if`, or only the wait. */
static void await(struct gen *g, uint8_t x) {
    bool looks = g->labels + 2 <= SIM_LABELS && one_in(g, 2), loop = looks && one_in(g, 2);
    uint8_t top = u8(g->labels), go = u8(g->labels + 1);
    g->labels += looks ? 2 : 0;
    if (loop)
        EMIT(g, do_label(top));
    if (looks) {
        EMIT(g, do_read(x, 0));
        EMIT(g, do_if(fuzz_value(0), go));
    }
    if (!loop && (g->features & TIME) && one_in(g, 2))
        EMIT(g, do_futex_timedwait(x, 0, 1500, TRIED));
    else
        EMIT(g, do_futex_wait(x, looks ? 0 : (int)below(g, 2)));
    if (loop)
        EMIT(g, do_goto(top));
    if (looks)
        EMIT(g, do_label(go));
}

void fuzz_futex(struct gen *g) {
    uint8_t x = u8(below(g, g->vars));
    if (!room(g, 9))
        return;
    if (one_in(g, 2)) {
        await(g, x);
        return;
    }
    if (!one_in(g, 4))
        EMIT(g, do_write(x, 1));
    EMIT(g, do_futex_wake(x, one_in(g, 2) ? 1 : (int)(2 + below(g, 2)), TRIED));
}

/* Emits a wait for another object: a semaphore, or another mutex, which is unlocked at once. */
static void wait_further(struct gen *g, uint32_t held) {
    uint32_t m = 1 - held;
    if (g->mutexes < 2 || one_in(g, 2)) {
        EMIT(g, do_sem_wait(either(g)));
        return;
    }
    EMIT(g, do_lock_of(u8(m), RD_MUTEX_NORMAL));
    if (one_in(g, 2))
        EMIT(g, do_read(u8(m), 1));
    EMIT(g, do_unlock_of(u8(m), RD_MUTEX_NORMAL));
}

/*
 * For disciplined programs. Emits a wait with a lock held, after a read of a variable that the lock protects, which
 * may decide whether the thread waits at all; or emits changes of that variable, there and back.
 */
void fuzz_holding(struct gen *g) {
    uint32_t m = below(g, g->mutexes), kind = below(g, 5);
    if (g->held >= 0 || g->labels == SIM_LABELS || !room(g, 9))
        return;
    EMIT(g, do_lock_of(u8(m), RD_MUTEX_NORMAL));
    if (kind < 2) {
        EMIT(g, do_write(u8(m), 1));
        if (!one_in(g, 3)) {
            EMIT(g, do_unlock_of(u8(m), RD_MUTEX_NORMAL));
            EMIT(g, do_lock_of(u8(m), RD_MUTEX_NORMAL));
            EMIT(g, do_write(u8(m), 0));
        }
    } else {
        uint8_t out = u8(g->labels++);
        EMIT(g, do_read(u8(m), 0));
        if (kind == 4)
            EMIT(g, do_if(fuzz_value(0), out));
        else
            EMIT(g, do_assert(fuzz_test(one_in(g, 3))));
        wait_further(g, m);
        EMIT(g, do_label(out));
    }
    EMIT(g, do_unlock_of(u8(m), RD_MUTEX_NORMAL));
    if (one_in(g, 3))
        EMIT(g, do_sem_post(either(g)));
}

/* Destroys an object that the program uses, if there is one; mostly initialises it again afterwards. */
void fuzz_object(struct gen *g) {
    static const struct {
        unsigned feature;
        int kind;
    } list[] = {{COND, RD_OBJ_COND}, {RW, RD_OBJ_RWLOCK}, {SEM, RD_OBJ_SEM}, {BARRIER, RD_OBJ_BARRIER}};
    int kind = RD_OBJ_MUTEX;
    for (uint32_t i = 0; i < RD_COUNT(list); i++)
        if (g->features & list[i].feature && one_in(g, 2))
            kind = list[i].kind;
    uint8_t o = either(g);
    if (!room(g, 4))
        return;
    if (!one_in(g, 5))
        EMIT(g, do_destroy(kind, o));
    if (!one_in(g, 3))
        EMIT(g, do_init(kind, o));
}
