/*
 * detect.h - detectors: what a recorded execution shows to be wrong although nothing came of it. Pure; a detector
 * is one file, one row in table.c, and unit tests on executions of simulated programs.
 */
#ifndef RD_DETECT_DETECT_H
#define RD_DETECT_DETECT_H

#include "base/error.h"
#include "base/arena.h"
#include "trace/types.h"

/* Is the finding with this key known already? */
struct rd_known {
    bool (*has)(const void *ctx, uint64_t key);
    const void *ctx;
};

static inline bool rd_known_has(const struct rd_known *k, uint64_t key) { return k && k->has(k->ctx, key); }

/* The first finding in the execution that is not known. A function of the record alone; scratch is its to use up.
 */
typedef bool rd_detect(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                       struct rd_finding *f);

rd_detect rd_detect_race, rd_detect_lockset, rd_detect_lockchain, rd_detect_lockorder;

/* Of a circle of locks: which places in the code make it up, whoever found it. */
static inline uint64_t rd_circle_part(rd_place held_pc, rd_place pc) { return rd_mix(rd_hash2(held_pc, pc)); }
static inline uint64_t rd_circle_key(uint32_t length, uint64_t sum) {
    return rd_hash2(rd_hash2(RD_PREDICTED_DEADLOCK, length), sum);
}

struct rd_detector {
    const char *name, *summary;
    uint32_t kind;    /* of its findings */
    bool usual;       /* on unless it is switched off */
    rd_detect *check; /* NULL: the execution itself looks for it, when it is on */
};

enum { RD_DETECT_RACES, RD_DETECT_LOCKS, RD_DETECT_DEADLOCKS, RD_DETECT_LEAKS, RD_DETECT_HEAP, RD_DETECTORS };
extern const struct rd_detector rd_detectors[RD_DETECTORS];
/* Those that are on without --detect, as bits by their number. */
uint32_t rd_detect_usual(void);
/* Parses "all", "none", or names with commas between them into bits. Returns false if a name is unknown. */
bool rd_detect_parse(const char *text, uint32_t *bits, struct rd_error *error);

#endif
