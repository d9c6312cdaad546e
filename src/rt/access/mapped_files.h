/*
 * mapped_files.h - files that are mapped with MAP_SHARED, and System V segments. Two mappings of the same file or
 * segment are the same memory at two addresses. Operations use the address in the first mapping, so that the
 * accesses of two threads through different mappings are dependent, and a mutex in the memory is one object.
 */
#ifndef RD_RT_ACCESS_MAPPED_FILES_H
#define RD_RT_ACCESS_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True once a file or segment has been mapped twice. */
extern bool rd_mapped_files_twice __attribute__((visibility("hidden")));

/* The program has mapped memory. identity: tells files and segments apart; 0: the memory is neither, and has no
 * second address. offset: of the mapping in the file. */
void rd_mapped_files_mapped(uint64_t at, uint64_t size, uint64_t identity, uint64_t offset);
/* The program has unmapped memory. Returns whether a file of this memory is still mapped elsewhere. */
bool rd_mapped_files_unmapped(uint64_t at, uint64_t size);
/* mremap() has moved or resized a mapping. */
void rd_mapped_files_moved(uint64_t from, uint64_t from_size, uint64_t to, uint64_t to_size);
/* The size of the mapping that begins at the address; 0: none is known. */
uint64_t rd_mapped_files_size(uint64_t at);
/* The execution uses memory at a second address that the table does not know: the search then proves
 * nothing. */
void rd_mapped_files_unseen(void);
/* The address of the same byte in the first mapping of its file; addr itself if it is in no known mapping. */
uint64_t rd_mapped_files_first(uint64_t addr);
/* A call reads or writes the file: if the file is mapped, the runtime does not see how the call touches the memory.
 */
void rd_mapped_files_used(uint64_t identity);

#endif
