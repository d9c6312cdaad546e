/* shell_split.c - see shell_split.h. */
#include "cli/defaults/shell_split.h"

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* Copies what is between two quotes, the first of which is at `text`. Returns what follows; NULL: no second one. */
static const char *copy_quoted(const char *text, char **to) {
    char quote = *text++;
    for (; *text != quote; text++) {
        if (!*text)
            return NULL;
        if (quote == '"' && *text == '\\' && text[1] && strchr("\"\\$`\n", text[1])) {
            if (*++text != '\n')
                *(*to)++ = *text;
        } else
            *(*to)++ = *text;
    }
    return text + 1;
}

/* Copies one word. Returns what follows; NULL after a mistake. */
static const char *copy_word(const char *text, char **to, const char **mistake) {
    while (text && *text && !is_blank(*text)) {
        if (*text == '\'' || *text == '"') {
            *mistake = *text == '"' ? "a quote \" is not closed" : "a quote ' is not closed";
            text = copy_quoted(text, to);
        } else if (*text == '\\') {
            *mistake = "there is nothing after the last backslash";
            if (text[1] && text[1] != '\n') /* a backslash and the end of a line are nothing */
                *(*to)++ = text[1];
            text = text[1] ? text + 2 : NULL;
        } else
            *(*to)++ = *text++;
    }
    *(*to)++ = 0;
    return text;
}

char **rd_shell_split(const char *text, const char **mistake) {
    size_t length = strlen(text), room = length / 2 + 2; /* a word has a character, and a blank after it */
    char **words = calloc(1, room * sizeof *words + length + 2);
    if (!words)
        abort();
    char *to = (char *)(words + room);
    size_t count = 0;
    for (;;) {
        while (is_blank(*text))
            text++;
        if (!*text)
            break;
        RD_CHECK(count + 1 < room);
        words[count++] = to;
        text = copy_word(text, &to, mistake);
        if (!text) {
            free(words);
            return NULL;
        }
    }
    return words;
}
