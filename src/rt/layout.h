/*
 * layout.h - where the runtime's own mappings are. They have fixed addresses, so that what the kernel places for
 * the program is the same in every process, whatever the runtime maps. With address-space randomisation off,
 * nothing else is there: programs load at 0x5555…, libraries and the first stack at 0x7fff….
 */
#ifndef RD_RT_LAYOUT_H
#define RD_RT_LAYOUT_H

#include <stdint.h>

#define RD_FILES_AT 0x050000000000u /* nothing is mapped there: names of open files, see rt/io/open_file.h */
#define RD_FILES_SLOT ((uint64_t)1 << 36)
#define RD_STACKS_AT 0x060000000000u /* stacks of threads, a slot a thread */
#define RD_STACK_SLOT ((uint64_t)4 << 30)
/*
 * Where the stack of a thread ends. Not all at the ends of their slots: processors look pages up by the lower bits
 * of their addresses, and have room for a few only that have the same.
 */
#define RD_STACK_SHIFTS 256
#define RD_STACK_TOP(tid) \
    (RD_STACKS_AT + ((uint64_t)(tid) + 1) * RD_STACK_SLOT - (uint64_t)((tid) % RD_STACK_SHIFTS) * 4096)
#define RD_SHADOW_AT 0x0a0000000000u /* a byte for each 16 of the heaps, see base/shadow.h */
#define RD_CHANNEL_AT 0x0e0000000000u
#define RD_HUB_AT 0x0e4000000000u /* what several workers share, see search/team/team.h */
/* 0x0e7000000000: the table of extents, see RD_EXTENTS_AT */
#define RD_ARENA_AT 0x0e8000000000u /* the execution's memory */
#define RD_ARENA_SIZE ((uint64_t)64 << 30)
#define RD_CALLS_AT 0x0ea000000000u /* what is known about imported functions, see rt/call/call.h */
#define RD_CALLS_SIZE ((uint64_t)64 << 20)
#define RD_SEARCH_AT 0x0f0000000000u /* the explorer's memory */
#define RD_SEARCH_SIZE ((uint64_t)256 << 30)
#define RD_KEPT_AT                                                                                         \
    0x0f8000000000u /* what a snapshot keeps: the explorer's stack, copies of pages; see rt/isolate/kept.h \
                     */
#define RD_KEPT_SIZE ((uint64_t)256 << 30)
#define RD_HEAP_AT 0x100000000000u /* heaps, a slot a thread */
#define RD_HEAP_SLOT ((uint64_t)64 << 30)
#define RD_MAPS_AT 0x500000000000u /* what threads map, a slot a thread; nothing is reserved, see hook/map.c */
#define RD_MAPS_SLOT ((uint64_t)4 << 30)

#define RD_SHARING_AT                                                                                        \
    0x600000000000u /* who uses which memory, see rt/access/shared_access.h: 16 TiB, and hardly any of it is \
                       touched */

#endif
