/*
 * shared.h - files that are mapped into memory for all to see (MAP_SHARED). Two mappings of the same file are the
 * same memory at two addresses: operations are on the address in the first of them, so that what a thread does
 * through one and another thread through the other depends on each other, and a mutex there is one.
 */
#ifndef RD_SHARED_H
#define RD_SHARED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Are there two of one file? */
extern bool rd_shared_twice __attribute__((visibility("hidden")));

void rd_shared_mapped(uint64_t at, uint64_t size, int fd, uint64_t offset);
void rd_shared_unmapped(uint64_t at, uint64_t size);
/* The same byte in the first mapping of its file. */
uint64_t rd_shared_first(uint64_t addr);
/* The file is read or written by calls: if it is mapped, too, what they do to the memory is not seen. */
void rd_shared_used(uint64_t identity);

#endif
