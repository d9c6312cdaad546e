/*
 * standard_streams.c - the standard streams and the environment. The program must find them in the same state in
 * every mode (search, confirmation, replay, debugger), and the runtime's own work must not change the program's
 * heap.
 *
 * Streams: libc allocates the buffer of a stream at its first use, from the heap of the thread that prints first,
 * in a size that depends on the file behind the stream. Every later block of that thread would then have an address
 * that depends on the order of the threads and on the file. So standard input and output have buffers of the
 * runtime's from the start, and are fully buffered, as they are for a file or a pipe.
 *
 * Environment: the driver adds variables (drive/process/launch.h). To remove them with unsetenv and setenv would
 * allocate memory; this file moves pointers within the array that exists. The old value of a variable that the
 * driver has replaced is in a variable of the driver's, RADDLE_OLD=NAME=VALUE: the array gets a pointer into that
 * string.
 */
#include "rt/process/standard_streams.h"

#include "rt/inside.h"
#include "rt/libc/libc_functions.h"
#include "rt/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 4096 };

static _Alignas(4096) char output[BUFFER];
static char input[BUFFER];

static const FILE *outputs[2]; /* stdout and stderr at the start */

void rd_standard_streams_buffers(void) {
    RD_CHECK(!outputs[0]);
    outputs[0] = stdout;
    outputs[1] = stderr;
    RD_REAL(setvbuf)(stdin, input, _IOFBF, sizeof input);
    RD_REAL(setvbuf)(stdout, output, _IOFBF, sizeof output);
}

bool rd_standard_streams_is_output(const void *stream) { return stream == outputs[0] || stream == outputs[1]; }

bool rd_standard_streams_is_buffer(const char *at) { return at == input || at == output; }

/*
 * Returns whether standard output still goes to the driver's file: a write to another file could block, and would
 * not reach the report.
 */
static bool goes_to_driver(void) {
    struct stat ours, now;
    return stdout && fileno(stdout) == 1 && fstat(rd_rt.output_fd, &ours) == 0 && fstat(1, &now) == 0 &&
           ours.st_dev == now.st_dev && ours.st_ino == now.st_ino;
}

void rd_standard_streams_flush(void) {
    struct rd_channel *c = rd_rt.channel;
    int saved = errno;
    if (!rd_rt.detail || c->config.expect_output)
        return;
    rd_rt_enter();
    struct stat st;
    if (goes_to_driver()) {
        if (!c->execution.flushed_from && fstat(1, &st) == 0)
            c->execution.flushed_from = (uint64_t)st.st_size;
        fflush_unlocked(stdout); /* a thread that holds the stream's lock does not run any more */
    }
    rd_rt_leave();
    errno = saved;
}

/* The variables that the driver sets for the dynamic linker and libc. */
static const char *const replaced[] = {"LD_PRELOAD=", "GLIBC_TUNABLES=", "LD_BIND_NOW="};
static const char old[] = "RADDLE_OLD=";

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/*
 * Returns the user's entry in place of this variable of the environment: the variable itself, or the value that the
 * driver has replaced; NULL: the user has none. `rest`: the environment from the variable on, in which the driver's
 * RADDLE_OLD variables come last.
 */
static char *user_entry(char *variable, char **rest) {
    for (unsigned i = 0; i < RD_COUNT(replaced); i++) {
        if (!begins(variable, replaced[i]))
            continue;
        for (char **e = rest; *e; e++)
            if (begins(*e, old) && begins(*e + sizeof old - 1, replaced[i]))
                return *e + sizeof old - 1;
        return NULL;
    }
    return begins(variable, "RADDLE_CHANNEL=") || begins(variable, "RADDLE_PAD=") ? NULL : variable;
}

void rd_standard_streams_environment(void) {
    char **to = environ;
    for (char **from = environ; *from; from++) {
        char *kept = user_entry(*from, from);
        if (kept && !begins(kept, old))
            *to++ = kept;
    }
    *to = NULL;
}
