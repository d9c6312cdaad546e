/*
 * sim_programs.c - the programs. Registers are numbered in the order of their first use in a thread; the small
 * functions are expressions over them, and their names spell out the expression.
 */
#include "sim_programs.h"

enum { X, Y };     /* numbers of variables, and of mutexes and conditions, which are numbered separately */
enum { OUT, TOP }; /* labels */

#define EXPR(name, expression) \
    static int name(const int *r) { return (expression); }
EXPR(r0, r[0])
EXPR(r1, r[1])
EXPR(r0_plus_1, r[0] + 1)
EXPR(r0_minus_1, r[0] - 1)
EXPR(r0_is_0, r[0] == 0)
EXPR(r0_is_2, r[0] == 2)
EXPR(r0_not_1, r[0] != 1)
EXPR(r0_not_2, r[0] != 2)
EXPR(r0_not_4, r[0] != 4)
EXPR(r0_positive, r[0] > 0)
EXPR(r1_is_0, r[1] == 0)
EXPR(r1_is_2, r[1] == 2)
EXPR(r1_is_minus_1, r[1] == -1)
EXPR(never, 0 * r[0])
EXPR(same, r[0] == r[1])
EXPR(r0_at_most_r1_plus_1, r[0] <= r[1] + 1)
EXPR(r1_at_most_r0_plus_1, r[1] <= r[0] + 1)
EXPR(same_or_r2_not_1, r[0] == r[1] || r[2] != 1)
EXPR(same_or_r2_is_r3, r[0] == r[1] || r[2] == r[3])
EXPR(both_or_none_set, (r[0] == 0 && r[1] == 0) || (r[0] == 1 && r[1] == -1))

static int plus_1(int old, const int *r) { return old + 1 + 0 * r[0]; }
static int minus_1(int old, const int *r) { return old - 1 + 0 * r[0]; }

#define NAME(text)        \
    do {                  \
        (void)a;          \
        p->name = (text); \
    } while (0)

static uint8_t u8(int n) { return (uint8_t)n; }

SIM_PROGRAM(sim_independent) {
    NAME("independent writes");
    for (int t = 0; t < a.n; t++) {
        sim_thread(p, NULL, 0);
        for (int j = 1; j <= a.k; j++)
            SIM_APPEND(p, do_write(u8(t), j));
    }
}

SIM_PROGRAM(sim_all_conflict) {
    NAME("conflicting writes");
    for (int t = 0; t < a.n; t++) {
        sim_thread(p, NULL, 0);
        for (int j = 1; j <= a.k; j++)
            SIM_APPEND(p, do_write(X, 10 * t + j));
    }
}

SIM_PROGRAM(sim_rapos1) {
    NAME("RAPOS figure 1");
    SIM_THREAD(p, do_write(Y, 1), do_write(Y, 2), do_write(Y, 3), do_write(X, 4));
    SIM_THREAD(p, do_read(X, 0), do_assert(r0_not_4));
}

SIM_PROGRAM(sim_rank1) {
    NAME("Rank figure 1");
    SIM_THREAD(p, do_read(X, 0), do_assert(r0_is_0));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
}

SIM_PROGRAM(sim_rank2) {
    NAME("Rank figure 2");
    SIM_THREAD(p, do_read(X, 0), do_read(X, 1), do_assert(same));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
}

SIM_PROGRAM(sim_rank3) {
    NAME("Rank figure 3");
    SIM_THREAD(p, do_read(X, 0), do_read(X, 1), do_assert(same));
    SIM_THREAD(p, do_write(X, 1), do_write(X, 0));
}

SIM_PROGRAM(sim_rank4) {
    NAME("Rank figure 4");
    SIM_THREAD(p, do_read(X, 0), do_read(X, 1), do_read(Y, 2), do_assert(same_or_r2_not_1));
    SIM_THREAD(p, do_write(X, 1), do_write(Y, 1), do_write(Y, 0));
}

SIM_PROGRAM(sim_rank8) {
    NAME("Rank figure 8");
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
    SIM_THREAD(p, do_read(X, 0), do_assert(r0_not_2));
}

SIM_PROGRAM(sim_rank9_printed) {
    NAME("Rank figure 9 as printed");
    SIM_THREAD(p, do_read(X, 0), do_read(X, 1), do_assert(r0_at_most_r1_plus_1));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
}

SIM_PROGRAM(sim_rank9) {
    NAME("Rank figure 9 corrected");
    SIM_THREAD(p, do_read(X, 0), do_read(X, 1), do_assert(r1_at_most_r0_plus_1));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
}

SIM_PROGRAM(sim_rank10) {
    NAME("Rank figure 10");
    SIM_THREAD(p, do_read(X, 0), do_read(X, 1), do_read(Y, 2), do_read(Y, 3), do_assert(same_or_r2_is_r3));
    SIM_THREAD(p, do_rmw(X, plus_1, -1));
    SIM_THREAD(p, do_rmw(Y, plus_1, -1));
}

/* find a free block; check again that it is free; mark it; free it */
SIM_PROGRAM(sim_rank12) {
    NAME("Rank figure 12");
    for (int t = 0; t < 2; t++)
        SIM_THREAD(p, do_read(X, 0), do_if(r0, OUT), do_read(X, 1), do_assert(r1_is_0), do_write(X, 1),
                   do_write(X, 0), do_label(OUT));
}

SIM_PROGRAM(sim_split_sync) {
    NAME("SplitSync");
    enum { L };
    for (int t = 0; t < 2; t++)
        SIM_THREAD(p, do_lock(L), do_read(X, 0), do_unlock(L), do_lock(L), do_read(X, 1), do_assert(same),
                   do_write_fn(X, r0_plus_1), do_unlock(L));
}

SIM_PROGRAM(sim_lost_update) {
    NAME("lost update");
    for (int t = 0; t < 2; t++)
        SIM_THREAD(p, do_read(X, 0), do_write_fn(X, r0_plus_1));
}

SIM_PROGRAM(sim_lost_update_main) {
    NAME("lost update with main");
    p->main = true;
    SIM_THREAD(p, do_spawn(1), do_spawn(2), do_join(1), do_join(2), do_read(X, 0), do_assert(r0_is_2));
    for (int t = 0; t < 2; t++)
        SIM_THREAD(p, do_read(X, 0), do_write_fn(X, r0_plus_1));
}

SIM_PROGRAM(sim_abba) {
    NAME("ABBA");
    enum { A, B };
    SIM_THREAD(p, do_lock(A), do_lock(B), do_unlock(B), do_unlock(A));
    SIM_THREAD(p, do_lock(B), do_lock(A), do_unlock(A), do_unlock(B));
}

SIM_PROGRAM(sim_philosophers) {
    NAME("philosophers");
    for (int i = 0; i < a.n; i++) {
        uint8_t left = u8(i), right = u8((i + 1) % a.n);
        SIM_THREAD(p, do_lock(left), do_lock(right), do_unlock(right), do_unlock(left));
    }
}

SIM_PROGRAM(sim_readers) {
    NAME("readers");
    SIM_THREAD(p, do_write(X, 1));
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_read(X, 0));
}

/* an array of n + 1 zeroes: thread 0 looks for the last zero, thread j sets a[j] = a[j-1] + 1 */
SIM_PROGRAM(sim_last_zero) {
    NAME("lastzero");
    sim_thread(p, NULL, 0);
    for (int i = a.n; i >= 0; i--)
        SIM_APPEND(p, do_read(u8(i), 0), do_if_zero(r0, OUT));
    SIM_APPEND(p, do_label(OUT));
    for (int j = 1; j <= a.n; j++)
        SIM_THREAD(p, do_read(u8(j - 1), 0), do_write_fn(u8(j), r0_plus_1));
}

SIM_PROGRAM(sim_ring) {
    NAME("ring");
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_write(u8(t), 1), do_read(u8((t + 1) % a.n), 0));
}

SIM_PROGRAM(sim_store_buffer) {
    NAME("store buffering");
    SIM_THREAD(p, do_write(X, 1), do_read(Y, 0));
    SIM_THREAD(p, do_write(Y, 1), do_read(X, 0));
}

SIM_PROGRAM(sim_reorder) {
    NAME("reorder");
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_write(X, 1), do_write(Y, -1));
    SIM_THREAD(p, do_read(X, 0), do_read(Y, 1), do_assert(both_or_none_set));
}

SIM_PROGRAM(sim_reorder_sct) {
    NAME("reorder, short circuits");
    enum { OK, SECOND, BAD };
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_write(X, 1), do_write(Y, -1));
    SIM_THREAD(p, do_read(X, 0), do_if(r0, SECOND), do_read(Y, 1), do_if(r1_is_0, OK), do_label(SECOND),
               do_read(X, 0), do_if(r0_not_1, BAD), do_read(Y, 1), do_if(r1_is_minus_1, OK), do_label(BAD),
               do_assert(never), do_label(OK));
}

SIM_PROGRAM(sim_two_stage) {
    NAME("twostage");
    enum { A, B };
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_lock(A), do_write(X, 1), do_unlock(A), do_lock(B), do_write(Y, 2), do_unlock(B));
    SIM_THREAD(p, do_lock(A), do_read(X, 0), do_unlock(A), do_if_zero(r0, OUT), do_lock(B), do_read(Y, 1),
               do_unlock(B), do_assert(r1_is_2), do_label(OUT));
}

SIM_PROGRAM(sim_critical) {
    NAME("critical sections");
    enum { M };
    for (int t = 0; t < a.n; t++) {
        sim_thread(p, NULL, 0);
        for (int j = 0; j < a.k; j++)
            SIM_APPEND(p, do_lock(M), do_rmw(u8(t), plus_1, -1), do_unlock(M));
    }
}

/*
 * The flag is tested before the count is raised. Waiting for the event is left out: a thread that finds it not set
 * ends.
 */
SIM_PROGRAM(sim_bluetooth) {
    NAME("bluetooth");
    enum { STOPPING, PENDING, STOPPED, EVENT };
    p->vars[PENDING] = 1;
    SIM_THREAD(p, do_read(STOPPING, 0), do_if(r0, OUT), do_rmw(PENDING, plus_1, -1), do_read(STOPPED, 1),
               do_assert(r1_is_0), do_rmw(PENDING, minus_1, 0), do_if(r0_not_1, OUT), do_write(EVENT, 1),
               do_label(OUT));
    enum { WAIT = 1 };
    SIM_THREAD(p, do_write(STOPPING, 1), do_rmw(PENDING, minus_1, 0), do_if(r0_not_1, WAIT), do_write(EVENT, 1),
               do_label(WAIT), do_read(EVENT, 1), do_if_zero(r1, OUT), do_write(STOPPED, 1), do_label(OUT));
}

SIM_PROGRAM(sim_consumers) {
    NAME(a.k ? "consumers, while" : "consumers, if");
    enum { M, CV = 0, GO = 0 };
    for (int t = 0; t < 2; t++) {
        SIM_THREAD(p, do_lock(M), do_label(TOP), do_read(X, 0), do_if(r0, GO), do_wait(CV, M));
        if (a.k)
            SIM_APPEND(p, do_goto(TOP));
        SIM_APPEND(p, do_label(GO), do_read(X, 0), do_assert(r0_positive), do_write_fn(X, r0_minus_1),
                   do_unlock(M));
    }
    SIM_THREAD(p, do_lock(M), do_write(X, 1), do_broadcast(CV), do_unlock(M), do_lock(M), do_rmw(X, plus_1, -1),
               do_broadcast(CV), do_unlock(M));
}

SIM_PROGRAM(sim_slot) {
    NAME(a.k ? "one slot, broadcast" : "one slot, signal");
    enum { M, CV = 0, GO = 0 };
    for (int t = 0; t < 2 * a.n; t++) {
        bool producer = t < a.n;
        SIM_THREAD(p, do_lock(M), do_label(TOP), do_read(X, 0));
        if (producer)
            SIM_APPEND(p, do_if_zero(r0, GO));
        else
            SIM_APPEND(p, do_if(r0, GO));
        SIM_APPEND(p, do_wait(CV, M), do_goto(TOP), do_label(GO), do_write(X, producer));
        if (a.k)
            SIM_APPEND(p, do_broadcast(CV));
        else
            SIM_APPEND(p, do_signal(CV));
        SIM_APPEND(p, do_unlock(M));
    }
}

SIM_PROGRAM(sim_spin_flag) {
    NAME("spin flag");
    SIM_THREAD(p, do_label(TOP), do_read(X, 0), do_if(r0, OUT), do_yield(), do_goto(TOP), do_label(OUT));
    SIM_THREAD(p, do_write(X, 1));
}

SIM_PROGRAM(sim_yield_once) {
    NAME("yields at places of their own");
    for (int t = 0; t < 2; t++) {
        sim_thread(p, NULL, 0);
        for (int j = 0; j < a.k; j++)
            SIM_APPEND(p, do_yield());
        SIM_APPEND(p, do_write(X, t + 1));
    }
}

SIM_PROGRAM(sim_hidden_read) {
    NAME("hidden read");
    SIM_THREAD(p, do_write(X, 1));
    SIM_THREAD(p, do_write(Y, 1), do_read(X, 0));
    SIM_THREAD(p, do_read(X, 0));
}
