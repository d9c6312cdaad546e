/*
 * detect.h - the table of detectors: the names for `--detect`, the input of each detector, and one way to run it.
 *
 * A detector reports findings that an execution shows although its verdict does not: a race, a lock order that can
 * deadlock, a bad use of the heap, a leak. The table (table.c) has one row for each. The detector's
 * input, in its row, decides where it runs:
 *
 *   RD_READS_RECORD   The detector is a pure function of the record of an execution that has ended. The explorer's
 *                     loop calls it (explore/loop.c), and replay and minimising call it again (rd_detect_again).
 *   RD_READS_HOOKS    The detector looks at operations and accesses when their turn comes, in the hooks of the
 *                     tested process. Its functions are in the runtime (rt/heap/process_detectors.c).
 *   RD_READS_END      The detector looks at the memory of the tested process when the program ends. Its functions
 *                     are in the runtime, too.
 *
 * Each detector hands over a finding as a struct rd_finding with one of the kinds in its row and with a key that
 * identifies the bug in every execution; a caller passes the keys that it has (struct rd_known) and gets the first
 * finding with another key. Whether a detector is on is one bit of rd_config.detect.
 */
#ifndef RD_DETECT_DETECT_H
#define RD_DETECT_DETECT_H

#include "base/error.h"
#include "base/arena.h"
#include "trace/types.h"

/*
 * The findings that a caller has: `has` tells whether the finding with this key is one of them; a detector asks
 * about each finding that the record shows until it meets one that is not known. `at` is told the memory of a known
 * race; NULL: the caller does not want to know.
 */
struct rd_known {
    bool (*has)(const void *ctx, uint64_t key);
    const void *ctx;
    void (*at)(const void *ctx, uint64_t key, rd_place memory);
};

static inline bool rd_known_has(const struct rd_known *k, uint64_t key) { return k && k->has(k->ctx, key); }

static inline void rd_known_at(const struct rd_known *k, uint64_t key, rd_place memory) {
    if (k && k->at)
        k->at(k->ctx, key, memory);
}

/*
 * Writes the first finding of the record whose key is not known to *f; false if there is none. The result follows
 * from the record alone. Memory is taken from scratch and not given back.
 */
typedef bool rd_detect(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                       struct rd_finding *f);

rd_detect rd_detect_race, rd_detect_lockset, rd_detect_lockchain, rd_detect_lockorder;
/* As rd_detect_lockset, but only the locks for which `counts` returns true protect memory. */
bool rd_detect_lockset_of(struct rd_arena *scratch, const struct rd_record *r,
                          bool (*counts)(const void *ctx, rd_place lock), const void *ctx, struct rd_finding *f);
/* As rd_detect_lockchain, but a release of any other lock lets no thread go on. */
bool rd_detect_lockchain_of(struct rd_arena *scratch, const struct rd_record *r,
                            bool (*counts)(const void *ctx, rd_place lock), const void *ctx,
                            const struct rd_known *known, struct rd_finding *f);

/*
 * The key of a predicted deadlock: the same for every detector that finds the same lock cycle. The sum is over all
 * threads of the cycle: the place where the thread took the lock that it holds, and the place where it wants the
 * next one. A sum does not depend on the thread that the cycle is read from.
 */
static inline uint64_t rd_circle_part(rd_place held_pc, rd_place pc) { return rd_mix(rd_hash2(held_pc, pc)); }
static inline uint64_t rd_circle_key(uint32_t length, uint64_t sum) {
    return rd_hash2(rd_hash2(RD_PREDICTED_DEADLOCK, length), sum);
}

enum rd_detector_input { RD_READS_RECORD, RD_READS_HOOKS, RD_READS_END };

struct rd_detector {
    const char *name, *summary;
    enum rd_detector_input reads;
    bool by_default;  /* on when the command line has no --detect */
    bool with_last;   /* looks also at the execution whose finding ends the search, as a possible cause of it */
    uint32_t kinds;   /* of its findings, as bits: 1 << enum rd_finding_kind */
    rd_detect *check; /* RD_READS_RECORD: the function that the loop calls; else NULL */
    rd_detect
        *by_search; /* another function that finds the same kinds, run by a search itself (exitblock); or NULL */
};

enum rd_detector_id {
    RD_DETECT_RACES,
    RD_DETECT_LOCKS,
    RD_DETECT_DEADLOCKS,
    RD_DETECT_LEAKS,
    RD_DETECT_HEAP,
    RD_DETECTORS
};
extern const struct rd_detector rd_detectors[RD_DETECTORS];

/* True if the detector is on by these bits (rd_config.detect). */
static inline bool rd_detector_is_on(uint32_t bits, enum rd_detector_id id) { return bits >> id & 1; }
/* True if findings of this kind (enum rd_finding_kind) are among those of the detector. */
static inline bool rd_detector_finds(enum rd_detector_id id, unsigned kind) {
    return kind < 32 && rd_detectors[id].kinds >> kind & 1;
}
/* The detectors that are on without --detect, as bits. */
uint32_t rd_detect_by_default(void);
/*
 * Reads the argument of --detect: "all", "none", or names with commas between them. Returns true with the detectors
 * as bits; or false, and the error names the first name that no detector has.
 */
bool rd_detect_parse(const char *text, uint32_t *bits, struct rd_error *error);
/*
 * Runs a detector over a record. Returns true with a finding that is not known in *f. False also for a detector
 * that does not read records. The scratch memory is free again on return.
 */
bool rd_detect_run(enum rd_detector_id id, struct rd_arena *scratch, const struct rd_record *r,
                   const struct rd_known *known, struct rd_finding *f);
/* True if a detector, or the function of a search, reads this finding (same kind, same key) in the record as well.
 */
bool rd_detect_again(struct rd_arena *scratch, const struct rd_record *r, const struct rd_finding *wanted,
                     struct rd_finding *f);
/* The detectors that look for this kind at the end of an execution, as bits: a replay must switch them on. */
uint32_t rd_detect_at_end(unsigned kind);

#endif
