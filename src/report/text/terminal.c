/* terminal.c - colours, and widths of UTF-8 text, on a terminal. */
#include "report/text/report_text.h"

#include <string.h>

const char *rd_paint(const struct rd_look *look, enum rd_paint p) {
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[1;31m", "\033[32m", "\033[33m"};
    return look->colour ? codes[p] : "";
}

const char *rd_paint_thread(const struct rd_look *look, rd_tid tid) {
    static const char *const codes[] = {"\033[36m", "\033[33m", "\033[35m", "\033[32m",
                                        "\033[34m", "\033[96m", "\033[93m", "\033[95m"};
    return look->colour ? codes[tid % RD_COUNT(codes)] : "";
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
