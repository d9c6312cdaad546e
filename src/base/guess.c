/*
 * guess.c - see guess.h. The distance is the one of Damerau and Levenshtein in the restricted form, in which a pair
 * that was swapped is not changed again ("optimal string alignment"); three rows of its table are enough.
 */
#include "base/guess.h"

#include "base/text.h"

#include <string.h>

void rd_guess_begin(struct rd_guess *g, const char *word, size_t length) {
    *g = (struct rd_guess){.word = word, .length = length, .distance = UINT32_MAX};
}

static uint32_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    uint32_t rows[3][RD_GUESS_WORD + 1];
    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = (uint32_t)k;
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        now[0] = (uint32_t)i;
        for (size_t k = 1; k <= b_length; k++) {
            uint32_t replaced = above[k - 1] + (a[i - 1] != b[k - 1]);
            now[k] = RD_MIN(replaced, RD_MIN(above[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
                now[k] = RD_MIN(now[k], two_above[k - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void rd_guess_try(struct rd_guess *g, const char *candidate, size_t length) {
    if (g->length >= RD_GUESS_WORD || length >= RD_GUESS_WORD || length == 0)
        return;
    uint32_t d = distance(g->word, g->length, candidate, length);
    if (d >= g->distance)
        return;
    g->distance = d;
    memcpy(g->best, candidate, length);
    g->best[length] = 0;
}

/* One mistake in three characters is likely a slip; a word that differs in more is another word. */
const char *rd_guess_best(const struct rd_guess *g) {
    size_t length = RD_MIN(g->length, strlen(g->best));
    return g->distance != UINT32_MAX && 3u * g->distance <= length + 1 && length > 1 ? g->best : NULL;
}

const char *rd_guess_words(const struct rd_guess *g, const char *before, char to[RD_GUESS_TEXT]) {
    struct rd_text t;
    const char *best = rd_guess_best(g);
    rd_text_init(&t, to, RD_GUESS_TEXT);
    if (best) {
        rd_text_str(&t, "; did you mean '");
        rd_text_str(&t, before);
        rd_text_str(&t, best);
        rd_text_str(&t, "'?");
    }
    return to;
}
