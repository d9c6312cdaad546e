/* heap.h - the blocks of the heap, for those who say what is wrong with one (heap_check.c, leak.c). */
#ifndef RD_RT_HEAP_HEAP_H
#define RD_RT_HEAP_HEAP_H

#include "base/shadow.h"
#include "rt/layout.h"
#include "rt/rt.h"

enum { RD_BLOCK_LIVE = 0x6c76, RD_BLOCK_FREED = 0x6672 };
enum { RD_HEAP_USERS = 24 }; /* threads whose use of an object is remembered */

/* Stands before each block. Who made it is whose region it is in. */
struct rd_head {
    uint64_t state : 16;
    uint64_t made : 48; /* where: the raw pc */
    uint64_t freed_tid : 16;
    uint64_t freed : 48; /* the same; 0: it was not */
    uint64_t asked : 40; /* what was asked for, and may be used */
    uint64_t users : 24; /* threads that have used a synchronisation object in it, as bits */
    uint32_t granules;   /* what there is */
    uint32_t next;       /* in a list of the region: its header, in granules from the region's start; 0: none */
};
static_assert(sizeof(struct rd_head) == 32, "keeps blocks aligned");

enum { RD_HEAP_ZONE = 16, RD_HEAP_PATTERN = 0xa9 };

static inline uint64_t rd_head_size(const struct rd_head *h) { return (uint64_t)h->granules * RD_GRANULE; }
static inline uint8_t *rd_heap_shadow(void) { return (uint8_t *)RD_SHADOW_AT; }
static inline uint64_t rd_heap_at(const void *p) { return (uintptr_t)p - RD_HEAP_AT; }
static inline struct rd_head *rd_heap_head(uint64_t at) { return (struct rd_head *)(RD_HEAP_AT + at) - 1; }

/* Does a block begin there, in use or freed? */
bool rd_heap_is_block(const void *p);
/* Bytes of a thread's region that were handed out. */
uint64_t rd_heap_used(rd_tid tid);

/* The large blocks of a thread's region that were freed. */
const struct rd_freed_blocks *rd_heap_gone(rd_tid tid);

/* ---- heap_check.c ---- */

/* Where the block comes from, or where it goes. */
void rd_heap_note(const struct rd_head *h, bool freed);
/* What is known of a block. */
void rd_heap_describe(const struct rd_head *h, int64_t offset, struct rd_heap_fact *to);
/* Is it a block that may be freed? If not that is a finding, or a known one. */
bool rd_heap_check_free(const void *p, uint64_t pc);
/* Are the bytes after the block as they were left? They are written when it is made. */
void rd_heap_fence(struct rd_head *h);
/* The block that this address is in, or right after; NULL: none. */
const struct rd_head *rd_heap_block(uint64_t addr);

/* heap_known.c: is the finding known to the user? Then it is counted, and the execution goes on. */
bool rd_heap_is_known(const struct rd_finding *f);
bool rd_heap_knows(void); /* is there anything that is known? */
/* heap_wait.c: the block is about to go. That a thread waits inside it is a finding. */
void rd_heap_look_waits(const struct rd_head *h, uint64_t pc);
/* leak.c: reports blocks that nothing leads to. pre: the program has ended, and the heap has a shadow (heap_marks).
 */
void rd_leak_check(void);

#endif
