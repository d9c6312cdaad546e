/*
 * mapped_files.h - files that are mapped into memory for all to see (MAP_SHARED), and System V segments. Two
 * mappings of the same file or segment are the same memory at two addresses: operations are on the address in the
 * first of them, so that what a thread does through one and another thread through the other depends on each other,
 * and a mutex there is one.
 */
#ifndef RD_RT_ACCESS_MAPPED_FILES_H
#define RD_RT_ACCESS_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Are there two of one file or segment? */
extern bool rd_mapped_files_twice __attribute__((visibility("hidden")));

/* `identity` tells files and segments apart; 0: it is neither, and has no second address. */
void rd_mapped_files_mapped(uint64_t at, uint64_t size, uint64_t identity, uint64_t offset);
/* True: some of that memory is still mapped elsewhere. */
bool rd_mapped_files_unmapped(uint64_t at, uint64_t size);
/* mremap() has moved or resized a mapping. */
void rd_mapped_files_moved(uint64_t from, uint64_t from_size, uint64_t to, uint64_t to_size);
/* The size of the mapping that begins there; 0: none is known. */
uint64_t rd_mapped_files_size(uint64_t at);
/* Memory has a second address that is not followed: nothing is proved then. */
void rd_mapped_files_unseen(void);
/* The same byte in the first mapping of its file. */
uint64_t rd_mapped_files_first(uint64_t addr);
/* The file is read or written by calls: if it is mapped, too, what they do to the memory is not seen. */
void rd_mapped_files_used(uint64_t identity);

#endif
