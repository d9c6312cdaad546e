/*
 * wrap.c - the stream through which all text for people is written. It makes the text safe for a terminal, and
 * wraps its lines at words.
 *
 * Safe: names, messages, lines of source and output come from the program, from a schedule file or from debug
 * information, and may hold anything (base/safe_text.h). So the stream passes on newlines, tabs and what is
 * visible, and shows the rest escaped; in a pipe, too, since its reader may be a terminal. The report's own colours
 * reach the stream as marks that only this process can make (rd_paint), and the stream replaces them by escape
 * sequences.
 *
 * Wrapped: each line is passed on as it is if it fits, otherwise in pieces, of which the later ones are indented by
 * two more columns than the line. Tables are narrow enough already. Commands to copy, and lines of the program's
 * own, are left as they are: the terminal breaks them, and they are still whole when they are copied.
 */
#include "base/safe_text.h"
#include "report/text/report_text.h"

#include <stdlib.h>
#include <string.h>

struct wrap {
    FILE *out;
    unsigned width; /* 0: lines are not wrapped */
    char *line;     /* what came after the last end of a line, as it was written */
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

/* Writes one line with its end, safe and wrapped. */
static void end_line(struct wrap *w, const char *end) {
    char *safe = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&safe, &size);
    if (!f)
        abort();
    for (size_t i = 0; i < w->used;) {
        char c[RD_SAFE_CHAR];
        size_t n = rd_paint_mark(w->line + i, w->used - i, f);
        if (n == 0 && w->line[i] == '\t')
            fputc(w->line[i], f), n = 1;
        else if (n == 0 && w->line[i] == '\r' && i + 1 == w->used)
            n = 1; /* a line of text with the line ends of other systems */
        else if (n == 0 && (n = rd_safe_char(w->line + i, w->used - i, RD_BAD_BYTE_SHOWN, c)) > 0)
            fputs(c, f);
        i += n;
    }
    fclose(f);
    if (w->width && *end && !is_kept(safe))
        print_line(w, safe);
    else
        fprintf(w->out, "%s%s", safe, end);
    free(safe);
    w->used = 0;
}

static ssize_t take(void *cookie, const char *bytes, size_t count) {
    struct wrap *w = cookie;
    if (w->used + count > w->room) {
        w->room = 2 * (w->used + count);
        w->line = realloc(w->line, w->room);
        if (!w->line)
            abort();
    }
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            end_line(w, "\n");
        else
            w->line[w->used++] = bytes[i];
    return ferror(w->out) ? 0 : (ssize_t)count;
}

static int finish(void *cookie) {
    struct wrap *w = cookie;
    if (w->used)
        end_line(w, "");
    free(w->line);
    free(w);
    return 0;
}

FILE *rd_wrap_open(FILE *out, const struct rd_look *look) {
    struct wrap *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    *w = (struct wrap){.out = out, .width = look ? look->width : 0};
    FILE *f = fopencookie(w, "w", (cookie_io_functions_t){.write = take, .close = finish});
    if (!f)
        abort();
    return f;
}

void rd_wrap_close(FILE *wrapped) { fclose(wrapped); }

void rd_print_safe(FILE *out, const char *text, size_t size) {
    FILE *f = rd_wrap_open(out, NULL);
    fwrite(text, 1, size, f);
    rd_wrap_close(f);
}
