/*
 * channel.h - the memory that the driver shares with a tested process. This header is the whole contract between
 * them: any change of its layout or meaning increments RD_CHANNEL_VERSION.
 *
 * The channel has a head, which says where its arrays lie, four parts, and the arrays behind them:
 *
 *   config     (trace/config.h)       the configuration; the runtime maps head and config without write
 *                                     permission, and the driver writes them only while no process runs
 *   execution  (channel/execution.h)  the execution that runs: plan, outcome, declarations of the program
 *   live       (channel/live.h)       how driver and tested process watch each other
 *   result     (below)                counters, claim and findings, as the loop of the search wrote them
 *
 * The driver creates the channel (a memfd) and starts the program with RADDLE_CHANNEL naming it. The engine writes
 * each step to the array of steps before the chosen thread runs, so an abort, a crash or a kill leaves the whole
 * schedule behind. Pages that no process touches cost nothing.
 *
 * A broken program can write into everything but head and config. So the driver uses no number from here as an
 * index: when the processes are gone, it copies and checks the result (drive/take_result.h).
 */
#ifndef RD_CHANNEL_CHANNEL_H
#define RD_CHANNEL_CHANNEL_H

#include "channel/execution.h"
#include "channel/live.h"
#include "result/found.h"
#include "result/progress.h"
#include "result/summary.h"
#include "trace/config.h"

#include <signal.h>

#define RD_CHANNEL_MAGIC 0x31656c6464617264u /* "draddle1" */
enum { RD_CHANNEL_VERSION = 41 };
/*
 * Descriptors that a tested process inherits: the hub of its team, the memory of the search, the table of extents,
 * the table of shared memory.
 */
enum { RD_HUB_FD = 1002, RD_SEARCH_FD = 1003, RD_EXTENTS_FD = 1004, RD_SHARING_FD = 1005 };
/* The table of extents (extents.h) has the same address in all processes of a search, the driver included. */
#define RD_EXTENTS_AT 0x0e7000000000u
enum { RD_EXTENTS_SIZE = 64 << 20 };
/* Room of a worker's log of classes, from which the driver counts the classes of all workers. */
enum { RD_CLASSES_LOGGED = 1 << 26 };

/* The watchdog of the driver sends this signal to an execution that has taken too long. */
#define RD_WATCHDOG_SIGNAL (SIGRTMAX - 3)

/* The result as the loop of the search writes it. It is unchecked. */
struct rd_raw_result {
    struct rd_summary summary;
    struct rd_found found[RD_FOUND_MAX];
    /* the first failure of an execution before the search (explore/loop_sharing.c); count 0: none */
    struct rd_found early_failure;
};

/*
 * The words before and after each part that a program can write have this value, as long as no program has
 * overwritten whole parts. The driver calls rd_channel_has_canaries before it relies on what a dead process has
 * left.
 */
#define RD_CHANNEL_CANARY 0x5ca1ab1e0ddba11u
enum { RD_CHANNEL_PAGE = 4096 };

struct rd_channel {
    uint64_t magic;
    uint32_t version, header_size;
    uint64_t size;
    /* offsets of the arrays from the start of the channel; 0: the channel was made without this array */
    uint64_t prefix_at, sleep_at, weight_at, track_at, profile_at, track_store_at, steps_at, cands_at, threads_at,
        step_stacks_at, stacks_at, parts_at, blocks_at, store_at, samples_at, orders_at, suppress_at, endings_at,
        texts_at, output_at, expected_at, class_log_at, rules_at, shared_at;
    uint64_t rules_size;    /* bytes of the rules (sync_rules.h), with the terminating 0 */
    uint64_t shared_count;  /* of a replay: number of pieces of memory that its schedule file lists as shared */
    uint64_t expected_size; /* bytes of the output that --expect-output names */
    uint64_t prefix_max, steps_max, cands_max, store_max, samples_max, orders_max,
        suppress_count; /* room, in items */
    struct rd_config config;
    _Alignas(RD_CHANNEL_PAGE) uint64_t canary_first;
    struct rd_execution execution;
    uint64_t canary_live;
    struct rd_live live;
    uint64_t canary_result;
    struct rd_raw_result result;
    uint64_t canary_last;
};
/* Head and config fill whole pages, so that the runtime can protect them. */
enum { RD_CHANNEL_PROTECTED = offsetof(struct rd_channel, canary_first) };
static_assert(RD_CHANNEL_PROTECTED % RD_CHANNEL_PAGE == 0, "protected by pages");

/* The sizes of the arrays of a channel. */
struct rd_channel_size {
    uint64_t steps, store, samples, orders, suppress, shared; /* items */
    uint64_t rules, expected;                                 /* bytes */
    bool outcomes;                                            /* outputs, endings and their texts */
    bool class_log;                                           /* the log of classes */
    bool detail;                                              /* call stacks */
};

/* Returns how a search ends because the driver has set `stop`. */
static inline enum rd_end rd_end_of_stop(const struct rd_channel *c) {
    return c->live.stop == RD_STOP_TIME ? RD_END_BUDGET : RD_END_STOPPED;
}

/* Fills in the head of a channel with these sizes, and returns the bytes that the channel needs. */
uint64_t rd_channel_layout(struct rd_channel *c, const struct rd_channel_size *size);
/* Returns the record of the execution in the channel: pointers into the arrays, for this process. */
struct rd_record rd_channel_record(struct rd_channel *c);
/* The arrays of the plan. */
struct rd_choice *rd_channel_prefix(struct rd_channel *c);
rd_tid *rd_channel_sleep(struct rd_channel *c);
struct rd_weight *rd_channel_weight(struct rd_channel *c);
struct rd_track *rd_channel_track(struct rd_channel *c);
/* The stores of findings: their steps (`store`), and the pieces that their plans tracked. */
struct rd_step *rd_channel_store(struct rd_channel *c);
struct rd_track *rd_channel_track_store(struct rd_channel *c);
struct rd_profile *rd_channel_profile(struct rd_channel *c);
struct rd_sample *rd_channel_samples(struct rd_channel *c);
struct rd_order_count *rd_channel_orders(struct rd_channel *c);
struct rd_suppressed *rd_channel_suppress(struct rd_channel *c);
struct rd_shared *rd_channel_shared(struct rd_channel *c);
/* The rules for functions without hooks, as lines (sync_rules.h); "": there are none. */
char *rd_channel_rules(struct rd_channel *c);
/* NULL if the channel was made without it. */
struct rd_logged_class *rd_channel_class_log(struct rd_channel *c);
/* pre: the channel was made with rd_channel_size.outcomes, or the array is not accessed */
struct rd_ending *rd_channel_endings(struct rd_channel *c);
char *rd_channel_texts(struct rd_channel *c);
char *rd_channel_output(struct rd_channel *c);
char *rd_channel_expected(struct rd_channel *c);
void rd_channel_set_canaries(struct rd_channel *c);
bool rd_channel_has_canaries(const struct rd_channel *c);
/*
 * Are the canaries alive, and all counts that the loop uses after an execution within their limits? The explorer,
 * or with exec isolation the driver's side process, asks after each execution, before it uses any of them.
 */
bool rd_channel_is_sound(const struct rd_channel *c);
/* Returns why this build cannot use a channel of `size` bytes; NULL: it can. */
const char *rd_channel_check(const struct rd_channel *c, uint64_t size);
/* Returns a hash of the first `count` steps of the execution in the channel. */
uint64_t rd_channel_hash_steps(struct rd_channel *c, uint32_t count);
/* Copies the state of a running search for the status line, with all indexes and texts within their limits. */
void rd_channel_progress(const struct rd_channel *c, struct rd_progress *to);
/* Clears the outcome and the declarations of the last execution, before the next one begins. */
void rd_channel_reset(struct rd_channel *c);
/* Writes the outcome of an execution whose process ended without a verdict, by its wait status. */
void rd_outcome_by_status(struct rd_channel *c, int status);

#endif
