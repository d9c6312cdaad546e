/*
 * layout.h - the addresses of the runtime's own mappings. They are fixed, so that the addresses that the kernel
 * chooses for the program's mappings are the same in every process, whatever the runtime maps. With address-space
 * randomisation off these ranges are free: programs load at 0x5555…, libraries and the first stack at 0x7fff….
 */
#ifndef RD_RT_LAYOUT_H
#define RD_RT_LAYOUT_H

#include <stdint.h>

#define RD_FILES_AT 0x050000000000u /* addresses that name open files, see rt/io/open_file.h; never mapped */
#define RD_FILES_SLOT ((uint64_t)1 << 36)
#define RD_STACKS_AT 0x060000000000u /* stacks of threads, a slot for each */
#define RD_STACK_SLOT ((uint64_t)4 << 30)
/*
 * The top of a thread's stack. It is not the end of the slot for every thread: the caches of a processor choose the
 * place of an entry by the lower bits of its address, and hold only few entries with equal lower bits.
 */
#define RD_STACK_SHIFTS 256
#define RD_STACK_TOP(tid) \
    (RD_STACKS_AT + ((uint64_t)(tid) + 1) * RD_STACK_SLOT - (uint64_t)((tid) % RD_STACK_SHIFTS) * 4096)
#define RD_SHADOW_AT 0x0a0000000000u /* a byte for each 16 bytes of the heaps, see base/shadow.h */
#define RD_CHANNEL_AT 0x0e0000000000u
#define RD_HUB_AT 0x0e4000000000u /* the memory that the workers of a team share, see search/team/team.h */
/* 0x0e7000000000: the table of extents, see RD_EXTENTS_AT */
#define RD_ARENA_AT 0x0e8000000000u /* the execution's memory */
#define RD_ARENA_SIZE ((uint64_t)64 << 30)
#define RD_CALLS_AT 0x0ea000000000u /* the functions that the program imports, and their rules: rt/call/call.h */
#define RD_CALLS_SIZE ((uint64_t)64 << 20)
#define RD_SEARCH_AT 0x0f0000000000u /* the explorer's memory */
#define RD_SEARCH_SIZE ((uint64_t)256 << 30)
/* The memory that a snapshot does not restore: the explorer's stack, copies of pages. See rt/isolate/kept.h. */
#define RD_KEPT_AT 0x0f8000000000u
#define RD_KEPT_SIZE ((uint64_t)256 << 30)
#define RD_HEAP_AT 0x100000000000u /* heaps, a slot for each thread */
#define RD_HEAP_SLOT ((uint64_t)64 << 30)
/* Anonymous memory that threads map, a slot for each; it is not reserved. See rt/hook/memory/mmap.c. */
#define RD_MAPS_AT 0x500000000000u
#define RD_MAPS_SLOT ((uint64_t)4 << 30)
/* The table of shared memory: 16 TiB of addresses, of which little is ever touched. See rt/access/shared_access.h.
 */
#define RD_SHARING_AT 0x600000000000u

#endif
