/*
 * fuzz_files.h - what the parts of the fuzzer of files share. An input is a file of the corpus that was changed;
 * which one and how follows from the seed and the number of the input alone, so any input can be made again.
 */
#ifndef FUZZ_FILES_H
#define FUZZ_FILES_H

#include "base/base.h"
#include "base/rng.h"

/* The bytes of a file. */
struct files_bytes {
    unsigned char *data; /* from malloc, with a zero after the last byte */
    size_t size;
};

/* A recorded schedule of the corpus and its program. */
struct files_pair {
    struct files_bytes schedule, program;
};

enum { FILES_PAIRS_MAX = 64 };
struct files_corpus {
    struct files_pair pairs[FILES_PAIRS_MAX];
    uint32_t count;
};

enum files_kind { FILES_SCHEDULE, FILES_PROGRAM };

/* What the product has said to the inputs, summed up over all processes of the fuzzer. */
struct files_counts {
    uint64_t inputs, schedules, accepted, programs, runnable;
};

/* schedule_changes.c: a schedule that differs from one of the corpus in lines, words or bytes, mostly with the
 * right checksum. */
struct files_bytes files_change_schedule(const struct files_corpus *c, struct rd_rng *r);

/* program_changes.c: a program of the corpus with other bytes in its headers, notes, symbols or debug information;
 * `which`: its number in the corpus. */
struct files_bytes files_change_program(const struct files_corpus *c, struct rd_rng *r, uint32_t *which);

/*
 * use_schedule.c: reads a schedule file and, if the reader accepts it, writes every document about it. `program`:
 * the file that takes the place of the recorded program, NULL: none, all code and data is then without names.
 * Returns whether the reader accepts it.
 */
bool files_use_schedule(struct files_bytes schedule, const char *program, struct rd_rng *r);

/* use_program.c: asks the program file all that the driver asks; returns whether Raddle would run it. */
bool files_use_program(struct files_bytes program, struct files_bytes schedule, struct rd_rng *r);

/* Makes a file without a name that holds the bytes; writes a path that leads to it. Returns its descriptor. */
enum { FILES_PATH = 32 };
int files_open(struct files_bytes b, char path[FILES_PATH]);

#endif
