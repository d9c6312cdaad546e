/*
 * profile.h - what executions that were told to profile (RD_ACCESSES_PROFILE) have shown of the program's
 * variables: who uses them, how often, from where, under which locks. The table is in the channel and grows from
 * one such execution to the next; counts are sums over `executions` of them. Filled in by engine/profile_record.c.
 *
 * A variable is the bytes of an access, by their place; an object of synchronisation is one too. Of an array (a
 * global one or a block of the heap) whose elements are more than RD_ELEMENTS_MAX the whole is one variable.
 */
#ifndef RD_TRACE_PROFILE_H
#define RD_TRACE_PROFILE_H

#include "trace/types.h"

enum {
    RD_VARS_MAX = 1 << 16,
    RD_SITES_MAX = 1 << 15,
    RD_BLOCKS_MAX = 1 << 16,
    RD_GLOBALS_MAX = 1 << 15,
    RD_ELEMENTS_MAX = 64,
    RD_VAR_LOCKS = 4,
    RD_SITE_VARS = 4,
};

enum rd_var_flag {
    RD_VAR_WHOLE = 1,    /* an array or block as one variable */
    RD_VAR_GONE = 2,     /* an element: it is counted in its array */
    RD_VAR_OBJECT = 4,   /* of synchronisation: a mutex, a condition … */
    RD_VAR_ATOMIC = 8,   /* there are atomic accesses to it */
    RD_VAR_PLAIN = 16,   /* … and ordinary ones */
    RD_VAR_SHARED = 32,  /* more than one thread has used it */
    RD_VAR_WRITTEN = 64, /* … and it was written since */
};

struct rd_var {
    rd_place first;
    uint64_t size;
    uint64_t reads, writes;
    uint64_t tids;                /* who: bit (thread modulo 64) */
    rd_place locks[RD_VAR_LOCKS]; /* held at every access since it is shared */
    uint32_t block, global;       /* index + 1 of what it is in; 0: in none */
    rd_tid owner;                 /* who used it first */
    uint16_t lock_count;
    uint16_t threads; /* how many bits of tids are set */
    uint8_t flags;    /* enum rd_var_flag */
    uint8_t pad;
};
static_assert(sizeof(struct rd_var) == 88, "stored");

/* A place in the code that touches memory. */
struct rd_site {
    rd_place pc;
    uint64_t count;
    uint32_t vars[RD_SITE_VARS]; /* index + 1; what it was seen to touch */
    uint32_t many;               /* more than that */
    /* of the plans that track what the last one did (explore/sites.h) */
    uint8_t off;     /* it is not asked */
    uint8_t seen;    /* it was reached and asked */
    uint8_t touched; /* … and touched what is tracked */
    uint8_t fixed;   /* it cannot be switched off (1), or was when it should not have been (2) */
};

/* Memory of the heap, as it was allocated. */
struct rd_block {
    rd_place first;
    uint64_t size;
    uint64_t stack;   /* hash of the call stack of the allocation */
    rd_place pc;      /* the innermost call of it in the program's own code */
    uint32_t ordinal; /* how many there were from the same stack before, by any thread */
    uint32_t elements;
    uint8_t whole;
    uint8_t by_new; /* by an operator of C++ */
    uint8_t pad[2];
    rd_tid tid; /* who allocated it */
    uint16_t pad2;
    rd_place calls[RD_STEP_STACK]; /* the stack itself, innermost first; ends with 0 */
};

/* A variable of a module, from its symbol table; sorted. Written by the driver. */
struct rd_global {
    rd_place first;
    uint32_t size;
    uint16_t elements;
    uint8_t whole;
    uint8_t pad;
};

/* What is missing: tables were too small, or (OTHER) memory has no name that is the same in every process: mmap. */
enum rd_profile_lost { RD_LOST_VARS = 1, RD_LOST_SITES = 2, RD_LOST_BLOCKS = 4, RD_LOST_OTHER = 8 };

struct rd_profile {
    uint32_t executions;
    uint32_t var_count, site_count, block_count, global_count;
    uint32_t lost;     /* enum rd_profile_lost */
    uint64_t accesses; /* to memory and objects, by all threads */
    struct rd_var vars[RD_VARS_MAX];
    struct rd_site sites[RD_SITES_MAX];
    struct rd_block blocks[RD_BLOCKS_MAX];
    struct rd_global globals[RD_GLOBALS_MAX];
    uint32_t block_order[RD_BLOCKS_MAX];                               /* blocks by place */
    uint32_t var_index[4 * RD_VARS_MAX], site_index[4 * RD_SITES_MAX]; /* by hash: index + 1 */
};

/* Both are the same then. Only what is used is touched. */
void rd_profile_copy(struct rd_profile *to, const struct rd_profile *from);
/*
 * Notes that a block was allocated (place, size, stack, pc, ordinal, thread and calls are given). One that began at
 * the same place before is this one now; others that it overlaps are no longer there. False: there is no room.
 */
bool rd_profile_add_block(struct rd_profile *p, const struct rd_block *block);
/* One was allocated of which nothing is known: what is known of others there is no longer true. */
void rd_profile_forget(struct rd_profile *p, rd_place first, uint64_t size);
/* The variable with these bytes, by its first one: the element or the whole it is in; NULL: not known. */
const struct rd_var *rd_profile_var(const struct rd_profile *p, rd_place place);
const struct rd_block *rd_profile_block(const struct rd_profile *p, rd_place place); /* that contains it, or NULL */
const struct rd_global *rd_profile_global(const struct rd_profile *p, rd_place place);
const struct rd_site *rd_profile_site(const struct rd_profile *p, rd_place pc);
static inline bool rd_var_contended(const struct rd_var *v) {
    return (v->flags & RD_VAR_SHARED) && !(v->flags & RD_VAR_GONE);
}

#endif
