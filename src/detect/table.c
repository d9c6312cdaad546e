/* table.c - the rows of all detectors, the names and bits of --detect, and one way to run a detector over a record.
 */
#include "base/guess.h"
#include "base/text.h"
#include "detect/detect.h"

#include <string.h>

#define KIND(kind) ((uint32_t)1 << (kind))
static_assert(RD_FINDING_KINDS <= 32, "kinds are bits of rd_detector.kinds");
static_assert(RD_DETECTORS <= 32, "detectors are bits of rd_config.detect");

const struct rd_detector rd_detectors[RD_DETECTORS] = {
    [RD_DETECT_RACES] = {.name = "races",
                         .summary = "two threads use the same memory, one writes, and nothing orders them",
                         .reads = RD_READS_RECORD,
                         .by_default = true,
                         .with_last = true,
                         .kinds = KIND(RD_DATA_RACE),
                         .check = rd_detect_race},
    [RD_DETECT_LOCKS] = {.name = "lock-discipline",
                         .summary = "shared memory without a lock that protects all its uses",
                         .reads = RD_READS_RECORD,
                         .kinds = KIND(RD_LOCK_DISCIPLINE),
                         .check = rd_detect_lockset},
    [RD_DETECT_DEADLOCKS] = {.name = "deadlocks",
                             .summary =
                                 "threads that take locks in an order that leads in a circle; tries to run into it",
                             .reads = RD_READS_RECORD,
                             .by_default = true,
                             .kinds = KIND(RD_PREDICTED_DEADLOCK),
                             .check = rd_detect_lockorder,
                             .by_search = rd_detect_lockchain},
    [RD_DETECT_LEAKS] = {.name = "leaks",
                         .summary = "blocks of the heap that nothing leads to when the program ends",
                         .reads = RD_READS_END,
                         .kinds = KIND(RD_LEAK)},
    [RD_DETECT_HEAP] = {.name = "heap",
                        .summary = "uses of blocks that were freed, and beyond their ends; a free is an operation",
                        .reads = RD_READS_HOOKS,
                        .by_default = true,
                        .kinds = KIND(RD_USE_AFTER_FREE) | KIND(RD_DOUBLE_FREE) | KIND(RD_HEAP_OVERFLOW) |
                                 KIND(RD_MISUSE)},
};

uint32_t rd_detect_by_default(void) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < RD_DETECTORS; i++)
        bits |= (uint32_t)rd_detectors[i].by_default << i;
    return bits;
}

/* The detector whose name is the first n characters of the text; RD_DETECTORS: none. */
static uint32_t by_name(const char *text, size_t n) {
    uint32_t i = 0;
    while (i < RD_DETECTORS && (strlen(rd_detectors[i].name) != n || memcmp(rd_detectors[i].name, text, n) != 0))
        i++;
    return i;
}

bool rd_detect_parse(const char *text, uint32_t *bits, struct rd_error *error) {
    *bits = strcmp(text, "all") == 0 ? (1u << RD_DETECTORS) - 1 : 0;
    if (*bits || strcmp(text, "none") == 0)
        return true;
    for (;;) {
        size_t n = strcspn(text, ",");
        uint32_t i = by_name(text, n);
        if (i == RD_DETECTORS) {
            struct rd_text t = rd_error_text(error);
            rd_text_str(&t, "no detector '");
            rd_text_part(&t, text, n);
            struct rd_guess g;
            char guess[RD_GUESS_TEXT];
            rd_guess_begin(&g, text, n);
            for (uint32_t k = 0; k < RD_DETECTORS; k++)
                rd_guess_try(&g, rd_detectors[k].name, strlen(rd_detectors[k].name));
            rd_text_str(&t, "'");
            rd_text_str(&t, rd_guess_words(&g, "", guess));
            rd_text_str(&t, " (see 'raddle list detectors')");
            return false;
        }
        *bits |= 1u << i;
        if (!text[n])
            return true;
        text += n + 1;
    }
}

/* Checks a finding that a function of this row has returned: its kind, its key and the steps that it names. */
static void check_finding(enum rd_detector_id id, const struct rd_record *r, const struct rd_known *known,
                          const struct rd_finding *f) {
    RD_CHECK(rd_detector_finds(id, f->kind));
    RD_CHECK(!rd_known_has(known, f->key));
    RD_CHECK(f->step <= r->out->steps && f->other_step <= r->out->steps);
}

static bool run(enum rd_detector_id id, rd_detect *function, struct rd_arena *scratch, const struct rd_record *r,
                const struct rd_known *known, struct rd_finding *f) {
    size_t before = scratch->used;
    bool found = function && function(scratch, r, known, f);
    RD_CHECK(scratch->used >= before);
    scratch->used = before;
    if (found)
        check_finding(id, r, known, f);
    return found;
}

bool rd_detect_run(enum rd_detector_id id, struct rd_arena *scratch, const struct rd_record *r,
                   const struct rd_known *known, struct rd_finding *f) {
    RD_CHECK(id < RD_DETECTORS);
    return run(id, rd_detectors[id].check, scratch, r, known, f);
}

static bool is_another(const void *wanted, uint64_t key) { return key != *(const uint64_t *)wanted; }

bool rd_detect_again(struct rd_arena *scratch, const struct rd_record *r, const struct rd_finding *wanted,
                     struct rd_finding *f) {
    struct rd_known others = {.has = is_another, .ctx = &wanted->key};
    bool found = false;
    for (uint32_t i = 0; i < RD_DETECTORS && !found; i++)
        if (rd_detector_finds(i, wanted->kind))
            found = run(i, rd_detectors[i].check, scratch, r, &others, f) ||
                    run(i, rd_detectors[i].by_search, scratch, r, &others, f);
    return found;
}

uint32_t rd_detect_at_end(unsigned kind) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < RD_DETECTORS; i++)
        bits |= (uint32_t)(rd_detectors[i].reads == RD_READS_END && rd_detector_finds(i, kind)) << i;
    return bits;
}
