/*
 * sim.h - the simulator: a multithreaded program as data, run by the real engine, models, pickers and searches
 * without a single real thread, so that every algorithm can be tested against exact counts.
 *
 * A program is a list of threads, a thread a list of instructions. A *visible* instruction is an operation of the
 * engine. An invisible one (set, assert, branch) is executed together with the visible instruction before it; the
 * invisible instructions at the head of a thread run before its first operation is announced. Some instructions are
 * two operations: a wait (wait, then wake; a timed or cancelled wait then locks; at a futex, woken follows), a
 * barrier (arrive, then leave, except for the last thread of the round), a once that runs its routine (begin, then
 * end) and a write lock of a read-write lock that prefers writers (queue, then lock).
 *
 * A cancelled thread ends at the point of cancellation and keeps the locks that it holds. A signal that is sent to
 * a thread is handled before the thread's next operation: the handler adds one to the thread's last register.
 *
 * Two ways to start:
 *   bare   (default) all threads were created before the recording begins, by a main thread that has ended by
 *          then: no steps for creation, start or join, and the first step preempts no thread. Thread i of the
 *          program is the engine's thread i + 1.
 *   main   thread 0 is the main thread. It creates the others; recording begins at the first creation. With
 *          `start_steps` each created thread begins with a start operation, as real threads do.
 *
 *     struct sim_program p = {.name = "lost update"};
 *     SIM_THREAD(&p, do_read(X, 0), do_write_fn(X, plus_one));
 *     SIM_THREAD(&p, do_read(X, 0), do_write_fn(X, plus_one));
 *     struct sim_result r;
 *     sim_explore(&p, "dfs", NULL, &r);      r.executions == 6
 */
#ifndef RD_TEST_SIM_H
#define RD_TEST_SIM_H

#include "base/arena.h"
#include "engine/engine.h"
#include "trace/types.h"

enum { SIM_THREADS = 24, SIM_CODE = 48, SIM_VARS = 18, SIM_REGS = 4, SIM_LABELS = 8, SIM_SEMS = 4 };
/*
 * Blocks of the heap. Each contains one variable and one mutex; block b has variable SIM_BLOCK_VAR + b and mutex
 * SIM_BLOCK_MUTEX + b.
 */
enum { SIM_BLOCKS = 2, SIM_BLOCK_VAR = SIM_VARS - SIM_BLOCKS, SIM_BLOCK_MUTEX = 60 };

enum sim_kind {
    SIM_READ,
    SIM_WRITE,
    SIM_RMW,
    SIM_LOCK,
    SIM_UNLOCK,
    SIM_TRYLOCK,
    SIM_SPAWN,
    SIM_JOIN,
    SIM_YIELD,
    SIM_WAIT,
    SIM_SIGNAL,
    SIM_BROADCAST,
    SIM_RDLOCK,
    SIM_WRLOCK,
    SIM_RWUNLOCK,
    SIM_SEM_WAIT,
    SIM_SEM_POST,
    SIM_BARRIER,
    SIM_SLEEP,
    SIM_SEM_TRYWAIT,
    SIM_SEM_VALUE,
    SIM_TRYRDLOCK,
    SIM_TRYWRLOCK,
    SIM_ONCE,
    SIM_TRYJOIN,
    SIM_CANCEL,
    SIM_SEND,
    SIM_EXIT,
    SIM_CHOOSE,
    SIM_FREE,
    SIM_FUTEX_WAIT,
    SIM_FUTEX_WAKE,
    SIM_INIT,
    SIM_DESTROY,
    SIM_SET, /* the first invisible kind */
    SIM_ASSERT,
    SIM_ASSUME, /* visible where it fails: the thread stays there */
    SIM_IF_ZERO,
    SIM_IF,
    SIM_GOTO,
    SIM_LABEL,
    SIM_END,
};

typedef int (*sim_expr)(const int *reg);            /* an expression over the thread's registers */
typedef int (*sim_update)(int old, const int *reg); /* the new value of a variable */

struct sim_instr {
    uint8_t kind;
    uint8_t object; /* number of the variable, mutex, condition, thread, label … */
    uint8_t mutex;  /* the mutex of a wait */
    int8_t reg;     /* register for the result; -1: the result is dropped */
    /*
     * the value of a write or set without expr; for other kinds the `arg` of their operation: the type of a mutex,
     * whether a read-write lock prefers writers …
     */
    int value;
    uint32_t until; /* deadline of a timed wait, which sets `reg` to 1, or to 0 if it timed out; 0: not timed */
    sim_expr expr;
    sim_update update;
};

#define do_read(x, r) \
    { .kind = SIM_READ, .object = (x), .reg = (r) }
#define do_write(x, v) \
    { .kind = SIM_WRITE, .object = (x), .value = (v) }
#define do_write_fn(x, fn) \
    { .kind = SIM_WRITE, .object = (x), .expr = (fn) }
#define do_rmw(x, fn, r) \
    { .kind = SIM_RMW, .object = (x), .update = (fn), .reg = (r) } /* r gets the old value */
#define do_lock(m) \
    { .kind = SIM_LOCK, .object = (m) }
#define do_unlock(m) \
    { .kind = SIM_UNLOCK, .object = (m) }
#define do_trylock(m, r) \
    { .kind = SIM_TRYLOCK, .object = (m), .reg = (r) } /* r gets 1 when it was taken */
#define do_spawn(t) \
    { .kind = SIM_SPAWN, .object = (t) }
#define do_join(t) \
    { .kind = SIM_JOIN, .object = (t) }
#define do_yield() \
    { .kind = SIM_YIELD }
#define do_wait(c, m) \
    { .kind = SIM_WAIT, .object = (c), .mutex = (m) }
#define do_signal(c) \
    { .kind = SIM_SIGNAL, .object = (c) }
#define do_broadcast(c) \
    { .kind = SIM_BROADCAST, .object = (c) }
#define do_timedlock(m, t, r) \
    { .kind = SIM_LOCK, .object = (m), .until = (t), .reg = (r) }
#define do_timedwait(c, m, t, r) \
    { .kind = SIM_WAIT, .object = (c), .mutex = (m), .until = (t), .reg = (r) }
#define do_timedjoin(j, t, r) \
    { .kind = SIM_JOIN, .object = (j), .until = (t), .reg = (r) }
#define do_rdlock(l, writers_first) \
    { .kind = SIM_RDLOCK, .object = (l), .value = (writers_first) }
#define do_wrlock(l, writers_first) \
    { .kind = SIM_WRLOCK, .object = (l), .value = (writers_first) }
#define do_timedwrlock(l, writers_first, t, r) \
    { .kind = SIM_WRLOCK, .object = (l), .value = (writers_first), .until = (t), .reg = (r) }
#define do_rwunlock(l) \
    { .kind = SIM_RWUNLOCK, .object = (l) }
#define do_sem_wait(s) \
    { .kind = SIM_SEM_WAIT, .object = (s) }
#define do_sem_timedwait(s, t, r) \
    { .kind = SIM_SEM_WAIT, .object = (s), .until = (t), .reg = (r) }
#define do_sem_post(s) \
    { .kind = SIM_SEM_POST, .object = (s) }
#define do_barrier(b, n, r) \
    { .kind = SIM_BARRIER, .object = (b), .value = (n), .reg = (r) } /* r gets 1 in the last of n, else 0 */
#define do_sleep(ns) \
    { .kind = SIM_SLEEP, .value = (ns) }
#define do_sem_trywait(s, r) \
    { .kind = SIM_SEM_TRYWAIT, .object = (s), .reg = (r) } /* r gets 1 when it was taken */
#define do_sem_value(s, r) \
    { .kind = SIM_SEM_VALUE, .object = (s), .reg = (r) }
#define do_tryrdlock(l, writers_first, r) \
    { .kind = SIM_TRYRDLOCK, .object = (l), .value = (writers_first), .reg = (r) }
#define do_trywrlock(l, writers_first, r) \
    { .kind = SIM_TRYWRLOCK, .object = (l), .value = (writers_first), .reg = (r) }
#define do_timedrdlock(l, writers_first, t, r) \
    { .kind = SIM_RDLOCK, .object = (l), .value = (writers_first), .until = (t), .reg = (r) }
#define do_once(o, r) \
    { .kind = SIM_ONCE, .object = (o), .reg = (r) } /* r gets 1 in the thread that ran the routine, else 0 */
#define do_tryjoin(t, r) \
    { .kind = SIM_TRYJOIN, .object = (t), .reg = (r) }
#define do_cancel(t) \
    { .kind = SIM_CANCEL, .object = (t) }
#define do_send(t) \
    { .kind = SIM_SEND, .object = (t) }
#define do_exit() \
    { .kind = SIM_EXIT } /* of the process */
#define do_lock_of(m, type) \
    { .kind = SIM_LOCK, .object = (m), .value = (type) }
#define do_unlock_of(m, type) \
    { .kind = SIM_UNLOCK, .object = (m), .value = (type) }
#define do_trylock_of(m, type, r) \
    { .kind = SIM_TRYLOCK, .object = (m), .value = (type), .reg = (r) }
#define do_set(r, fn) \
    { .kind = SIM_SET, .reg = (r), .expr = (fn) }
#define do_assert(fn) \
    { .kind = SIM_ASSERT, .expr = (fn) }
#define do_assume(fn) \
    { .kind = SIM_ASSUME, .expr = (fn) }
#define do_choose(n, r) \
    { .kind = SIM_CHOOSE, .value = (n), .reg = (r) } /* r gets one of 0 to n - 1 */
#define do_free(b) \
    { .kind = SIM_FREE, .object = (b) } /* a later use of the block is a finding */
#define do_futex_wait(x, v) \
    { .kind = SIM_FUTEX_WAIT, .object = (x), .value = (v) } /* waits while the variable has the value v */
#define do_futex_timedwait(x, v, t, r) \
    { .kind = SIM_FUTEX_WAIT, .object = (x), .value = (v), .until = (t), .reg = (r) }
#define do_futex_wake(x, n, r) \
    { .kind = SIM_FUTEX_WAKE, .object = (x), .value = (n), .reg = (r) } /* r gets the number of woken threads */
#define do_init(what, o) \
    { .kind = SIM_INIT, .value = (what), .object = (o) } /* a kind of enum rd_object_kind */
#define do_destroy(what, o) \
    { .kind = SIM_DESTROY, .value = (what), .object = (o) }
#define do_if_zero(fn, l) \
    { .kind = SIM_IF_ZERO, .expr = (fn), .object = (l) } /* go to label l if fn is zero */
#define do_if(fn, l) \
    { .kind = SIM_IF, .expr = (fn), .object = (l) } /* go to label l if fn is not zero */
#define do_goto(l) \
    { .kind = SIM_GOTO, .object = (l) }
#define do_label(l) \
    { .kind = SIM_LABEL, .object = (l) }
#define do_end() \
    { .kind = SIM_END }

struct sim_program {
    const char *name;
    struct sim_instr code[SIM_THREADS][SIM_CODE];
    uint32_t length[SIM_THREADS];
    uint32_t threads;
    int vars[SIM_VARS]; /* initial values */
    int sems[SIM_SEMS]; /* initial values */
    bool main, start_steps;
};

#define SIM_CODE_OF(...) \
    (const struct sim_instr[]) { __VA_ARGS__ }
#define SIM_COUNT_OF(...) ((uint32_t)(sizeof(SIM_CODE_OF(__VA_ARGS__)) / sizeof(struct sim_instr)))
/* SIM_THREAD adds a thread with this code; SIM_APPEND appends code to the last thread. */
#define SIM_THREAD(p, ...) sim_thread((p), SIM_CODE_OF(__VA_ARGS__), SIM_COUNT_OF(__VA_ARGS__))
#define SIM_APPEND(p, ...) sim_append((p), SIM_CODE_OF(__VA_ARGS__), SIM_COUNT_OF(__VA_ARGS__))
void sim_thread(struct sim_program *p, const struct sim_instr *code, uint32_t count);
void sim_append(struct sim_program *p, const struct sim_instr *code, uint32_t count);
/* The same program with an additional first thread that creates all the others, then joins them. */
void sim_with_main(struct sim_program *to, const struct sim_program *from, bool start_steps);

struct sim;

struct sim_options {
    bool asserts_go_on;      /* a failing assert is recorded, and the execution continues to its end */
    bool asserts_are_points; /* a failing assert that ends the execution is an RD_OP_FAIL, unless it follows a read
                              */
    bool signal_fifo;        /* a signal wakes the first waiter; otherwise the woken waiter is a choice */
    bool strict;             /* as rd_engine.strict */
    bool loops;              /* threads have a local state: loops that wait are recognised */
    uint32_t spurious;       /* number of wake-ups without a signal that an execution may have */
    uint32_t timeouts;       /* number of timed waits that may time out while other threads are enabled */
    uint32_t steps_max;      /* 0: SIM_STEPS_MAX */
    uint32_t stalled_after;  /* 0: the engine's default */
    uint32_t fair_after;     /* 0: never within steps_max */
    uint32_t yields;         /* the fairness rule counts every `yields`-th yield of a loop */
    const struct rd_range *focus; /* preemptions are allowed only in these ranges; NULL: anywhere */
    uint32_t focus_count;
    uint64_t executions_max; /* 0: until the search is done */
    uint64_t seed;
    /* Called after every execution of sim_explore and sim_enumerate. */
    void (*seen)(void *ctx, const struct sim *s);
    void *ctx;
};

/* Ranges for `focus`: a variable, a mutex, the code of a thread, each by its number in the program. */
struct rd_range sim_focus_var(uint32_t number);
struct rd_range sim_focus_mutex(uint32_t number);
struct rd_range sim_focus_thread(uint32_t number);

enum { SIM_STEPS_MAX = 1200 };

/* Runs one execution after the other of one program. */
struct sim {
    const struct sim_program *program;
    struct sim_options options;
    struct rd_record rec;
    struct rd_engine engine;
    struct rd_arena arena; /* memory of the execution */
    struct rd_thread_path paths[RD_TID_MAX];
    uint32_t path_count;
    uint32_t label[SIM_THREADS][SIM_LABELS];
    /* the program's state, by its own thread numbers */
    int vars[SIM_VARS];
    int reg[SIM_THREADS][SIM_REGS];
    uint32_t at[SIM_THREADS];   /* index of the next instruction */
    bool started[SIM_THREADS];  /* the thread's start operation has been performed, or it has none */
    bool halfway[SIM_THREADS];  /* between the two operations of an instruction */
    bool relocks[SIM_THREADS];  /* the thread has left its condition and has yet to lock the mutex */
    bool has_read[SIM_THREADS]; /* its last operation was a read */
    bool polite[SIM_THREADS];   /* about to yield before an access */
    rd_tid tid_of[SIM_THREADS];
    uint8_t thread_of[RD_TID_MAX];
    bool failed; /* an assert failed */
    bool exited; /* the process has exited */
    bool freed[SIM_BLOCKS];
    struct rd_choice prefix[SIM_STEPS_MAX]; /* prefix of the next plan, unless `rec` was passed to sim_load */
    rd_tid sleep[RD_TID_MAX];
    struct rd_weight weight[RD_TID_MAX];
    struct rd_track track[RD_TRACKS_MAX];
};

/* Reserves address space; only pages that are touched take memory. sim_region makes an arena of it. */
void *sim_reserve(size_t size);
struct rd_arena sim_region(size_t size);
struct sim *sim_open(void);
void sim_close(struct sim *s);
/*
 * Makes `s` run program `p` from here on. `rec`: where to record, for example in a channel; NULL: in the
 * simulator's own memory.
 */
void sim_load(struct sim *s, const struct sim_program *p, const struct sim_options *o, const struct rd_record *rec);
/* Runs one execution. Its outcome and steps are in s->rec. */
void sim_run(struct sim *s, const struct rd_plan *plan);
/*
 * Runs one execution by this list of threads (the engine's numbers) without comparing fingerprints, then by the
 * default picker.
 */
void sim_run_threads(struct sim *s, const rd_tid *tids, uint32_t count);

enum { SIM_PREEMPTIONS = 16 };

/* The results of a search. Counts are of executions unless the comment says otherwise. */
struct sim_result {
    uint64_t executions;
    uint64_t cut; /* executions cut by their plan; not counted in `executions` */
    uint64_t ok, asserts, deadlocks, hangs, others;
    uint64_t
        by_preemptions[SIM_PREEMPTIONS]; /* executions by preemptions; the last element counts that many or more */
    /* distinct schedules, and the number of executions that repeated a known schedule */
    uint64_t schedules, repeated;
    /* a hash of the set of schedules, independent of the order of the executions */
    uint64_t schedule_sum;
    uint64_t classes;            /* distinct happens-before classes */
    uint64_t failing_classes;    /* classes of the executions that were not ok */
    uint64_t finals;             /* distinct final states: variables, registers, outcome */
    uint64_t first_failure;      /* number of the first execution that was not ok, from 1; 0: none */
    uint32_t fewest_preemptions; /* among the executions that were not ok */
    uint64_t fair_tails, fairness;
    /* findings predicted by detectors: different lock cycles, different accesses without a lock */
    uint64_t cycles, undisciplined;
    bool complete; /* the search claimed completeness */
};

/* Runs a whole search. `strategy` is written as on the command line. */
void sim_explore(const struct sim_program *p, const char *strategy, const struct sim_options *o,
                 struct sim_result *r);
/*
 * Runs every schedule by brute force, without any code of search/: recursion over prefixes. For small programs
 * only.
 */
void sim_enumerate(const struct sim_program *p, const struct sim_options *o, struct sim_result *r);

/*
 * Decides without the engine's filter whether every preemption comes where the preempted thread has just performed,
 * or is about to perform, an operation that is in focus.
 */
bool sim_focused(const struct rd_range *focus, const struct rd_record *r);

#endif
