/*
 * pages.h - the writable memory of this process: saved once, and put back as often as wanted. The order of calls
 * is: rd_pages_save, then for each execution rd_pages_begin before it and rd_pages_restore after it.
 */
#ifndef RD_RT_ISOLATE_PAGES_H
#define RD_RT_ISOLATE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The contents of the pages that differ from the saved ones, at some moment of an execution. */
struct rd_hot;
struct rd_page_set {
    struct rd_hot *at; /* in order of addresses; each has a copy */
    uint32_t count, room;
};

/* Saves all memory. Returns false, with the reason, if that cannot be done here; then no memory has changed. */
bool rd_pages_save(char *why, size_t room);
/* Saves all memory anew, new mappings included: from now on this is the saved state. Returns as rd_pages_save. */
bool rd_pages_save_again(char *why, size_t room);
/* An execution begins: page faults from now on are the execution's. */
void rd_pages_begin(void);
/* Makes all memory as it was when it was saved (`to` is NULL), or as it was when this set was kept. */
void rd_pages_restore(const struct rd_page_set *to);
/* Returns whether the next rd_pages_restore finds out anew which pages change; no set is valid after that. */
bool rd_pages_stale(void);
/* Keeps in the set all pages that have changed since memory was saved. pre: the set is empty */
void rd_pages_keep(struct rd_page_set *s);
/* Empties the set. */
void rd_pages_forget(struct rd_page_set *s);

#endif
