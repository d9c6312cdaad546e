/*
 * heap.h - the layout of the heap's blocks, for the files that allocate them (heap.c) and for the detectors of heap
 * errors and leaks (heap_check.c, heap_wait.c, leak.c).
 *
 * A region (one of each thread) is a sequence of: header, block, slack, zone. The header is the 32 bytes before the
 * block. Slack rounds the block up to granules of 16 bytes, the zone separates it from the next header. The program
 * may write over all of these; a finding reports it where it is noticed, and no check may rely on their contents.
 *
 * In this folder `at` is an offset in the heap (address - RD_HEAP_AT), `addr` an address.
 */
#ifndef RD_RT_HEAP_HEAP_H
#define RD_RT_HEAP_HEAP_H

#include "base/shadow.h"
#include "rt/layout.h"
#include "rt/rt.h"

enum { RD_BLOCK_LIVE = 0x6c76, RD_BLOCK_FREED = 0x6672 };
enum { RD_HEAP_USERS = 24 }; /* threads with a bit in rd_head.users: those with the lowest numbers */

/* The header before each block. The thread that allocated the block is the one whose region it is in. */
struct rd_head {
    uint64_t state : 16;     /* RD_BLOCK_LIVE or RD_BLOCK_FREED; another value: the header was overwritten */
    uint64_t made : 48;      /* the call that allocated the block: the raw pc */
    uint64_t freed_tid : 16; /* the thread that freed it */
    uint64_t freed : 48;     /* the call that freed it: the raw pc; 0: it is in use */
    uint64_t asked : 40;     /* bytes that the program asked for, and may use */
    uint64_t users : 24;     /* threads that have used a synchronisation object in it, as bits */
    uint32_t granules;       /* size of the block with slack */
    uint32_t next;           /* in a list of the region: the next header, in granules from its start; 0: none */
};
static_assert(sizeof(struct rd_head) == 32, "keeps blocks aligned");
static_assert(sizeof(struct rd_head) % RD_GRANULE == 0, "headers have whole granules of the shadow");
static_assert(RD_HEAP_SLOT <= (uint64_t)1 << 40, "the size of a block fits into `asked`");
static_assert(RD_HEAP_SLOT / RD_GRANULE <= UINT32_MAX + (uint64_t)1, "granules and lists of a region have 32 bits");
static_assert(RD_TID_MAX <= 1 << 16, "a thread's number fits into `freed_tid`");

/* The zone after each block, and the byte that fills slack and zone. */
enum { RD_HEAP_ZONE = 16, RD_HEAP_PATTERN = 0xa9 };
static_assert(RD_HEAP_ZONE % RD_GRANULE == 0, "zones have whole granules of the shadow");

static inline uint64_t rd_head_size(const struct rd_head *h) { return (uint64_t)h->granules * RD_GRANULE; }
/* The shadow of the first byte of the heap. */
static inline uint8_t *rd_heap_shadow(void) { return (uint8_t *)RD_SHADOW_AT; }
static inline uint64_t rd_heap_at(const void *p) { return (uintptr_t)p - RD_HEAP_AT; }
/* The header of the block that begins at this offset. */
static inline struct rd_head *rd_heap_head(uint64_t at) { return (struct rd_head *)(RD_HEAP_AT + at) - 1; }

/* True if a block, in use or freed, begins at p. pre: rd_heap_owns(p) */
bool rd_heap_is_block(const void *p);
/* Bytes of the thread's region that were handed out, from its start. */
uint64_t rd_heap_used(rd_tid tid);
/* The large freed blocks of the thread's region (base/shadow.h). */
const struct rd_freed_blocks *rd_heap_gone(rd_tid tid);

/* ---- heap_check.c ---- */

/* Keeps the calls that lead to the allocation of the block, or to its free, for reports. pre: rd_rt.heap_stacks */
void rd_heap_note(const struct rd_head *h, bool freed);
/* Fills in the facts about a block for a finding; offset: of the access, from the start of the block. */
void rd_heap_describe(const struct rd_head *h, int64_t offset, struct rd_heap_fact *to);
/* True if p may be freed. If not, that is a finding; false if the user has suppressed it. pre: rd_heap_owns(p) */
bool rd_heap_check_free(const void *p, uint64_t pc);
/* Fills slack and zone of a new block with the pattern, which its free compares. */
void rd_heap_fence(struct rd_head *h);
/* The block that this address is in, or in whose slack, zone or header it is; NULL: none. */
const struct rd_head *rd_heap_block(uint64_t addr);

/* ---- heap_known.c ---- */

/* True if the user has suppressed the finding: it is counted, and the execution goes on. */
bool rd_heap_is_known(const struct rd_finding *f);
/* True if the user has suppressed findings of the heap at all. */
bool rd_heap_knows(void);

/* ---- heap_wait.c, leak.c ---- */

/* The block is about to be freed at pc: reports a finding if another thread waits at an object in it. */
void rd_heap_look_waits(const struct rd_head *h, uint64_t pc);
/* Reports blocks that no pointer leads to. pre: the program has ended, and the heap has a shadow (heap_marks) */
void rd_leak_check(void);

#endif
