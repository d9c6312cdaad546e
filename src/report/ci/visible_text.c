/* visible_text.c - see visible_text.h. */
#include "report/ci/visible_text.h"

#include "base/safe_text.h"

#include <string.h>

/* Is it a character that XML forbids, although it is valid in UTF-8: one of the last two of a plane? */
static bool is_noncharacter(uint32_t c) { return (c & 0xfffe) == 0xfffe; }

uint32_t rd_visible_character(FILE *out, const char **text) {
    const char *s = *text;
    size_t size = strnlen(s, 4);
    unsigned n = rd_utf8_length(s, size);
    uint32_t c = n ? rd_utf8_char(s, n) : 0;
    char safe[RD_SAFE_CHAR];
    if (c == '\n' || c == '\t') {
        fputc((int)c, out);
        *text = s + 1;
        return c;
    }
    if (n && is_noncharacter(c)) {
        fprintf(out, "\\u%04x", c);
        *text = s + n;
        return 0;
    }
    size_t used = rd_safe_char(s, size, RD_BAD_BYTE_SHOWN, safe);
    bool plain = strlen(safe) == used && memcmp(safe, s, used) == 0;
    fputs(safe, out);
    *text = s + used;
    return plain ? c : 0;
}
