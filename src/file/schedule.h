/*
 * schedule.h - the schedule file: one recorded execution as text, with all that is needed to run it again and to
 * show it. docs/schedule-format.md is the format's definition; bump RD_SCHEDULE_VERSION with it.
 *
 * Nothing in it varies between identical executions (no time, no process, no raw address), so recording a replay
 * gives the same bytes again.
 */
#ifndef RD_FILE_SCHEDULE_H
#define RD_FILE_SCHEDULE_H

#include "base/error.h"
#include "channel/channel.h"

enum { RD_SCHEDULE_VERSION = 2, RD_PLACE_TEXT = 40 };

/* rd_finding.fault_addr when the address is one that another process would not have. */
#define RD_FAULT_UNKNOWN UINT64_MAX

/*
 * Everything that the file holds. The writer only borrows what the pointers name; the reader allocates, and only
 * what the reader filled in may be given to rd_schedule_free.
 */
/* Was the heap checked? Frees are operations then. KNOWN: errors of it that were known did not end the execution.
 */
enum rd_heap_mode { RD_HEAP_OFF, RD_HEAP_ON, RD_HEAP_KNOWN };

struct rd_schedule {
    char *program, *cwd;
    char **args; /* all of them, the program's own name first */
    uint32_t arg_count;
    uint8_t build_id[20], build_id_size; /* of the program; size 0: it has none */
    char *rules;                         /* for foreign functions, as lines (sync_rules.h); NULL is as "" */

    uint32_t points; /* enum rd_points */
    uint64_t seed;
    int32_t expect_status;
    uint32_t spurious, timeouts, signal_fifo, steps_max, fair_after, yields; /* as in struct rd_config */
    uint32_t heap;                                                           /* enum rd_heap_mode */
    uint32_t separate; /* the standard error was another file than the standard output */

    /*
     * Indexed by number. The writer leaves out modules that no place refers to; the reader leaves those empty.
     * Path and build-id are stored, base and bounds are not: offsets in places are enough.
     */
    struct rd_module *modules;
    uint32_t module_count;

    uint32_t shared_count;
    struct rd_shared *shared; /* RD_POINTS_SHARED: memory at which accesses were points; by place, ascending */
    uint64_t patience;        /* … as in struct rd_sharing_use */

    uint32_t access_points; /* enum rd_access_points */
    uint32_t track_count;
    struct rd_track *track;

    struct rd_annotation
        *annotations; /* what the program calls its variables; those of other kinds are not stored */
    uint32_t annotation_count;

    struct rd_finding finding; /* kind RD_NO_FINDING: the execution showed none */
    struct rd_why why;         /* without how many executions it took, and what is in steps */

    /*
     * Indexed by thread; [0] is main. Parent and ordinal are what rd_thread_path needs. A state other than
     * RD_T_UNUSED says where the thread was at the end, with its pending operation (without raw addresses).
     */
    struct rd_thread_info *threads;
    uint32_t thread_count;

    struct rd_step *steps; /* `cand` and `pad` are not stored */
    uint32_t step_count;

    /* Stacks by step and by thread, as in struct rd_record; NULL: none. What is below a thread's first function is
       not stored. */
    rd_place (*step_stacks)[RD_STEP_STACK];
    rd_place (*stacks)[RD_STACK_MAX];
};

/*
 * Writes a file beside `path` and renames it, so that `path` is never half a schedule. Returns 0, or -1 with a
 * message in `error`.
 */
int rd_schedule_write(const struct rd_schedule *s, const char *path, struct rd_error *error);

/*
 * Reads a file that anyone may have written. Returns 0, or -1 with nothing to free and one line in `error` that
 * names the file, and the line in it when one is at fault.
 */
int rd_schedule_read(struct rd_schedule *s, const char *path, struct rd_error *error);
void rd_schedule_free(struct rd_schedule *s);

/* The lines about struct rd_why, as they are in the file. */
enum { RD_WHY_TEXT = 384 };
const char *rd_schedule_why(const struct rd_why *w, char to[RD_WHY_TEXT]);

/* The line of a step in the file; the writer has the names of its places and the number of its stack. */
enum { RD_STEP_LINE = 384 };
struct rd_step_names {
    char place[RD_PLACE_TEXT], pc[RD_PLACE_TEXT], value[RD_PLACE_TEXT]; /* value: of one that is a place */
    uint32_t stack;
};
void rd_schedule_step_line(char to[RD_STEP_LINE], const struct rd_step *s, uint32_t at,
                           const struct rd_step_names *names);

/* The names of enum rd_access_points in the file. */
extern const char *const rd_schedule_watches[RD_ACCESSES_COUNT];

/* How many of its steps are preemptions. */
uint32_t rd_schedule_preemptions(const struct rd_schedule *s);

/* A place as it is written in files: m0+0x1234, heap2+0x40, stack1-0x80, other3, or - for none. */
void rd_place_text(rd_place place, char to[RD_PLACE_TEXT]);
/* The other way round; false: it is not the name of a place. */
bool rd_place_parse(const char *text, rd_place *place);

/* Where the start-up code of a program is, as an offset in its file; 0: not known. */
uint64_t rd_schedule_entry(const char *program);

/* FNV-1a, 64 bits: the checksum of the file. Start with RD_CHECKSUM_START. */
#define RD_CHECKSUM_START 0xcbf29ce484222325u
uint64_t rd_schedule_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
