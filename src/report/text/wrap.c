/*
 * wrap.c - wraps the lines of a report at words, for a terminal. The text format is written to a stream of this
 * file's, which passes each line on: as it is if it fits, otherwise in pieces, of which the later ones are indented
 * by two more columns than the line. Tables are narrow enough already. Commands to copy, and lines of the program's
 * own, are left as they are: the terminal breaks them, and they are still whole when they are copied.
 */
#include "report/text/report_text.h"

#include <stdlib.h>
#include <string.h>

struct wrap {
    FILE *out;
    unsigned width;
    char *line; /* what came after the last end of a line */
    size_t used, room;
};

static bool is_kept(const char *line) {
    static const char *const begins[] = {"schedule: ", "replay: ", "debug: ", "  | "};
    for (unsigned i = 0; i < RD_COUNT(begins); i++)
        if (strncmp(line, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

/* The length in bytes of the escape sequence at p; 0: there is none. */
static size_t escape_length(const char *p) {
    if (p[0] != '\033' || p[1] != '[')
        return 0;
    size_t n = 2;
    while (p[n] && (p[n] < '@' || p[n] > '~'))
        n++;
    return p[n] ? n + 1 : 0;
}

/* Prints one line, without its end, in pieces that fit. */
static void print_line(const struct wrap *w, const char *line) {
    unsigned indent = (unsigned)strspn(line, " ") + 2, column = 0;
    const char *start = line, *blank = NULL; /* of the piece; its last blank that is no indentation */
    indent = RD_MIN(indent, w->width / 2);
    for (const char *p = line; *p;) {
        size_t n = escape_length(p);
        if (n) {
            p += n;
            continue;
        }
        bool visible = ((unsigned char)*p & 0xc0) != 0x80;
        if (visible && column >= w->width && blank) {
            fwrite(start, 1, (size_t)(blank - start), w->out);
            fprintf(w->out, "\n%*s", (int)indent, "");
            start = blank + 1;
            blank = NULL;
            column = indent;
            p = start;
            continue;
        }
        if (*p == ' ' && column > indent)
            blank = p;
        column += visible;
        p++;
    }
    fputs(start, w->out);
    fputc('\n', w->out);
}

static void end_line(struct wrap *w) {
    w->line[w->used] = 0;
    if (is_kept(w->line)) {
        fputs(w->line, w->out);
        fputc('\n', w->out);
    } else {
        print_line(w, w->line);
    }
    w->used = 0;
}

static ssize_t take(void *cookie, const char *bytes, size_t count) {
    struct wrap *w = cookie;
    if (w->used + count + 1 > w->room) {
        w->room = 2 * (w->used + count + 1);
        w->line = realloc(w->line, w->room);
        if (!w->line)
            abort();
    }
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            end_line(w);
        else
            w->line[w->used++] = bytes[i];
    return ferror(w->out) ? 0 : (ssize_t)count;
}

static int finish(void *cookie) {
    struct wrap *w = cookie;
    if (w->used)
        fwrite(w->line, 1, w->used, w->out);
    free(w->line);
    free(w);
    return 0;
}

FILE *rd_wrap_open(FILE *out, const struct rd_look *look) {
    struct wrap *w = look->width ? calloc(1, sizeof *w) : NULL;
    FILE *f = NULL;
    if (w) {
        *w = (struct wrap){.out = out, .width = look->width, .room = 256, .line = malloc(256)};
        f = w->line ? fopencookie(w, "w", (cookie_io_functions_t){.write = take, .close = finish}) : NULL;
        if (!f) {
            free(w->line);
            free(w);
        }
    }
    return f ? f : out;
}

void rd_wrap_close(FILE *wrapped, FILE *out) {
    if (wrapped != out)
        fclose(wrapped);
}
