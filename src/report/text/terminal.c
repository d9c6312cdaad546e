/* terminal.c - colours, and widths of UTF-8 text, on a terminal. */
#include "report/text/report_text.h"

#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/*
 * The marks of the paints, which a stream of wrap.c replaces by the escape sequences. A mark holds a random number,
 * so that text of the program cannot be one.
 */
enum { SECRET = 12, MARK = SECRET + 3 }; /* an escape character, the number, a letter for the paint, and a zero */
static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m",  "\033[1;31m", "\033[32m",
                                    "\033[33m", "\033[36m", "\033[33m", "\033[35m",   "\033[32m",
                                    "\033[34m", "\033[96m", "\033[93m", "\033[95m"};
enum { THREADS = RD_YELLOW + 1, THREAD_COLOURS = RD_COUNT(codes) - THREADS };
static char marks[RD_COUNT(codes)][MARK];

static void make_marks(void) {
    uint8_t random[RD_SHA256_SIZE] = {0};
    char secret[SECRET + 1];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        abort();
    rd_sha256_hex(random, SECRET, secret);
    for (unsigned i = 0; i < RD_COUNT(codes); i++)
        snprintf(marks[i], MARK, "\033%s%c", secret, 'a' + (int)i);
}

static const char *mark(unsigned paint) {
    if (!marks[0][0])
        make_marks();
    return marks[paint];
}

const char *rd_paint(const struct rd_look *look, enum rd_paint p) { return look->colour ? mark(p) : ""; }

const char *rd_paint_thread(const struct rd_look *look, rd_tid tid) {
    return look->colour ? mark(THREADS + tid % THREAD_COLOURS) : "";
}

size_t rd_paint_mark(const char *text, size_t size, FILE *to) {
    for (unsigned i = 0; i < RD_COUNT(codes) && *text == '\033' && size >= MARK - 1; i++)
        if (memcmp(text, mark(i), MARK - 1) == 0) {
            fputs(codes[i], to);
            return MARK - 1;
        }
    return 0;
}

/* Is the byte a later one of a UTF-8 sequence? */
static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

unsigned rd_paint_width(const char *text) {
    unsigned n = 0;
    for (; *text; text++)
        n += !continues(*text);
    return n;
}

size_t rd_paint_fit(const char *text, unsigned columns) {
    size_t i = 0;
    for (; text[i]; i++)
        if (!continues(text[i]) && columns-- == 0)
            break;
    return i;
}

unsigned rd_paint_cut(FILE *out, const char *text, unsigned columns, const struct rd_look *look) {
    unsigned wide = rd_paint_width(text);
    const char *mark = look->unicode ? "…" : "~";
    if (wide <= columns) {
        fputs(text, out);
        return wide;
    }
    if (columns == 0)
        return 0;
    fwrite(text, 1, rd_paint_fit(text, columns - 1), out);
    fputs(mark, out);
    return columns;
}
