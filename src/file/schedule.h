/*
 * schedule.h - the schedule file: one recorded execution as text, with all that a replay and a report need.
 * docs/schedule-format.md defines the format; a change of the format increments RD_SCHEDULE_VERSION.
 *
 * The bytes of the file follow from the execution alone (no time, no process number, no raw address), so a recorded
 * replay gives the same bytes again.
 */
#ifndef RD_FILE_SCHEDULE_H
#define RD_FILE_SCHEDULE_H

#include "base/error.h"
#include "base/sha256.h"
#include "trace/config.h"
#include "trace/module.h"
#include "trace/sharing.h"

enum { RD_SCHEDULE_VERSION = 3, RD_SCHEDULE_OLDEST = 2 };
enum { RD_PLACE_TEXT = 40 }; /* room for a place as text */

/* rd_finding.fault_addr if the address differs between processes, so that the file does not have it. */
#define RD_FAULT_UNKNOWN UINT64_MAX

/*
 * How the detector `heap` ran: not at all (a free was no operation), as usual, or with suppressed findings, which
 * did not end the execution.
 */
enum rd_heap_mode { RD_HEAP_OFF, RD_HEAP_ON, RD_HEAP_KNOWN };

/*
 * A source file that the report may show, as it was when the schedule was stored. Its contents are read when a
 * report first asks for a line, and only if they have this hash (report/source_lines.c).
 */
enum rd_source_state { RD_SOURCE_UNREAD, RD_SOURCE_GOOD, RD_SOURCE_CHANGED, RD_SOURCE_MISSING };
struct rd_source {
    char *path;
    uint8_t hash[RD_SHA256_SIZE];
    enum rd_source_state state;
    char *text; /* RD_SOURCE_GOOD: its contents, with a zero at the end */
    size_t size;
};
enum { RD_SOURCES_MAX = 512 };

/*
 * The contents of a schedule file. The writer reads the memory behind the pointers and keeps none of it; the reader
 * allocates it with malloc. rd_schedule_free is for schedules that the reader has filled in.
 */
struct rd_schedule {
    char *program, *cwd;
    char **args; /* of the program, from argv[0] on */
    uint32_t arg_count;
    uint8_t build_id[20], build_id_size; /* of the program; size 0: it has none */
    bool authentic; /* the file was written by this user's Raddle: it is signed with the user's key */
    char *rules;    /* rules for functions without hooks, as lines (foreign/sync_rules.h); or NULL */

    uint32_t points; /* enum rd_points */
    uint64_t seed;
    int32_t expect_status;
    uint32_t spurious, timeouts, signal_fifo, steps_max, fair_after, yields; /* as in struct rd_config */
    uint32_t heap;                                                           /* enum rd_heap_mode */
    uint32_t separate; /* 1: the program had another file for its standard error than for its standard output */

    /*
     * By number. Modules that no place of the file refers to are not stored; the reader leaves them empty. Only
     * path and build-id are stored: places are offsets in a module, so its addresses are not needed.
     */
    struct rd_module *modules;
    uint32_t module_count;

    uint32_t source_count;
    struct rd_source *sources; /* report/source_lines.c fills them in */

    uint32_t shared_count;
    struct rd_shared *shared; /* rd_schedule_lists_points(): the memory where accesses were points; ascending */
    uint64_t patience;        /* the same: as in struct rd_sharing_use */

    uint32_t access_points; /* enum rd_access_points */
    uint32_t track_count;
    struct rd_track *track;

    struct rd_annotation *annotations; /* names that the program has given to memory; other kinds are not stored */
    uint32_t annotation_count;

    struct rd_finding finding; /* kind RD_NO_FINDING: the execution showed none */
    struct rd_why why;         /* its counts of executions, and fields that the steps tell, are not stored */

    /*
     * By thread; [0] is main. Parent and ordinal are the thread's path (rd_thread_path). In a state other than
     * RD_T_UNUSED the thread existed at the end, and its pending operation is stored, without raw addresses.
     */
    struct rd_thread_info *threads;
    uint32_t thread_count;

    struct rd_step *steps; /* `cand` and `pad` are not stored */
    uint32_t step_count;

    /* Stacks by step and by thread, as in struct rd_record; NULL: none. Frames below the thread's first function
       are not stored. */
    rd_place (*step_stacks)[RD_STEP_STACK];
    rd_place (*stacks)[RD_STACK_MAX];
    struct rd_stack_part
        *parts; /* of stacks that operations used, as in struct rd_record: names of local variables */
    struct rd_used_block *blocks; /* as in struct rd_record: names of memory of the heap */
    uint32_t part_count, block_count;
};

/* Does the schedule list the memory where accesses were points? */
static inline bool rd_schedule_lists_points(const struct rd_schedule *s) {
    return s->points == RD_POINTS_SHARED || s->points == RD_POINTS_RACED;
}

/*
 * Signs the file if the user has a key (state_key.h), and writes it beside `path` and renames it, so that `path` is
 * never half a schedule. Returns 0, or -1 with a message in `error`.
 */
int rd_schedule_write(const struct rd_schedule *s, const char *path, struct rd_error *error);

/*
 * Reads a file that anyone may have written. Returns 0, or -1 with nothing to free and one line in `error` that
 * names the file, and the line in it when one is at fault.
 */
int rd_schedule_read(struct rd_schedule *s, const char *path, struct rd_error *error);
void rd_schedule_free(struct rd_schedule *s);
void rd_schedule_free_sources(struct rd_schedule *s);

/* The lines of the file about struct rd_why; returns `to`. */
enum { RD_WHY_TEXT = 384 };
const char *rd_schedule_why(const struct rd_why *w, char to[RD_WHY_TEXT]);

/* The line of the file for step number `at`, with the names of its places and the number of its stack in the file.
 */
enum { RD_STEP_LINE = 384 };
struct rd_step_names {
    char place[RD_PLACE_TEXT], pc[RD_PLACE_TEXT];
    char value[RD_PLACE_TEXT]; /* with RD_STEP_VALUE2: the value of the step is a place */
    uint32_t stack;
};
void rd_schedule_step_line(char to[RD_STEP_LINE], const struct rd_step *s, uint32_t at,
                           const struct rd_step_names *names);

/* The names of enum rd_access_points in the file. */
extern const char *const rd_schedule_watches[RD_ACCESSES_COUNT];

/* The number of steps that are preemptions. */
uint32_t rd_schedule_preemptions(const struct rd_schedule *s);

/* Writes a place as text: m0+0x1234, heap2+0x40, stack1-0x80, io1+0x2, other3, or - for none. */
void rd_place_text(rd_place place, char to[RD_PLACE_TEXT]);
/* Reads such a text; false: it is not the text of a place. */
bool rd_place_parse(const char *text, rd_place *place);

/* The entry point (_start) of a program, as an offset in its file; 0: the file cannot be read. */
uint64_t rd_schedule_entry(const char *program);

/* FNV-1a, 64 bits: the checksum of the file. Start with RD_CHECKSUM_START. */
#define RD_CHECKSUM_START 0xcbf29ce484222325u
uint64_t rd_schedule_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
