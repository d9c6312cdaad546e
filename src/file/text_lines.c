/*
 * text_lines.c - the reader of text_lines.h. It reads the whole file, and only a regular file: a pipe could block
 * for ever, and have no end. Every byte of the file may be wrong; the only invariant is that the current position
 * is in the current line and the line is in the file.
 */
#include "file/text_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES ((size_t)1 << 31) /* line numbers and positions have room to spare */

void rd_lines_fail(struct rd_lines *r, uint32_t line, const char *format, ...) {
    if (r->failed)
        return;
    r->failed = true;
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (line)
        rd_error_set(r->error, "'%s' line %u: %s", r->path, line, what);
    else
        rd_error_set(r->error, "'%s' %s", r->path, what);
}

/* Reads the whole file; false with errno. */
static bool read_bytes(struct rd_lines *r, int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    if (!S_ISREG(st.st_mode)) {
        errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
        return false;
    }
    if ((uint64_t)st.st_size > FILE_MAX_BYTES) {
        errno = EFBIG;
        return false;
    }
    size_t room = (size_t)st.st_size;
    r->bytes = malloc(room + 1);
    while (r->bytes && r->size < room) {
        ssize_t n = read(fd, r->bytes + r->size, room - r->size);
        if (n < 0)
            return false;
        if (n == 0)
            break;
        r->size += (size_t)n;
    }
    return r->bytes != NULL;
}

bool rd_lines_load(struct rd_lines *r, const char *path, struct rd_error *error) {
    *r = (struct rd_lines){.path = path, .error = error};
    int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        rd_error_set(r->error, "cannot open '%s': %s", r->path, strerror(errno));
        return false;
    }
    bool fine = read_bytes(r, fd);
    int why = errno;
    close(fd);
    if (!fine && why == EINVAL)
        rd_error_set(r->error, "cannot read '%s': it is not a regular file", r->path);
    else if (!fine)
        rd_error_set(r->error, "cannot read '%s': %s", r->path, strerror(why));
    else
        r->bytes[r->size] = 0;
    if (!fine)
        rd_lines_free(r);
    return fine;
}

void rd_lines_free(struct rd_lines *r) {
    free(r->bytes);
    r->bytes = NULL;
}

bool rd_lines_next(struct rd_lines *r) {
    const char *end = r->bytes + r->size;
    r->at = r->eol ? RD_MIN(r->eol + 1, end) : r->bytes;
    r->line++;
    r->eol = memchr(r->at, '\n', (size_t)(end - r->at));
    if (!r->eol)
        r->eol = end; /* after the last line an empty one is current, in which the next expected word is missing */
    RD_ASSERT(r->bytes <= r->at && r->at <= r->eol && r->eol <= end);
    return !r->failed && r->at < end;
}

/* Goes past one space. */
static void take_space(struct rd_lines *r) {
    if (r->at < r->eol && *r->at == ' ')
        r->at++;
    RD_ASSERT(r->at <= r->eol);
}

const char *rd_lines_word(struct rd_lines *r) {
    r->word[0] = 0;
    if (r->failed)
        return r->word;
    size_t n = 0;
    while (r->at + n < r->eol && r->at[n] != ' ')
        n++;
    if (n > RD_WORD_MAX) {
        rd_lines_fail(r, r->line, "a word is too long");
        return r->word;
    }
    memcpy(r->word, r->at, n);
    r->word[n] = 0;
    r->at += n;
    if (n > 0)
        take_space(r);
    return r->word;
}

bool rd_lines_is(struct rd_lines *r, const char *name) {
    size_t n = strlen(name);
    if (r->failed || (size_t)(r->eol - r->at) < n || memcmp(r->at, name, n) != 0)
        return false;
    if (r->at + n < r->eol && r->at[n] != ' ')
        return false;
    r->at += n;
    take_space(r);
    return true;
}

void rd_lines_expect(struct rd_lines *r, const char *name) {
    const char *found = rd_lines_word(r);
    if (!r->failed && strcmp(found, name) != 0)
        rd_lines_fail(r, r->line, "expected '%s', found '%s'", name, found);
}

void rd_lines_expect_line(struct rd_lines *r, const char *name) {
    rd_lines_next(r);
    rd_lines_expect(r, name);
}

void rd_lines_end(struct rd_lines *r) {
    if (!r->failed && r->at != r->eol)
        rd_lines_fail(r, r->line, "unexpected '%.40s'", rd_lines_word(r));
}

uint64_t rd_lines_parse(struct rd_lines *r, const char *text, const char *what, int base, uint64_t max) {
    RD_CHECK(base == 10 || base == 16);
    const char *digits = base == 16 ? "0123456789abcdef" : "0123456789";
    size_t n = strlen(text);
    errno = 0;
    uint64_t v = strtoull(text, NULL, base);
    if (n == 0 || strspn(text, digits) != n || errno || v > max) {
        rd_lines_fail(r, r->line, "bad %s '%s'", what, text);
        return 0;
    }
    return v;
}

uint64_t rd_lines_number(struct rd_lines *r, const char *what, uint64_t max) {
    const char *text = rd_lines_word(r);
    return r->failed ? 0 : rd_lines_parse(r, text, what, 10, max);
}

int32_t rd_lines_integer(struct rd_lines *r, const char *what) {
    const char *text = rd_lines_word(r);
    if (r->failed)
        return 0;
    bool minus = text[0] == '-';
    uint64_t v = rd_lines_parse(r, text + minus, what, 10, INT32_MAX);
    return minus ? -(int32_t)v : (int32_t)v;
}

/* Takes one character of a quoted string, which can be an escape sequence; -1: it is none of C's that are allowed.
 */
static int unescape(struct rd_lines *r) {
    RD_ASSERT(r->at < r->eol);
    char c = *r->at++;
    if (c != '\\')
        return (unsigned char)c;
    c = r->at < r->eol ? *r->at++ : 0;
    if (c == 'n')
        return '\n';
    if (c == 't')
        return '\t';
    if (c == '"' || c == '\\')
        return c;
    if (c < '0' || c > '3' || r->eol - r->at < 2 || r->at[0] < '0' || r->at[0] > '7' || r->at[1] < '0' ||
        r->at[1] > '7')
        return -1;
    int v = (c - '0') * 64 + (r->at[0] - '0') * 8 + (r->at[1] - '0');
    r->at += 2;
    return v == 0 ? -1 : v;
}

char *rd_lines_quoted(struct rd_lines *r) {
    if (r->failed)
        return NULL;
    char *to = malloc((size_t)(r->eol - r->at) + 1);
    size_t n = 0;
    int c = 0;
    if (to && r->at < r->eol && *r->at == '"') {
        r->at++;
        while (r->at < r->eol && *r->at != '"' && (c = unescape(r)) >= 0)
            to[n++] = (char)c;
        if (c >= 0 && r->at < r->eol && *r->at == '"') {
            r->at++;
            take_space(r);
            to[n] = 0;
            return to;
        }
    }
    free(to);
    rd_lines_fail(r, r->line, "expected a quoted string");
    return NULL;
}

void rd_lines_quoted_into(struct rd_lines *r, char *to, size_t room) {
    char *text = rd_lines_quoted(r);
    if (text && strlen(text) >= room)
        rd_lines_fail(r, r->line, "a string is too long");
    else if (text)
        strcpy(to, text);
    free(text);
}
