/* standard_streams.h - the standard streams and the environment, as the program sees them: see standard_streams.c.
 */
#ifndef RD_RT_PROCESS_STANDARD_STREAMS_H
#define RD_RT_PROCESS_STANDARD_STREAMS_H

#include <stdbool.h>

/* Gives the standard streams their buffers. Call once, before any code of the program. */
void rd_standard_streams_buffers(void);
/* Is it the stream that was stdout or stderr at the start? The program may put another one there. */
bool rd_standard_streams_is_output(const void *stream);
bool rd_standard_streams_is_buffer(const char *at);
/* Gives the program the environment that the user has, without allocating anything. */
void rd_standard_streams_environment(void);
/*
 * The execution is over, and this one is for a report: what the program has printed and not flushed goes to the
 * driver, too. Nothing when the output itself is judged: what is never flushed is no output.
 */
void rd_standard_streams_flush(void);

#endif
