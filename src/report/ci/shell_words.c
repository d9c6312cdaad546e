/* shell_words.c - see shell_words.h. */
#include "report/ci/shell_words.h"

#include <stdlib.h>
#include <string.h>

/* Characters that mean themselves to every shell. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=/.,:@%";

static void put_word(FILE *out, const char *word) {
    if (word[0] && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fprintf(out, *word == '\'' ? "'\\''" : "%c", *word);
    fputc('\'', out);
}

void rd_shell_words(FILE *out, const char *const *words) {
    for (size_t i = 0; words[i]; i++) {
        fputs(i ? " " : "", out);
        put_word(out, words[i]);
    }
}

char *rd_shell_words_text(const char *const *words) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort();
    rd_shell_words(out, words);
    if (fclose(out) != 0)
        abort();
    return text;
}
