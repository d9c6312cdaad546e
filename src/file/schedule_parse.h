/*
 * schedule_parse.h - inside the schedule reader: what its two files share. Failures are remembered in the lines
 * (file/lines.h); after one, everything here is a no-op.
 */
#ifndef RD_FILE_SCHEDULE_PARSE_H
#define RD_FILE_SCHEDULE_PARSE_H

#include "file/lines.h"
#include "file/schedule.h"

/* The next word as a place; its module must be one that the file has named. */
rd_place rd_parse_place(struct rd_lines *in, const struct rd_schedule *s, const char *what);
rd_place rd_parse_place_text(struct rd_lines *in, const struct rd_schedule *s, const char *text, const char *what);
/* A thread of the table, or RD_TID_NONE for "-" where that is allowed. */
rd_tid rd_parse_thread(struct rd_lines *in, const struct rd_schedule *s, const char *what, bool none);
/* Room for one more item; doubles, so that long files stay linear. */
void *rd_parse_grow(struct rd_lines *in, void *array, uint32_t count, size_t item);

/*
 * schedule_why.c: how simple it is and what decides it, if that is there; the line after that becomes current.
 * False at the end of the file. When all is read: are the steps and threads that it names there?
 */
bool rd_parse_why(struct rd_lines *in, struct rd_schedule *s);
void rd_parse_why_fits(struct rd_lines *in, const struct rd_schedule *s);

/* schedule_steps.c: from the stacks to the end of the file. The first line after the threads is current. */
void rd_parse_execution(struct rd_lines *in, struct rd_schedule *s);

#endif
