/*
 * schedule_emit.h - inside schedule_write.c: the file that is written, and its words. The checksum is that of all
 * bytes so far.
 */
#ifndef RD_FILE_SCHEDULE_EMIT_H
#define RD_FILE_SCHEDULE_EMIT_H

#include "base/map.h"
#include "file/schedule.h"

#include <stdio.h>

struct rd_schedule_writer {
    FILE *file;
    uint64_t sum; /* checksum of the bytes so far */
    bool signs;   /* … and their signature */
    struct rd_hmac signature;
    const struct rd_schedule *s;
    struct rd_arena arena; /* for the maps */
    struct rd_map others;  /* address outside all known regions -> its number in the file, from 1 */
    struct rd_map stacks;  /* hash of a stack -> its number in the file, from 1; 0: it was not written yet */
    uint32_t stack_count;
    uint64_t entry;            /* rd_schedule_entry of the program */
    char used[RD_MODULES_MAX]; /* by module: 1 if a place in the file is in it */
};

void rd_emit(struct rd_schedule_writer *w, const char *text);
__attribute__((format(printf, 2, 3))) void rd_emitf(struct rd_schedule_writer *w, const char *format, ...);
/* Writes a C string literal; bytes other than printable ASCII become three octal digits. */
void rd_emit_quoted(struct rd_schedule_writer *w, const char *text);
/* Writes a build-id and ends the line. */
void rd_emit_build_id(struct rd_schedule_writer *w, const uint8_t *id, unsigned size);
/* Returns the text of the place in this file, which is in `to`. */
const char *rd_emit_place(struct rd_schedule_writer *w, rd_place place, char to[RD_PLACE_TEXT]);
/* Notes that the file has a place in this module. */
void rd_emit_mark(struct rd_schedule_writer *w, rd_place place);

/* schedule_origin.c: the hashes of source files; the signature of all that was written after
 * rd_emit_begin_signature. */
void rd_emit_sources(struct rd_schedule_writer *w);
void rd_emit_begin_signature(struct rd_schedule_writer *w);
void rd_emit_signature(struct rd_schedule_writer *w);

#endif
