/* error.c - see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

struct rd_text rd_error_text(struct rd_error *e) {
    struct rd_text t;
    rd_text_init(&t, e->text, sizeof e->text);
    return t;
}

void rd_error_set(struct rd_error *e, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
}
