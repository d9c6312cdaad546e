/* safe_text.c - see safe_text.h. The ranges are of Unicode 15: its control, format and separator characters. */
#include "base/safe_text.h"

#include <string.h>

unsigned rd_utf8_length(const char *s, size_t size) {
    const unsigned char *p = (const unsigned char *)s;
    unsigned n = *p < 0x80                 ? 1
                 : *p >= 0xc2 && *p < 0xe0 ? 2
                 : *p >= 0xe0 && *p < 0xf0 ? 3
                 : *p >= 0xf0 && *p < 0xf5 ? 4
                                           : 0;
    if (n > size)
        return 0;
    for (unsigned i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    if (n < 3)
        return n;
    bool too_long = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool no_character = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
    return too_long || no_character ? 0 : n;
}

uint32_t rd_utf8_char(const char *s, unsigned length) {
    static const uint8_t bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07}; /* of the first byte */
    RD_CHECK(length > 0 && length < RD_COUNT(bits));
    uint32_t c = (unsigned char)s[0] & bits[length];
    for (unsigned i = 1; i < length; i++)
        c = c << 6 | ((unsigned char)s[i] & 0x3f);
    return c;
}

bool rd_char_is_unsafe(uint32_t c) {
    static const struct {
        uint32_t first, last;
    } unsafe[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
        {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfdd0, 0xfdef},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
        {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    if ((c & 0xfffe) == 0xfffe) /* no character: one of the last two of a plane */
        return true;
    for (unsigned i = 0; i < RD_COUNT(unsafe); i++)
        if (c >= unsafe[i].first && c <= unsafe[i].last)
            return true;
    return false;
}

/* Writes a backslash, a letter, and the number in hexadecimal digits. */
static void escape(char *to, char letter, uint32_t number, unsigned digits) {
    *to++ = '\\';
    *to++ = letter;
    while (digits)
        *to++ = "0123456789abcdef"[number >> 4 * --digits & 15];
    *to = 0;
}

size_t rd_safe_char(const char *s, size_t size, enum rd_bad_byte bad, char to[RD_SAFE_CHAR]) {
    unsigned n = rd_utf8_length(s, size);
    if (n == 0 && bad == RD_BAD_BYTE_REPLACED) {
        memcpy(to, "\xef\xbf\xbd", 4);
        return 1;
    }
    uint32_t c = n ? rd_utf8_char(s, n) : (unsigned char)*s;
    if (n == 0 || c < 0x20 || c == 0x7f) {
        escape(to, 'x', c, 2);
    } else if (rd_char_is_unsafe(c)) {
        escape(to, c > 0xffff ? 'U' : 'u', c, c > 0xffff ? 8 : 4);
    } else {
        memcpy(to, s, n);
        to[n] = 0;
    }
    return n ? n : 1;
}
