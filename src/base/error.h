/*
 * error.h - why a function failed, as one line for the user. A function that can fail takes a `struct rd_error *`,
 * returns -1, NULL or false, and has then written the reason, without a newline: "cannot open 'x': no such file".
 * The text is longer than any path, and a longer one is cut. The caller prints it; no function prints and fails.
 *
 * Pure parts write it with base/text.h (rd_error_text), which is safe inside the tested process. The driver has
 * rd_error_set, which formats as printf does.
 */
#ifndef RD_BASE_ERROR_H
#define RD_BASE_ERROR_H

#include "base/text.h"

enum { RD_ERROR_ROOM = 4096 + 256 }; /* a path of PATH_MAX bytes, and the words around it */

struct rd_error {
    char text[RD_ERROR_ROOM]; /* terminated once a function has failed; undefined before */
};

/* Empties the reason and returns a text that writes into it. */
struct rd_text rd_error_text(struct rd_error *e);

/* Replaces the reason by a formatted text. Uses libc: for the driver only. */
__attribute__((format(printf, 2, 3))) void rd_error_set(struct rd_error *e, const char *format, ...);

#endif
