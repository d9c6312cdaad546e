/* generate.h - shared by the files of the generator. */
#ifndef RD_FUZZ_GENERATE_H
#define RD_FUZZ_GENERATE_H

#include "fuzz.h"

enum feature {
    MUTEX = 1,
    TRY = 2,
    RW = 4,
    COND = 8,
    SEM = 16,
    BARRIER = 32,
    THREADS = 64,
    CANCEL = 128,
    SIGNAL = 256,
    ONCE = 512,
    TIME = 1024,
    EXIT = 2048,
    LOOP = 4096,
    OPEN = 8192, /* choices by the program, and assumptions about them */
    FUTEX = 16384,
    OBJECTS = 32768, /* objects that are destroyed, and initialised again */
    FEATURES = 16,
    HEAP = 65536, /* together with any other feature: blocks that are freed */
};

enum { TRIED = 3 }; /* the register for the result of a trylock or timed operation */

struct gen {
    struct rd_rng rng;
    struct fuzz_case *c;
    unsigned features;
    uint32_t threads, thread, vars, mutexes, labels;
    int32_t left;       /* number of visible instructions that the thread may still get */
    int held;           /* in a disciplined program: the mutex that is held, or -1 */
    uint32_t spawned;   /* number of threads that main has created so far */
    uint32_t by_child;  /* the thread that thread 1 creates, or 0 */
    bool child_spawned; /* whether thread 1 has created it */
    bool holding;       /* emits many waits with locks held */
    bool dense;         /* emits almost only the chosen features … */
    uint8_t which;      /* … on one object of each kind, which has this number */
};

static inline uint32_t below(struct gen *g, uint32_t n) { return rd_rng_below(&g->rng, n); }
static inline bool one_in(struct gen *g, uint32_t n) { return below(g, n) == 0; }
static inline uint8_t u8(uint32_t n) { return (uint8_t)n; }
/* The number of one of two objects. */
static inline uint8_t either(struct gen *g) { return g->dense ? g->which : u8(below(g, 2)); }

static inline bool room(const struct gen *g, uint32_t n) { return g->c->program.length[g->thread] + n < SIM_CODE; }

static inline void emit(struct gen *g, struct sim_instr i) {
    g->left -= i.kind < SIM_SET;
    sim_append(&g->c->program, &i, 1);
}
#define EMIT(g, ...) emit((g), (struct sim_instr)__VA_ARGS__)

/* generate_more.c */
void fuzz_futex(struct gen *g);
void fuzz_object(struct gen *g);
void fuzz_holding(struct gen *g);

#endif
