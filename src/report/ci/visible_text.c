/* visible_text.c - see visible_text.h. */
#include "report/ci/visible_text.h"

#include "base/safe_text.h"

#include <string.h>

uint32_t rd_visible_character(FILE *out, const char **text) {
    const char *s = *text;
    char safe[RD_SAFE_CHAR];
    if (*s == '\n' || *s == '\t') {
        fputc(*s, out);
        *text += 1;
        return (uint32_t)*s;
    }
    size_t used = rd_safe_char(s, strnlen(s, 4), RD_BAD_BYTE_SHOWN, safe);
    bool plain = strlen(safe) == used && memcmp(safe, s, used) == 0;
    fputs(safe, out);
    *text += used;
    return plain ? rd_utf8_char(s, (unsigned)used) : 0;
}
