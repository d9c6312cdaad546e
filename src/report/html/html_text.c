/* html_text.c - see html_text.h. */
#include "report/html/html_text.h"

#include "base/safe_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Moves *p over one character and writes to `to` what stands for it in a page. */
static void next(const char **p, char to[RD_SAFE_CHAR]) {
    memset(to, 0, RD_SAFE_CHAR);
    if (**p == '\n' || **p == '\t')
        to[0] = *(*p)++;
    else
        *p += rd_safe_char(*p, strnlen(*p, 4), RD_BAD_BYTE_REPLACED, to);
}

static void put(FILE *out, const char *one) {
    switch (*one) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        fputs(one, out);
    }
}

void rd_html_text(FILE *out, const char *text) {
    char one[RD_SAFE_CHAR];
    for (const char *p = text; *p;) {
        next(&p, one);
        put(out, one);
    }
}

void rd_html_textf(FILE *out, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    rd_html_text(out, text);
    free(text);
}

void rd_html_json_string(FILE *out, const char *text, size_t max) {
    char one[RD_SAFE_CHAR];
    fputc('"', out);
    for (const char *p = text; *p;) {
        if (max && (size_t)(p - text) >= max) {
            fputs("\xe2\x80\xa6", out);
            break;
        }
        next(&p, one);
        for (const char *c = one; *c; c++)
            if (strchr("<>&", *c))
                fprintf(out, "\\u%04x", (unsigned)*c);
            else if (*c == '"' || *c == '\\')
                fprintf(out, "\\%c", *c);
            else if (*c == '\n' || *c == '\t')
                fputs(*c == '\n' ? "\\n" : "\\t", out);
            else
                fputc(*c, out);
    }
    fputc('"', out);
}

static bool in_word(unsigned char c) { return isalnum(c) || c == '_'; }

/* The length of "T12" at p, or 0. */
static size_t thread_at(const char *p, unsigned *tid) {
    size_t n = *p == 'T' ? strspn(p + 1, "0123456789") : 0;
    if (!n || n > 4 || in_word((unsigned char)p[n + 1]))
        return 0;
    *tid = (unsigned)strtoul(p + 1, NULL, 10);
    return n + 1;
}

/* The length of "step 12" at p, or 0. */
static size_t step_at(const char *p, uint32_t steps, unsigned long *step) {
    size_t n = strncmp(p, "step ", 5) == 0 ? strspn(p + 5, "0123456789") : 0;
    *step = n && n < 10 ? strtoul(p + 5, NULL, 10) : 0;
    return *step > 0 && *step <= steps ? n + 5 : 0;
}

void rd_html_rich_text(FILE *out, const char *text, uint32_t steps) {
    const char *p = text;
    while (*p) {
        bool begins = p == text || !in_word((unsigned char)p[-1]);
        unsigned tid = 0;
        unsigned long step = 0;
        size_t thread = begins ? thread_at(p, &tid) : 0, link = begins ? step_at(p, steps, &step) : 0;
        if (thread) {
            fprintf(out, "<b class=\"t%u\">%.*s</b>", tid % RD_HTML_COLOURS, (int)thread, p);
            p += thread;
        } else if (link) {
            fprintf(out, "<a href=\"#s%lu\">%.*s</a>", step, (int)link, p);
            p += link;
        } else {
            char one[RD_SAFE_CHAR];
            next(&p, one);
            put(out, one);
        }
    }
}
