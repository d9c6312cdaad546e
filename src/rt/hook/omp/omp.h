/*
 * omp.h - OpenMP: teams, work-sharing, tasks and locks, for the entry points of gcc's runtime (gomp*.c), of clang's
 * (kmpc*.c) and of both (omp_api.c, omp_lock.c).
 *
 * The runtimes themselves are not used while the program is under control. An uncontended critical section, a
 * barrier, the next chunk of a loop make no call that anybody could see; below that they spin, keep pools, and
 * order more than OpenMP promises. So the entry points that compiled code calls are implemented here, over
 * operations of the model:
 *
 *   - Critical sections and locks are mutexes, barriers are barriers.
 *   - Everything else is RD_OP_TEAM on the piece of state that it uses: who gets the next chunk, who is the single
 * one, whose turn it is, which task is taken. It orders nothing for the race detector, as OpenMP promises nothing
 * there.
 *   - What OpenMP orders is said by RD_OP_RELEASE, and RD_OP_ACQUIRE or RD_OP_TEAM on the same object.
 *
 * Invariants: state of a team changes only in the step of an operation on the object that stands for it, so that
 * two threads whose order matters have operations that depend on each other. Only the thread that holds the baton
 * runs, so what follows an operation up to the next one happens at once. Objects have a name that is the same in
 * every execution: they are on a stack of the program's, in its heap, or in its data, never in this library's own.
 *
 * A team's worker threads stay when the region ends and wait for the next one, as those of the runtimes do: so
 * threadprivate variables keep their values. While they wait they can do nothing, and count as joined.
 */
#ifndef RD_RT_HOOK_OMP_OMP_H
#define RD_RT_HOOK_OMP_OMP_H

#include "rt/hook/hook.h"

enum { RD_OMP_SHARES = 16, RD_OMP_NESTED = 4 };

enum rd_omp_schedule { RD_OMP_STATIC = 1, RD_OMP_DYNAMIC, RD_OMP_GUIDED, RD_OMP_AUTO };

/* As many ways as a choice can have: of more chunks or tasks that are left the first ones are. */
enum { RD_OMP_CHOICES = 1000 };
static_assert((int)RD_OMP_CHOICES <= (int)RD_TID_MAX, "fits a step's number of candidates");

/* A work-sharing construct that threads of a team have come to. Iterations are counted from 0. */
struct rd_omp_share {
    uint64_t number;          /* which one of the team's it is, from 1; 0: none was here yet */
    uint32_t entered, inside; /* threads that have come to it; … and have not left it */
    uint8_t schedule;         /* enum rd_omp_schedule */
    bool any;                 /* dynamic: not in the order of the iterations (clang's nonmonotonic) */
    bool half;                /* guided: as clang's runtime has it */
    uint64_t *taken;          /* … by chunk, as bits */
    uint64_t full;            /* … so many words of which, from the first on, have no free chunk */
    uint64_t first, step;     /* of iteration n: first + n * step */
    uint64_t count, chunk;    /* iterations; so many at once */
    uint64_t next;            /* iteration, section or chunk that nobody has yet */
    uint64_t turns;           /* ordered: iterations that are over; stands for that alone */
    uint32_t ordered;         /* … what the ordered parts release */
    void *copy;               /* copyprivate */
    uint8_t *posted;          /* doacross: which iterations are posted */
    uint64_t extent[8];       /* … of how many in each dimension */
    uint32_t dimensions;
};

struct rd_omp_task;
struct rd_omp_group;

/* What each thread of a region runs. */
struct rd_omp_body {
    void (*call)(const struct rd_omp_body *b, uint32_t num);
    uint64_t entry; /* the program's function */
    void *fn, *data;
    void **args; /* of clang's */
    int count;
    const struct rd_omp_share *loop; /* a loop or sections that the region begins with; NULL: none */
};

struct rd_omp_team {
    uint32_t size, level, active; /* active: how many regions with more than one thread it is in */
    uint32_t busy_here, *busy;    /* threads of all regions within the outermost one, which has the count */
    const struct rd_omp_body *body;
    const struct rd_omp_team *outer;
    uint32_t outer_num; /* the master's number in it */
    uint64_t pc;
    void *copy;    /* copyprivate (clang) */
    uint32_t done; /* workers that have nothing more to do in it */
    uint32_t barrier;
    struct rd_omp_share share[RD_OMP_SHARES];
    /* tasks: omp_task.c */
    uint32_t sched;      /* stands for all of the following */
    uint32_t arrived;    /* at the barrier of this round; stands with `over` for itself */
    uint32_t round;      /* barriers that are over */
    uint32_t over[2];    /* what is released at a barrier, in turn */
    uint32_t unfinished; /* tasks */
    uint32_t ready_count;
    struct rd_omp_task *ready; /* in the order in which they became so */
    struct rd_omp_task *made;  /* all of them, to be freed */
};

/* What of a thread belongs to the region that it is in. */
struct rd_omp_member {
    struct rd_omp_team *team;
    uint32_t num;
    uint64_t number; /* of the task that it is in, implicit ones included: of those of this thread */
    uint64_t shares; /* constructs that it has come to */
    struct rd_omp_share *share;
    uint64_t trip;         /* static: chunks that it has had */
    uint64_t turn, length; /* ordered: the first iteration of its chunk, and how many */
    uint64_t bumped;       /* … that it has passed on already */
    struct rd_omp_task *task;
    /* clang's runtime */
    struct rd_omp_share *across; /* doacross */
    const int64_t *lows;         /* … where its dimensions begin, and by how much they go */
    bool ordered, passed;        /* the loop is ordered; the iteration's turn is over already */
};

enum rd_omp_wait {
    RD_OMP_ANY,
    RD_OMP_CHUNK,
    RD_OMP_GO,
    RD_OMP_DONE,
    RD_OMP_TURN,
    RD_OMP_POSTED,
    RD_OMP_TASK,
    RD_OMP_MAY_TASK
};

/* The control variables of what a thread runs. */
struct rd_omp_control {
    uint32_t threads[RD_OMP_NESTED]; /* in regions of this level and further in; 0: the one before */
    uint32_t levels;                 /* that may be active */
    uint32_t limit;                  /* threads at once */
    size_t stack;                    /* of a worker; 0: as of any thread */
    uint32_t schedule;
    uint64_t chunk;
    bool dynamic;
};

struct rd_omp {
    struct rd_omp_member me;
    uint32_t wait;         /* enum rd_omp_wait: what its pending operation waits for */
    uint64_t way;          /* which way the operation went with which it came to a construct */
    const uint8_t *posted; /* RD_OMP_POSTED */
    struct rd_omp_wait_for {
        const struct rd_omp_task *of; /* tasks that descend from it; NULL: any */
        const uint32_t *zero;         /* the wait is over when this is 0 … */
        bool barrier;                 /* … or the barrier of this round is */
        bool end;                     /* … or the region is */
        uint32_t round;
    } tasks;
    char *name; /* of a worker: an address on its stack */
    bool go;
    bool ends; /* its master is over: it goes on to its own end */
    /* Workers that it has, by how many regions that it is the master of they are in: those of the outer ones are
     * busy. */
    struct rd_omp_pool {
        struct rd_omp **at;
        uint32_t size;
    } pool[RD_OMP_NESTED];
    uint32_t depth;
    struct rd_omp_control control;
    uint64_t numbers;             /* that tasks of it have had */
    struct rd_omp_nest *nests;    /* omp_lock.c: which task has taken a lock that nests */
    uint32_t asked;               /* threads, for the next region alone (clang); 0: nothing */
    struct rd_omp_share like;     /* clang: a loop that the thread has announced */
    bool begins;                  /* … and is not in yet */
    struct rd_omp_serial *serial; /* kmpc.c: regions that are not parallel, the innermost first */
};

/* Of the calling thread; made when it is asked for the first time. */
struct rd_omp *rd_omp_self(void);
/* The thread is under control, and nothing that the program uses of OpenMP is not. */
bool rd_omp_on(void);
void *rd_omp_real(void **slot, const char *name);
extern uint64_t rd_omp_pc; /* the program's call; read before the first operation */
_Noreturn void rd_omp_refuse(const char *what);

/* An entry point, and what it does when this process is not under control. */
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
/* One that is entered through entry_*.S: a loop may wait with it. */
#define RD_OMP_ENTERED(type, name, parameters, arguments) \
    RD_OMP_AS(RD_HIDDEN type rd_in_##name, type, name, parameters, arguments)

/* omp_env.c: of a thread that comes to OpenMP for the first time. */
void rd_omp_read_environment(struct rd_omp *o);

/* omp.c */
uint64_t rd_omp_op(unsigned kind, const void *object, uint64_t pc); /* which way it went */
/* `also`: another object that it depends on, or NULL. */
uint64_t rd_omp_wait(struct rd_omp *o, enum rd_omp_wait wait, const void *object, const void *also, uint64_t pc);
uint32_t rd_omp_size(const struct rd_omp *o, uint32_t wanted); /* of a team that begins now */
void rd_omp_fork(const struct rd_omp_body *body, uint32_t wanted, uint64_t pc);
void rd_omp_barrier(uint64_t pc);

/* omp_share.c */
/* The thread comes to a construct; *first: nobody was there before, and it is empty. */
struct rd_omp_share *rd_omp_enter(struct rd_omp *o, bool *first, uint64_t pc);
void rd_omp_enter_loop(struct rd_omp *o, const struct rd_omp_share *like, uint64_t pc);
void rd_omp_leave(struct rd_omp *o);
void rd_omp_leave_share(struct rd_omp *o, struct rd_omp_share *s);
bool rd_omp_single(uint64_t pc);
struct rd_omp_range {
    uint64_t from, to; /* iterations, the last one not included */
};
/* The next part of the loop that the thread is in; the first one came with its operation. */
bool rd_omp_next(struct rd_omp *o, bool begins, bool ordered, struct rd_omp_range *r, uint64_t pc);
void rd_omp_pass_turn(struct rd_omp *o, uint64_t iterations, uint64_t pc);
void rd_omp_await_turn(struct rd_omp *o, uint64_t pc);
void rd_omp_doacross(struct rd_omp_share *s, const uint64_t *counts, uint32_t dimensions, uint64_t pc);
void rd_omp_post(struct rd_omp *o, struct rd_omp_share *s, uint64_t iteration, uint64_t pc);
void rd_omp_await_post(struct rd_omp *o, const struct rd_omp_share *s, uint64_t iteration, uint64_t pc);

/* omp.c: the thread is over, and so are the workers that it has, if the runtime ends them. */
void rd_omp_end(struct rd_omp *o);

/* omp_lock.c */
int rd_omp_lock(unsigned kind, const void *lock, unsigned type, uint64_t pc); /* RD_OP_MUTEX_*; 0 or an error */

/* omp_task.c */
bool rd_omp_tasks_used(void);
bool rd_omp_is_clang(void);                          /* the runtime is clang's; otherwise gcc's */
uint32_t rd_omp_chunks_left(const struct rd_omp *o); /* omp_share.c: of a loop with `any`, or 1 */
uint32_t rd_omp_task_ways(const struct rd_omp *o);
void rd_omp_task_barrier(struct rd_omp *o, uint64_t pc);
/* A worker is at the end of the region: does tasks until it has to go on to another one. */
void rd_omp_task_park(struct rd_omp *o, uint64_t pc);
void rd_omp_task_join(struct rd_omp *o, uint64_t pc); /* the master, until all is done */
void rd_omp_tasks_free(struct rd_omp_team *t);

#endif
