/*
 * schedule_origin.c - the lines of a schedule file that say where things come from: the hashes of the source files,
 * and the signature, which shows that this user's Raddle has written the file. Both the reader's and the writer's
 * half.
 *
 * The signature is HMAC-SHA-256 over all bytes before its line, with the key of the user (state_key.h).
 */
#include "file/schedule_emit.h"
#include "file/schedule_read.h"
#include "file/state_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rd_emit_sources(struct rd_schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->source_count; i++) {
        char hash[RD_SHA256_TEXT];
        rd_sha256_hex(w->s->sources[i].hash, RD_SHA256_TEXT - 1, hash);
        rd_emit(w, "source ");
        rd_emit_quoted(w, w->s->sources[i].path);
        rd_emitf(w, " %s\n", hash);
    }
}

void rd_emit_signature(struct rd_schedule_writer *w) {
    uint8_t hash[RD_SHA256_SIZE];
    char text[RD_SHA256_TEXT];
    if (!w->signs)
        return;
    rd_hmac_end(&w->signature, hash);
    w->signs = false;
    rd_sha256_hex(hash, RD_SHA256_TEXT - 1, text);
    rd_emitf(w, "signed %s\n", text);
}

void rd_emit_begin_signature(struct rd_schedule_writer *w) {
    struct rd_error why; /* the command line asks for it (rd_state_key) */
    const uint8_t *key = rd_state_key(true, &why);
    w->signs = key != NULL;
    if (key)
        rd_hmac_begin(&w->signature, key, RD_STATE_KEY);
}

/* Takes a hash of SHA-256 in hexadecimal digits. */
static void read_hash(struct rd_lines *in, uint8_t to[RD_SHA256_SIZE]) {
    const char *text = rd_lines_word(in);
    if (!in->failed &&
        (strlen(text) != RD_SHA256_TEXT - 1 || strspn(text, "0123456789abcdef") != RD_SHA256_TEXT - 1))
        rd_lines_fail(in, in->line, "bad hash '%s'", text);
    for (size_t i = 0; i < RD_SHA256_SIZE && !in->failed; i++) {
        char two[3] = {text[2 * i], text[2 * i + 1], 0};
        to[i] = (uint8_t)strtoul(two, NULL, 16);
    }
}

/* Reads the lines of source files, from the current one on, and makes the line after them current. */
void rd_parse_sources(struct rd_lines *in, struct rd_schedule *s) {
    for (; !in->failed && rd_lines_is(in, "source"); rd_lines_next(in)) {
        if (s->source_count == RD_SOURCES_MAX)
            rd_lines_fail(in, in->line, "too many source files");
        s->sources = rd_parse_grow(in, s->sources, s->source_count, sizeof *s->sources);
        struct rd_source f = {.path = rd_lines_quoted(in)};
        read_hash(in, f.hash);
        rd_lines_end(in);
        if (in->failed)
            free(f.path);
        else
            s->sources[s->source_count++] = f;
    }
}

void rd_parse_signature(struct rd_lines *in, struct rd_schedule *s) {
    if (in->failed || !rd_lines_is(in, "signed"))
        return;
    uint8_t stored[RD_SHA256_SIZE] = {0}, hash[RD_SHA256_SIZE], differ = 0;
    struct rd_error none;
    struct rd_hmac h;
    const char *line = in->at;
    while (line > in->bytes && line[-1] != '\n')
        line--;
    read_hash(in, stored);
    rd_lines_end(in);
    const uint8_t *key = in->failed ? NULL : rd_state_key(false, &none);
    if (key) {
        rd_hmac_begin(&h, key, RD_STATE_KEY);
        rd_hmac_add(&h, in->bytes, (size_t)(line - in->bytes));
        rd_hmac_end(&h, hash);
        for (unsigned i = 0; i < RD_SHA256_SIZE; i++) /* takes the same time wherever they differ */
            differ |= hash[i] ^ stored[i];
        s->authentic = !differ;
    }
    rd_lines_next(in);
}
