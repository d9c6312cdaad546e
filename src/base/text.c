/* text.c - see text.h. */
#include "base/text.h"

void rd_text_init(struct rd_text *t, char *buffer, size_t room) {
    RD_CHECK(room > 0);
    t->at = buffer;
    t->room = room;
    t->used = 0;
    buffer[0] = 0;
}

void rd_text_char(struct rd_text *t, char c) {
    if (t->used + 1 >= t->room)
        return;
    t->at[t->used++] = c;
    t->at[t->used] = 0;
}

void rd_text_str(struct rd_text *t, const char *s) {
    while (*s)
        rd_text_char(t, *s++);
}

void rd_text_part(struct rd_text *t, const char *s, size_t length) {
    for (size_t i = 0; i < length; i++)
        rd_text_char(t, s[i]);
}

static void number(struct rd_text *t, uint64_t v, unsigned base) {
    char digits[24];
    unsigned n = 0;
    do {
        digits[n++] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v);
    while (n)
        rd_text_char(t, digits[--n]);
}

void rd_text_dec(struct rd_text *t, int64_t v) {
    if (v < 0)
        rd_text_char(t, '-');
    number(t, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10);
}

void rd_text_hex(struct rd_text *t, uint64_t v) {
    rd_text_str(t, "0x");
    number(t, v, 16);
}

void rd_text_copy(char *to, size_t room, const char *s) {
    struct rd_text t;
    rd_text_init(&t, to, room);
    rd_text_str(&t, s ? s : "");
}
