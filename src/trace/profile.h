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
    RD_VAR_GONE = 2,     /* an element whose array has become one variable: it is counted there */
    RD_VAR_OBJECT = 4,   /* an object of synchronisation: a mutex, a condition … */
    RD_VAR_ATOMIC = 8,   /* atomic accesses use it */
    RD_VAR_PLAIN = 16,   /* plain accesses use it */
    RD_VAR_SHARED = 32,  /* more than one thread has used it */
    RD_VAR_WRITTEN = 64, /* it was written since it is SHARED */
};

struct rd_var {
    rd_place first;
    uint64_t size;
    uint64_t reads, writes;
    uint64_t tids;                /* bit (t modulo 64): thread t has used it */
    rd_place locks[RD_VAR_LOCKS]; /* locks that were held at every access since it is SHARED */
    uint32_t block, global;       /* index + 1 of the block, or the global variable, that it is in; 0: none */
    rd_tid owner;                 /* the thread that used it first */
    uint16_t lock_count;
    uint16_t threads; /* number of bits of `tids` that are set */
    uint8_t flags;    /* enum rd_var_flag */
    uint8_t pad;
};
static_assert(sizeof(struct rd_var) == 88, "stored");

/* A place in the code that touches memory. */
struct rd_site {
    rd_place pc;
    uint64_t count;
    uint32_t vars[RD_SITE_VARS]; /* index + 1 of the variables that it touched */
    uint32_t many;               /* it touched more variables than that */
    /* state under plans with selective access points that track the same variables (explore/sites.h) */
    uint8_t off;     /* its hooks are switched off */
    uint8_t seen;    /* an execution reached it with its hooks on */
    uint8_t touched; /* … and it touched tracked memory then */
    uint8_t fixed;   /* 1: it cannot be switched off; 2: it was switched off although it touches tracked memory */
};

/* A block of the heap. */
struct rd_block {
    rd_place first;
    uint64_t size;
    uint64_t stack;    /* hash of the call stack of the allocation */
    rd_place pc;       /* the innermost call of that stack in the program's own code */
    uint32_t ordinal;  /* number of earlier blocks from the same stack, by any thread */
    uint32_t elements; /* number of its elements that were accessed */
    uint8_t whole;     /* it is one variable */
    uint8_t by_new;    /* an operator of C++ allocated it */
    uint8_t pad[2];
    rd_tid tid; /* who allocated it */
    uint16_t pad2;
    rd_place calls[RD_STEP_STACK]; /* the call stack, innermost call first; 0 ends it */
};

/* A variable of a module, from its symbol table. The driver writes these entries, sorted by place. */
struct rd_global {
    rd_place first;
    uint32_t size;
    uint16_t elements;
    uint8_t whole;
    uint8_t pad;
};

/* Reasons why the profile is incomplete: a table was full, or (OTHER) memory has no place that is stable, as from
 * mmap. */
enum rd_profile_lost { RD_LOST_VARS = 1, RD_LOST_SITES = 2, RD_LOST_BLOCKS = 4, RD_LOST_OTHER = 8 };

struct rd_profile {
    uint32_t executions;
    uint32_t var_count, site_count, block_count, global_count;
    uint32_t lost;     /* bits of enum rd_profile_lost */
    uint64_t accesses; /* number of accesses to memory and objects, by all threads */
    struct rd_var vars[RD_VARS_MAX];
    struct rd_site sites[RD_SITES_MAX];
    struct rd_block blocks[RD_BLOCKS_MAX];
    struct rd_global globals[RD_GLOBALS_MAX];
    uint32_t block_order[RD_BLOCKS_MAX];                               /* indices of blocks, sorted by place */
    uint32_t var_index[4 * RD_VARS_MAX], site_index[4 * RD_SITES_MAX]; /* hash tables of index + 1 */
};

/* Are all counts and indexes within the tables? A tested program could have written there. */
bool rd_profile_is_sound(const struct rd_profile *p);
/* Copies a profile. Touches only those parts of the tables that one of the two uses. */
void rd_profile_copy(struct rd_profile *to, const struct rd_profile *from);
/*
 * Adds a block that was allocated; place, size, stack, pc, ordinal, thread and calls are given. It replaces a block
 * that began at the same place; other blocks that it overlaps are removed. Returns false if the table is full.
 */
bool rd_profile_add_block(struct rd_profile *p, const struct rd_block *block);
/* Removes the blocks that overlap this memory, which was allocated anew without a known stack. */
void rd_profile_forget(struct rd_profile *p, rd_place first, uint64_t size);
/* Returns the variable that begins at this place, or the array around it if that is one variable; NULL: not known.
 */
const struct rd_var *rd_profile_var(const struct rd_profile *p, rd_place place);
/* These return the entry that contains the place, or NULL. */
const struct rd_block *rd_profile_block(const struct rd_profile *p, rd_place place);
const struct rd_global *rd_profile_global(const struct rd_profile *p, rd_place place);
const struct rd_site *rd_profile_site(const struct rd_profile *p, rd_place pc);
/* Returns whether several threads use the variable, and it is counted by itself. */
static inline bool rd_var_contended(const struct rd_var *v) {
    return (v->flags & RD_VAR_SHARED) && !(v->flags & RD_VAR_GONE);
}

#endif
