/* failed_check.c - see failed_check.h. A message begins with the place of the check and a mark of the framework. */
#include "cli/run/failed_check.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024, TEXT_LINES = 9 };

/* What stands between the number of the line and the text. */
static const struct mark {
    const char *text;
    bool brackets;                              /* the number stands in brackets: FILE(LINE) */
    bool ends;                                  /* the mark ends the line, and the text is on the lines after it */
} marks[] = {{": Failure", false, true},        /* GoogleTest */
             {": FAILED:", false, true},        /* Catch2 */
             {": ERROR: ", false, false},       /* doctest */
             {": FATAL ERROR: ", false, false}, /* doctest */
             {"): error: ", true, false},       /* Boost.Test */
             {"): fatal error: ", true, false}, /* Boost.Test */
             {": error: Failure!", false, true}}; /* cmocka */

struct check {
    const char *file, *rest; /* `rest`: what follows the mark */
    size_t file_length;
    int line;
};

/* Does this line, without its end, begin the message of a failed check? */
static bool begins_check(const char *line, size_t length, struct check *to) {
    for (unsigned i = 0; i < RD_COUNT(marks); i++) {
        size_t n = strlen(marks[i].text);
        const char *at = memmem(line, length, marks[i].text, n);
        if (!at || (marks[i].ends && at + n != line + length))
            continue;
        const char *digits = at, *start = line;
        while (digits > line && isdigit((unsigned char)digits[-1]) && at - digits < 7)
            digits--;
        if (digits == at || digits - line < 2 || digits[-1] != (marks[i].brackets ? '(' : ':'))
            continue;
        const char *before = memmem(line, (size_t)(digits - line), " --- ", 5); /* cmocka's "[   LINE   ] --- " */
        start = before ? before + 5 : line + strspn(line, " ");
        *to = (struct check){.file = start, .file_length = (size_t)(digits - 1 - start), .rest = at + n};
        for (const char *d = digits; d < at; d++)
            to->line = to->line * 10 + (*d - '0');
        return to->file_length > 0 && to->line > 0 && !memchr(start, ' ', to->file_length);
    }
    return false;
}

/* Appends the lines of the text, up to an empty one; a line of the framework's own ("[  FAILED  ]") ends it, too.
 */
static void add_text(struct rd_text *t, const char *at, const char *end) {
    bool any = false;
    for (int i = 0; i < TEXT_LINES && at < end; i++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        while (at < stop && (*at == ' ' || *at == '\t'))
            at++;
        if ((at == stop && any) || (at < stop && *at == '['))
            return;
        if (any)
            rd_text_char(t, ' ');
        rd_text_part(t, at, (size_t)(stop - at));
        any |= at < stop;
        at = stop + 1;
    }
}

bool rd_failed_check_take(struct rd_finding *f, const char *output, size_t size) {
    struct check c;
    const char *end = output + size;
    if (f->kind != RD_EXIT_STATUS || f->file[0])
        return false;
    for (const char *line = output; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop ? stop : end;
        if (stop - line < LINE_MAX_BYTES && begins_check(line, (size_t)(stop - line), &c) &&
            c.file_length < sizeof f->file) {
            struct rd_text t;
            memcpy(f->file, c.file, c.file_length);
            f->file[c.file_length] = 0;
            f->line = c.line;
            rd_text_init(&t, f->message, sizeof f->message - 32);
            rd_text_str(&t, "a check of the test failed: ");
            add_text(&t, c.rest, end);
            struct rd_text whole = {.at = f->message, .room = sizeof f->message, .used = t.used};
            rd_text_str(&whole, " (exit status ");
            rd_text_dec(&whole, f->status);
            rd_text_str(&whole, ")");
            return true;
        }
        line = stop + 1;
    }
    return false;
}
