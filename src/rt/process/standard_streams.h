/* standard_streams.h - the standard streams and the environment that the program sees. See standard_streams.c. */
#ifndef RD_RT_PROCESS_STANDARD_STREAMS_H
#define RD_RT_PROCESS_STANDARD_STREAMS_H

#include <stdbool.h>

/* Gives the standard streams their buffers. Called once, before any code of the program. */
void rd_standard_streams_buffers(void);
/* Returns whether this stream was stdout or stderr at the start; the program may have replaced it since. */
bool rd_standard_streams_is_output(const void *stream);
/* Returns whether this address is that of a buffer of the runtime's for a standard stream. */
bool rd_standard_streams_is_buffer(const char *at);
/* Gives the program the user's environment, without the driver's variables; allocates no memory. */
void rd_standard_streams_environment(void);
/*
 * In detail mode, at the end of the execution or before a message: writes what the program has printed but not
 * flushed, for the report. Not if the user expects a certain output: text that is never flushed is no output then.
 */
void rd_standard_streams_flush(void);

#endif
