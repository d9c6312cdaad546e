/*
 * program_heap.h - the heap that replaces libc's. Each thread has a region of addresses of its own, so the address
 * of a block depends only on the earlier allocations of its thread. Functions use the region of the calling thread;
 * `pc` is the raw address of the program's call.
 */
#ifndef RD_RT_HEAP_PROGRAM_HEAP_H
#define RD_RT_HEAP_PROGRAM_HEAP_H

#include "rt/layout.h"
#include "rt/state.h"

/* Reserves the address space of all regions. Returns false if there is none. */
bool rd_heap_reserve(void);
/* Makes the first `bytes` of a thread's region accessible. Returns false if that cannot be done. */
bool rd_heap_open(rd_tid tid, uint64_t bytes);
/* Allocates a block, which is zeroed; NULL with ENOMEM: the region is full. */
void *rd_heap_alloc(size_t size, size_t align, uint64_t pc);
/* Returns whether the address is in a region of the heap. */
bool rd_heap_owns(const void *p);
/* Returns the bytes that the program asked for; 0: no block begins at p. pre: rd_heap_owns(p) */
size_t rd_heap_size(const void *p);

/*
 * Performs the operation that frees the block, if the free is one, and checks that p may be freed. Returns true if
 * so: rd_heap_free must follow before any other operation. A p that may not be freed is a finding, which ends the
 * execution, or, if the user has suppressed it, the result is false. pre: rd_heap_owns(p)
 */
bool rd_heap_free_turn(const void *p, uint64_t pc);
/* Frees the block. pre: it is in use */
void rd_heap_free(void *p, uint64_t pc);
/* heap_check.c: checks a free of p, which is not of this heap. Returns whether another allocator can have made p.
 */
bool rd_heap_check_foreign(const void *p, uint64_t pc);

/* The calling thread has performed an operation that can publish addresses: its blocks are not private any more. */
void rd_heap_published(void);
/* Returns the offset in the thread's region from which on blocks are private. */
uint64_t rd_heap_own(void);
/* Returns whether the address is in the thread's region, at offset `own` or beyond. */
bool rd_heap_private_since(uint64_t addr, uint64_t own);
/* Returns whether the address is in a block that no other thread can know of. */
bool rd_heap_private(uint64_t addr);

/* Returns whether part of this memory is heap that the program may not use. */
bool rd_heap_is_bad(uint64_t addr, uint32_t size);
/* Returns whether all of this memory is in blocks that are allocated. */
bool rd_heap_is_used(uint64_t addr, uint32_t size);
/* heap_check.c: checks the memory of an access whose turn has come; an access to bad memory is a finding. */
void rd_heap_look_at(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc);
static inline void rd_heap_look(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc) {
    if (rd_rt.heap_checks && addr - RD_HEAP_AT < RD_TID_MAX * RD_HEAP_SLOT)
        rd_heap_look_at(addr, size, kind, pc);
}
/* heap_check.c: checks the memory or the objects of an operation, and notes that its thread has used the objects.
 */
void rd_heap_look_op(const struct rd_op *op);
/* heap_check.c: only notes the use of objects: for operations before the second thread, which are not checked. */
void rd_heap_object_used(const struct rd_op *op);
/* heap_wait.c: called when no thread can go on. A deadlock of a thread that waits in freed memory becomes a finding
 * about that memory. */
void rd_heap_look_stuck(void);

/*
 * In detail mode: adds the block that this address is in to the blocks of the record, unless it is there, or there
 * is no room.
 */
void rd_heap_note_use(const struct rd_record *rec, uint64_t addr);

#endif
