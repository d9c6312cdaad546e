/*
 * guess.h - "did you mean": of many words, the one that is nearest to a word that somebody has mistyped. The
 * distance is the number of characters that were left out, added, replaced, or swapped with their neighbour.
 */
#ifndef RD_BASE_GUESS_H
#define RD_BASE_GUESS_H

#include "base/base.h"

enum { RD_GUESS_WORD = 40 }; /* longer words are not compared */

struct rd_guess {
    const char *word; /* the word that was typed, and its length */
    size_t length;
    char best[RD_GUESS_WORD];
    uint32_t distance; /* of `best`; UINT32_MAX: there is none */
};

void rd_guess_begin(struct rd_guess *g, const char *word, size_t length);
/* Compares with one more word. Of two that are equally near the first one counts. */
void rd_guess_try(struct rd_guess *g, const char *candidate, size_t length);
/* The nearest word; NULL: none is so near that the user may have meant it. */
const char *rd_guess_best(const struct rd_guess *g);

/* Room for the text of rd_guess_words. */
enum { RD_GUESS_TEXT = RD_GUESS_WORD + 24 };
/* "; did you mean 'BEFOREword'?", or "" if there is no guess. Returns `to`. */
const char *rd_guess_words(const struct rd_guess *g, const char *before, char to[RD_GUESS_TEXT]);

#endif
