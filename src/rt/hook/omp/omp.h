/*
 * omp.h - OpenMP: teams, work-sharing, tasks and locks, for the entry points of gcc's runtime (gomp*.c), of clang's
 * (kmpc*.c) and of both (omp_api.c, omp_lock.c).
 *
 * The runtimes (libgomp, libomp) are not used while the program is under control. Their fast paths (an uncontended
 * critical section, a barrier, the next chunk of a loop) make no call that a hook could see; they spin, keep pools
 * of threads, and order more than OpenMP promises. So this folder implements the entry points that compiled code
 * calls, over operations of the model:
 *
 *   - Critical sections and locks are mutexes, barriers are barriers.
 *   - Every other step of a team is RD_OP_TEAM on the piece of the team's state that it uses: which thread gets the
 *     next chunk, which thread executes the single block, the turn of an ordered loop, which task a thread takes.
 *     RD_OP_TEAM gives the race detector no order where OpenMP promises none.
 *   - Order that OpenMP promises is an RD_OP_RELEASE, and an RD_OP_ACQUIRE or RD_OP_TEAM on the same object.
 *
 * Invariants: the state of a team changes only in the step of an operation on the object that stands for that
 * state, so two threads whose order matters have operations that depend on each other. Only the thread that holds
 * the baton runs: the code between two operations is atomic. An object has a name that is the same in every
 * execution: it lies on a stack of the program, in the program's heap or data, never in memory of this library.
 *
 * The worker threads of a team stay when the region ends and wait for the next one, as the runtimes' do:
 * threadprivate variables keep their values. A worker that waits for a region cannot run any code, and counts as
 * joined.
 */
#ifndef RD_RT_HOOK_OMP_OMP_H
#define RD_RT_HOOK_OMP_OMP_H

#include "rt/hook/hook.h"

enum { RD_OMP_SHARES = 16, RD_OMP_NESTED = 4 };

enum rd_omp_schedule { RD_OMP_STATIC = 1, RD_OMP_DYNAMIC, RD_OMP_GUIDED, RD_OMP_AUTO };

/*
 * The most ways that a choice can have: of more chunks or tasks that are left, only the first ones can be chosen.
 */
enum { RD_OMP_CHOICES = 1000 };
static_assert((int)RD_OMP_CHOICES <= (int)RD_TID_MAX, "fits a step's number of candidates");

/*
 * A work-sharing construct (loop, sections, single) that threads of a team have come to. Its iterations are counted
 * from 0: iteration n has the loop counter first + n * step. An operation on the struct itself stands for all its
 * fields but `turns`, `ordered` and the elements of `posted`, which stand for themselves.
 */
struct rd_omp_share {
    uint64_t number;          /* index of the construct among the team's, from 1; 0: the slot is not used yet */
    uint32_t entered, inside; /* threads that have come to it; threads among them that have not left it */
    uint8_t schedule;         /* enum rd_omp_schedule */
    bool any_order;           /* dynamic: threads may take chunks in any order (clang's nonmonotonic) */
    bool libomp_lengths;      /* guided: the lengths of chunks are libomp's, not libgomp's */
    uint64_t *taken; /* `any_order`: a bit for each chunk, 1 when a thread has taken it; NULL: no chunk is taken */
    uint64_t full;   /* `any_order`: leading words of `taken` in which every bit is 1 */
    uint64_t first, step;  /* counter of iteration 0, and its distance to the next one's */
    uint64_t count, chunk; /* iterations in all; iterations in a chunk (0: static, one block for each thread) */
    uint64_t next;         /* first iteration that no thread has taken; with `any_order`: number of chunks taken */
    uint64_t turns;        /* ordered: iterations whose turn is over */
    uint32_t ordered;      /* ordered: the object that ordered blocks release and acquire */
    void *copy;            /* single with copyprivate: the data of the thread that executed the block */
    uint8_t *posted;       /* doacross: for each iteration, 1 when it was posted */
    uint64_t extent[8];    /* doacross: number of iterations in each dimension */
    uint32_t dimensions;   /* doacross: how many elements of `extent` are used */
};

struct rd_omp_task;
struct rd_omp_group;

/* The code that each thread of a parallel region runs. */
struct rd_omp_body {
    void (*call)(const struct rd_omp_body *b, uint32_t num); /* calls `fn` for the thread with this number */
    uint64_t entry;                                          /* `fn` as an address, for the new thread's start */
    void *fn, *data;                                         /* the program's function; its argument (gcc) */
    void **args;                                             /* its arguments (clang), `count` of them */
    int count;
    const struct rd_omp_share *loop; /* a loop or sections that the region begins with; NULL: none */
};

/* The threads of one parallel region. `num` 0 is the master, the thread that began the region. */
struct rd_omp_team {
    uint32_t size;             /* threads, the master included */
    uint32_t level, active;    /* enclosing regions, this one included; regions among them with several threads */
    uint32_t busy_here, *busy; /* threads in all regions within the outermost one, whose busy_here counts them */
    const struct rd_omp_body *body;  /* NULL: not a parallel region (a thread by itself, a serialised region) */
    const struct rd_omp_team *outer; /* the team that the master was in before */
    uint32_t outer_num;              /* the master's number in `outer` */
    uint64_t pc;                     /* the program's call that began the region */
    void *copy;       /* clang's copyprivate: the data of the thread that executed the single block */
    uint32_t done;    /* workers that have reached the end of the region */
    uint32_t barrier; /* the object of barriers, where the program uses no tasks */
    struct rd_omp_share share[RD_OMP_SHARES]; /* the construct with number n is at n % RD_OMP_SHARES */
    /* Tasks: omp_task.c */
    uint32_t sched;            /* the object that stands for the following fields and for the tasks' own */
    uint32_t arrived;          /* threads at the barrier of this round; changes in steps on `over` */
    uint32_t round;            /* barriers that are over */
    uint32_t over[2];          /* the object that a barrier releases: by the lowest bit of the round */
    uint32_t unfinished;       /* deferred tasks that have not ended */
    struct rd_omp_task *ready; /* tasks that may begin, in the order in which they became ready */
    struct rd_omp_task *made;  /* all blocks of tasks and groups, to be freed with the team */
};

/* The part of a thread's state that belongs to the innermost region that it is in. */
struct rd_omp_member {
    struct rd_omp_team *team;
    uint32_t num;    /* the thread's number in the team */
    uint64_t number; /* of the task that it executes, among all tasks (implicit ones too) of this thread */
    uint64_t shares; /* work-sharing constructs that it has come to */
    struct rd_omp_share *share; /* the construct that it is in; NULL: none */
    uint64_t trip;              /* static loop: chunks that it has had */
    uint64_t turn, length;      /* ordered loop: the first iteration of its chunk, and iterations in it */
    uint64_t passed_on;         /* ordered loop: iterations of the chunk whose turn it has passed on */
    struct rd_omp_task *task;   /* the task that it executes; NULL: the implicit one, which needed no struct yet */
    /* clang's entry points only */
    struct rd_omp_share *across; /* the doacross loop that it is in */
    const int64_t *lows;         /* low, high and step of each dimension of that loop (struct kmpc_dimension) */
    bool ordered, passed;        /* the loop is ordered; the current iteration's turn was passed on already */
};

/* The condition for which a thread's pending RD_OP_TEAM waits. */
enum rd_omp_wait {
    RD_OMP_ANY,     /* none */
    RD_OMP_CHUNK,   /* none; each chunk that is left is a way */
    RD_OMP_GO,      /* a worker: the next region, or the end of the master; or a ready task */
    RD_OMP_DONE,    /* the master: every worker is done with the region */
    RD_OMP_TURN,    /* the turn of its iterations in an ordered loop */
    RD_OMP_POSTED,  /* the post of an iteration of a doacross loop */
    RD_OMP_TASK,    /* the end of the wait in `tasks`, or a ready task; each such task is a way */
    RD_OMP_MAY_TASK /* none: way 0 takes no task, each ready task is a further way */
};

/* The internal control variables (ICVs) of the task that a thread executes. */
struct rd_omp_control {
    uint32_t threads[RD_OMP_NESTED]; /* nthreads-var by nesting level; 0: that of the level before */
    uint32_t levels;                 /* max-active-levels-var */
    uint32_t limit;                  /* thread-limit-var */
    size_t stack;                    /* bytes of a worker's stack; 0: the default of threads */
    uint32_t schedule;               /* run-sched-var: enum rd_omp_schedule */
    uint64_t chunk;                  /* the chunk size of run-sched-var */
    bool dynamic;                    /* dyn-var; it has no effect here */
};

/* A thread of the program that uses OpenMP. */
struct rd_omp {
    struct rd_omp_member me;
    uint32_t wait;           /* enum rd_omp_wait: the condition of its pending operation */
    uint64_t way;            /* the way that the operation took with which the thread came to its construct */
    const uint8_t *posted;   /* RD_OMP_POSTED: the element of rd_omp_share.posted */
    struct rd_omp_wait_for { /* RD_OMP_TASK and RD_OMP_MAY_TASK: the tasks that it may take, and when the wait ends
                              */
        const struct rd_omp_task *of; /* only tasks that descend from this one; NULL: any task */
        const uint32_t *zero;         /* the wait ends when this counter is 0; NULL: it is for the two following */
        bool barrier;                 /* the wait ends with the barrier of `round` */
        bool end;                     /* the wait ends with the region */
        uint32_t round;
    } tasks;
    char *name; /* a worker's object: an address on its stack; NULL: not a worker, or it has ended */
    bool go;    /* a worker: the next region, or its end, has been given to it */
    bool ends;  /* a worker: its master has ended, and it goes on to its own end */
    /* The workers of the thread, by nesting depth: workers of an outer region that is still running are busy. */
    struct rd_omp_pool {
        struct rd_omp **at; /* the worker that gets number i + 1; NULL: not created yet */
        uint32_t size;
    } pool[RD_OMP_NESTED];
    uint32_t depth; /* regions with several threads of which it is the master now */
    struct rd_omp_control control;
    uint64_t numbers;              /* numbers that tasks of this thread have got so far */
    struct rd_omp_nest *nests;     /* omp_lock.c: the nestable locks that it has taken */
    uint32_t wanted;               /* clang: threads wanted for the next region alone; 0: not set */
    struct rd_omp_share announced; /* clang: the loop that the thread has announced */
    bool begins;                   /* clang: the thread has announced it and not entered it yet */
    struct rd_omp_serial *serial;  /* kmpc.c: the serialised regions that it is in, innermost first */
};

/* The state of the calling thread, which the first call makes. pre: rd_omp_on() */
struct rd_omp *rd_omp_self(void);
/* Returns whether this entry point is to be answered here: the caller is a thread under control. */
bool rd_omp_on(void);
/* The entry point of the real runtime; *slot keeps it. */
void *rd_omp_real(void **slot, const char *name);
extern uint64_t rd_omp_pc; /* the program's call of an entry point; to be read before the first operation */
/* Ends the run with the message that the program uses this feature of OpenMP, which has no model. */
_Noreturn void rd_omp_refuse(const char *feature);
/* Memory of the runtime, filled with zeros, for a structure that no operation names. */
void *rd_omp_zeroed(size_t size);

/* Defines an entry point; in a process that is not under control it calls the real runtime's. */
#define RD_OMP_AS(head, type, name, parameters, arguments)                   \
    static type omp_##name parameters;                                       \
    head parameters;                                                         \
    head parameters {                                                        \
        static void *real;                                                   \
        if (!rd_omp_on())                                                    \
            return ((type(*) parameters)rd_omp_real(&real, #name))arguments; \
        rd_omp_pc = RD_PC();                                                 \
        return omp_##name arguments;                                         \
    }                                                                        \
    static type omp_##name parameters
#define RD_OMP(type, name, parameters, arguments) RD_OMP_AS(RD_EXPORT type name, type, name, parameters, arguments)
/* The same for an entry point that entry_*.S exports, because a loop of the program can wait with it. */
#define RD_OMP_ENTERED(type, name, parameters, arguments) \
    RD_OMP_AS(RD_HIDDEN type rd_in_##name, type, name, parameters, arguments)

/* omp_env.c: sets the control variables of a thread that uses OpenMP for the first time from the environment. */
void rd_omp_read_environment(struct rd_omp *o);

/* omp.c */
/* Performs an operation on a piece of OpenMP state; returns the way that it took. */
uint64_t rd_omp_op(unsigned kind, const void *object, uint64_t pc);
/* Performs an RD_OP_TEAM on `object` under a condition; `also` is a second object that it depends on, or NULL. */
uint64_t rd_omp_wait(struct rd_omp *o, enum rd_omp_wait wait, const void *object, const void *also, uint64_t pc);
/* The size of a team that begins now; `wanted` is the region's num_threads clause, or 0. */
uint32_t rd_omp_size(const struct rd_omp *o, uint32_t wanted);
/* Executes a parallel region, with the calling thread as the master. */
void rd_omp_fork(const struct rd_omp_body *body, uint32_t wanted, uint64_t pc);
void rd_omp_barrier(uint64_t pc);

/* omp_share.c */
/* The thread comes to its next construct. *first: it is the first thread there, and initialises the construct. */
struct rd_omp_share *rd_omp_enter(struct rd_omp *o, bool *first, uint64_t pc);
/* The same for a loop; the first thread there copies the loop from `like`. */
void rd_omp_enter_loop(struct rd_omp *o, const struct rd_omp_share *like, uint64_t pc);
/* The thread leaves the construct that it is in, if there is one. */
void rd_omp_leave(struct rd_omp *o);
void rd_omp_leave_share(struct rd_omp *o, struct rd_omp_share *s);
/* Returns whether the calling thread executes the block of a single construct. */
bool rd_omp_single(uint64_t pc);
struct rd_omp_range {
    uint64_t from, to; /* iterations; `to` is not included */
};
/* The block of a thread when `count` iterations are divided evenly: the first threads get one more if need be. */
struct rd_omp_range rd_omp_static_block(uint64_t count, uint64_t threads, uint64_t num);
/*
 * Takes the thread's next chunk of the loop that it is in; false: no chunk is left. `begins`: the operation with
 * which the thread entered the loop has taken the first chunk. `ordered`: the loop has ordered parts.
 */
bool rd_omp_next(struct rd_omp *o, bool begins, bool ordered, struct rd_omp_range *r, uint64_t pc);
/*
 * Waits for the turn of the thread's chunk in an ordered loop, and passes on the turn of so many iterations of it.
 */
void rd_omp_pass_turn(struct rd_omp *o, uint64_t iterations, uint64_t pc);
/* Waits until all iterations before the thread's chunk are over. */
void rd_omp_await_turn(struct rd_omp *o, uint64_t pc);
/* Makes the construct a doacross loop with so many iterations in each dimension. */
void rd_omp_doacross(struct rd_omp_share *s, const uint64_t *counts, uint32_t dimensions, uint64_t pc);
/* Posts an iteration of a doacross loop; waits for such a post. */
void rd_omp_post(struct rd_omp *o, struct rd_omp_share *s, uint64_t iteration, uint64_t pc);
void rd_omp_await_post(struct rd_omp *o, const struct rd_omp_share *s, uint64_t iteration, uint64_t pc);

/* omp.c: the thread has ended; its workers go on to their end, too, where the real runtime ends them. */
void rd_omp_end(struct rd_omp *o);

/* omp_lock.c: an RD_OP_MUTEX_* on a lock; `type` is enum rd_mutex_type. Returns 0 or an errno value. */
int rd_omp_lock(unsigned kind, const void *lock, unsigned type, uint64_t pc);
/* A critical section of the calling thread, with `name` as its mutex. */
void rd_omp_critical_begin(const void *name, uint64_t pc);
void rd_omp_critical_end(const void *name, uint64_t pc);

/*
 * omp.c: returns whether a loaded module refers to entry points of tasks; to those of clang's runtime (else gcc's).
 */
bool rd_omp_tasks_used(void);
bool rd_omp_is_clang(void);
/* omp_share.c: the number of ways in which a thread can take a chunk of the loop that it is in, at least 1. */
uint32_t rd_omp_chunks_left(const struct rd_omp *o);

/* omp_task.c */
/* In how many ways an RD_OMP_TASK, RD_OMP_MAY_TASK or (with tasks) RD_OMP_GO can happen; 0: it has to wait. */
uint32_t rd_omp_task_ways(const struct rd_omp *o);
void rd_omp_task_barrier(struct rd_omp *o, uint64_t pc);
/* A worker at the end of the region executes tasks until it is given another region or its end. */
void rd_omp_task_park(struct rd_omp *o, uint64_t pc);
/* The master waits until all workers have reached the end of the region and all tasks are over. */
void rd_omp_task_join(struct rd_omp *o, uint64_t pc);
void rd_omp_tasks_free(struct rd_omp_team *t);

#endif
