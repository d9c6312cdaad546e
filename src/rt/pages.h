/* pages.h - the writable memory of this process, saved once and put back as often as wanted. */
#ifndef RD_PAGES_H
#define RD_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Saves it. False, with the reason, when that cannot be done here; nothing has changed then. */
bool rd_pages_save(char *why, size_t room);
/* All of it is again as it was when it was last saved. */
void rd_pages_restore(void);
/* What has changed since then, new mappings included, is how it shall be from now on. */
bool rd_pages_save_again(char *why, size_t room);

#endif
