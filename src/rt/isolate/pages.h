/* pages.h - the writable memory of this process, saved once and put back as often as wanted. */
#ifndef RD_RT_ISOLATE_PAGES_H
#define RD_RT_ISOLATE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Saves it. False, with the reason, when that cannot be done here; nothing has changed then. */
bool rd_pages_save(char *why, size_t room);
/* Pages of an execution that is not over. */
struct rd_hot;
struct rd_page_set {
    struct rd_hot *at; /* by address */
    uint32_t count, room;
};

/* An execution begins. */
void rd_pages_begin(void);
/* All of it is again as it was when it was last saved; or, with a set, as it was when that was kept. */
void rd_pages_restore(const struct rd_page_set *to);
/* The next call of that does more, and no set is of use afterwards. */
bool rd_pages_stale(void);
/* Keeps what has changed since it was last saved. */
void rd_pages_keep(struct rd_page_set *s);
void rd_pages_forget(struct rd_page_set *s);
/* What has changed since then, new mappings included, is how it shall be from now on. */
bool rd_pages_save_again(char *why, size_t room);

#endif
