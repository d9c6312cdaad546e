/* schedule_emit.c - see schedule_emit.h. */
#include "file/schedule_emit.h"

#include "trace/place.h"

#include <string.h>

void rd_emit(struct rd_schedule_writer *w, const char *text) {
    size_t n = strlen(text);
    w->sum = rd_schedule_checksum(w->sum, text, n);
    if (w->signs)
        rd_hmac_add(&w->signature, text, n);
    fwrite(text, 1, n, w->file);
}

void rd_emitf(struct rd_schedule_writer *w, const char *format, ...) {
    char line[512];
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    __builtin_va_end(args);
    RD_CHECK(n >= 0 && (size_t)n < sizeof line);
    rd_emit(w, line);
}

void rd_emit_quoted(struct rd_schedule_writer *w, const char *text) {
    char piece[8];
    rd_emit(w, "\"");
    for (const unsigned char *p = (const unsigned char *)(text ? text : ""); *p; p++) {
        if (*p == '\n')
            strcpy(piece, "\\n");
        else if (*p == '\t')
            strcpy(piece, "\\t");
        else if (*p == '"' || *p == '\\')
            snprintf(piece, sizeof piece, "\\%c", *p);
        else
            snprintf(piece, sizeof piece, *p < 0x20 || *p > 0x7e ? "\\%03o" : "%c", *p);
        rd_emit(w, piece);
    }
    rd_emit(w, "\"");
}

void rd_emit_build_id(struct rd_schedule_writer *w, const uint8_t *id, unsigned size) {
    for (unsigned i = 0; i < size && i < 20; i++)
        rd_emitf(w, "%02x", id[i]);
    rd_emit(w, size ? "\n" : "-\n");
}

/* The number of an address outside all known regions. */
static uint64_t number_of(struct rd_schedule_writer *w, uint64_t address) {
    uint64_t *number = rd_map_put(&w->others, &w->arena, address);
    if (*number == 0)
        *number = w->others.count + w->others.has_zero;
    return *number;
}

const char *rd_emit_place(struct rd_schedule_writer *w, rd_place place, char to[RD_PLACE_TEXT]) {
    if (place != 0 && (rd_place_region(place) >= RD_PLACE_OTHER || rd_place_region(place) == 0))
        place = rd_place_make(RD_PLACE_OTHER, number_of(w, rd_place_offset(place)));
    rd_place_text(place, to);
    return to;
}

void rd_emit_mark(struct rd_schedule_writer *w, rd_place place) {
    int m = rd_place_module(place);
    if (m >= 0 && m < RD_MODULES_MAX)
        w->used[m] = 1;
}
