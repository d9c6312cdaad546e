/*
 * schedule_read.h - the functions that the files of the schedule reader share: schedule_read.c (the head of the
 * file), schedule_read_names.c, schedule_why.c (minimising and explanation) and schedule_read_steps.c (from the
 * stacks to the end). The lines (file/text_lines.h) remember the first error; after one, all these functions are
 * no-ops.
 */
#ifndef RD_FILE_SCHEDULE_READ_H
#define RD_FILE_SCHEDULE_READ_H

#include "file/text_lines.h"
#include "file/schedule.h"

/* Takes the next word as a place, or reads a word that was taken. The file must have named the module of the place.
 */
rd_place rd_parse_place(struct rd_lines *in, const struct rd_schedule *s, const char *what);
rd_place rd_parse_place_text(struct rd_lines *in, const struct rd_schedule *s, const char *text, const char *what);
/* Takes the number of one of the threads that the file has named; or, if `none`, also "-", which is RD_TID_NONE. */
rd_tid rd_parse_thread(struct rd_lines *in, const struct rd_schedule *s, const char *what, bool none);
/* Makes room for one more item after `count`. The array doubles, so a long file takes linear time. */
void *rd_parse_grow(struct rd_lines *in, void *array, uint32_t count, size_t item);

/*
 * schedule_why.c. rd_parse_why reads the lines about struct rd_why if they come next, and makes the line after them
 * current; false at the end of the file. rd_parse_why_fits, called when all is read, makes it an error if these
 * lines name steps or threads that the file does not have.
 */
bool rd_parse_why(struct rd_lines *in, struct rd_schedule *s);
void rd_parse_why_fits(struct rd_lines *in, const struct rd_schedule *s);

/* schedule_read_names.c: reads the names of memory, from the current line on, and makes the line after them
 * current.
 */
void rd_parse_names(struct rd_lines *in, struct rd_schedule *s);

/* schedule_read_steps.c: reads from the stacks to the end. pre: the first line after the threads is current */
void rd_parse_execution(struct rd_lines *in, struct rd_schedule *s);

/* schedule_origin.c: reads the lines of source files, from the current line on, and makes the line after them
 * current. */
void rd_parse_sources(struct rd_lines *in, struct rd_schedule *s);
/*
 * schedule_origin.c: reads the signature, if the current line is one, checks it, and makes the line after it
 * current. A wrong one is no error: the file is then not authentic.
 */
void rd_parse_signature(struct rd_lines *in, struct rd_schedule *s);

/* True if all numbers of threads and steps in the schedule are below their counts, and all enumerations in range.
 */
bool rd_schedule_is_sound(const struct rd_schedule *s);

#endif
