/*
 * program_heap.h - the heap that the program gets instead of libc's. Each thread has a region of addresses of its
 * own, so that the address of a block depends on nothing but what its thread has allocated before. Calls are for
 * the region of the calling thread; `pc` is the program's call, raw.
 */
#ifndef RD_RT_HEAP_PROGRAM_HEAP_H
#define RD_RT_HEAP_PROGRAM_HEAP_H

#include "rt/layout.h"
#include "rt/state.h"

/* Reserves the address space of all regions. Returns false if there is none. */
bool rd_heap_reserve(void);
/* Makes the first `bytes` of a thread's region accessible. Returns false if that cannot be done. */
bool rd_heap_open(rd_tid tid, uint64_t bytes);
void *rd_heap_alloc(size_t size, size_t align, uint64_t pc);
/* Returns whether the address is in a region of the heap. */
bool rd_heap_owns(const void *p);
/* Returns what the program asked for when it allocated the block; 0: there is no block at that address. */
size_t rd_heap_size(const void *p);

/*
 * The operation that frees the block, where that is a point. Returns true when the turn has come and the block may
 * be freed: then rd_heap_free must follow with nothing in between. Returns false when it may not be freed and the
 * user knows of that finding; a finding that is not known ends the execution.
 */
bool rd_heap_free_turn(const void *p, uint64_t pc);
void rd_heap_free(void *p, uint64_t pc);
/* heap_check.c: the block to be freed is not of this heap. Returns whether an allocator can have given it. */
bool rd_heap_check_foreign(const void *p, uint64_t pc);

/* The calling thread has done what others can see: other threads may know its blocks from now on. */
void rd_heap_published(void);
/* Returns how much of the thread's region others may know. */
uint64_t rd_heap_own(void);
/* Returns whether the address is in the thread's region, beyond `own` bytes. */
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
/* heap_check.c: the same for the objects of an operation, and notes that its thread has used them. */
void rd_heap_look_op(const struct rd_op *op);
/* heap_check.c: only notes that. For operations before the second thread, where nothing can be wrong yet. */
void rd_heap_object_used(const struct rd_op *op);
/* heap_wait.c: no thread can go on: one that waits in memory that was freed is a use of it, not a deadlock. */
void rd_heap_look_stuck(void);

#endif
