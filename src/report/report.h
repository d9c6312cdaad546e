/*
 * report.h - the data of a report on one recorded execution, and the facts and words that all output formats
 * (format.h) derive from it.
 *
 * The execution is given as a schedule, made from a channel after a run or read from a file. A report needs no
 * other source: the process that ran may be gone. Values from a file may be wrong, so an operation's thread number
 * is checked wherever it serves as an index.
 */
#ifndef RD_REPORT_REPORT_H
#define RD_REPORT_REPORT_H

#include "symbols/symbols.h"
#include "file/schedule.h"
#include "trace/preempted.h"

#include <stdio.h>

/* How text is to look at the place where it is printed. */
struct rd_look {
    unsigned width;    /* columns of the terminal; 0: it is none, and nothing is cut or wrapped */
    unsigned rows_max; /* steps of an execution to show, about; 0: all */
    bool colour, unicode;
    bool statistics; /* print all numbers of the search also after a bug */
};

struct rd_report {
    const struct rd_schedule *schedule;
    struct rd_symbols *symbols; /* of schedule->modules */
    const char *schedule_path;  /* the file that holds the schedule; NULL: there is none */
    const char *output;         /* the last part of the program's output; NULL: the report shows no output */
    size_t output_size;         /* bytes of that part */
    size_t output_cut;          /* bytes of output before that part */
    uint64_t execution; /* number of the execution in the search that had the finding, from 1; 0: not known */
    bool warning;       /* the finding is not a certain bug: no execution has shown it */

    /* of a search with several findings (findings/bug_groups.h) */
    uint32_t number;                     /* of the finding, from 1; 0: it is the only one */
    uint32_t same_memory;                /* number of another finding about the same memory; 0: none */
    const struct rd_report *const *also; /* other findings that are the same bug */
    uint32_t also_count;
    uint64_t
        shown; /* number of executions that showed it, or of orders of events if a detector did; 0: not known */
    const rd_place
        *memory; /* of a race: other memory at which the same two accesses raced, as far as it was noted */
    uint32_t memory_count;
};

enum { RD_PHRASE = 256, RD_LOCATION = 560 };

/* The source position of a finding. Empty strings and 0: not known. */
struct rd_where {
    char file[512];  /* for the reader: as in the program's message, or relative to its directory */
    char path[1024]; /* for opening the file */
    char function[256];
    int line;
};

/* ---- words.c, memory_words.c: names of threads, places, values ---- */

/* T0 (main), T1, T2 "worker" */
void rd_words_thread(const struct rd_report *r, rd_tid tid, char *to, size_t room);
/* Puts blanks in the place of line ends: text of the program must not begin a line of the report. */
void rd_words_in_one_line(char *text);
/* The state of a thread without a pending operation: "running", or "stuck" for the thread that hangs. */
const char *rd_words_running(const struct rd_report *r, rd_tid tid);
/* The name of the data at a place, short enough for a column. */
void rd_words_data(const struct rd_report *r, rd_place place, char *to, size_t room);
/* The name of what a pointer to the place leads to: of a block of the heap, if the place is its beginning. */
void rd_words_object(const struct rd_report *r, rd_place place, char *to, size_t room);
/*
 * A value of the data at a place (0: not known) in the terms of its type: an enumerator, true or false, the name of
 * what a pointer leads to, a number.
 */
void rd_words_value(const struct rd_report *r, rd_place place, uint64_t value, uint32_t size, char *to,
                    size_t room);
/* The path relative to the program's directory, if it is in there. */
const char *rd_words_path(const struct rd_report *r, const char *path);
/*
 * "file.c:12", with the path of the file or only its name; without debug information the function, or the module.
 * "" if `f` is NULL.
 */
void rd_words_frame(const struct rd_report *r, const struct rd_frame *f, bool path, char *to, size_t room);
/* 1234567 as 1,234,567 */
const char *rd_words_number(uint64_t n, char to[32]);
/* "SIGSEGV (invalid memory access)" */
const char *rd_words_signal(int sig);
/* A kind of finding in words: "data race". */
const char *rd_words_kind(unsigned kind);

/* ---- block_words.c: blocks of the heap ---- */

/* The block that a place is in; NULL: none is known. */
const struct rd_used_block *rd_block_of(const struct rd_report *r, rd_place place);
/* The name of a block, "node#2"; of the place in it, "node#2.next". False: the place is in no block that is known.
 */
void rd_words_block_name(const struct rd_report *r, const struct rd_used_block *b, char *to, size_t room);
bool rd_words_in_block(const struct rd_report *r, rd_place place, char *to, size_t room);
/* "struct node, 16 bytes, allocated by T1 at list.c:12" */
void rd_words_block_origin(const struct rd_report *r, const struct rd_used_block *b, char *to, size_t room);
/* The type of the part of a block that begins at a place; NULL: not known. */
const struct rd_type *rd_block_part_type(const struct rd_report *r, rd_place place);

/*
 * The blocks that the finding is about: of its own block, of the operations that explain it, of objects that
 * blocked threads wait for. Returns their number, at most `max`.
 */
uint32_t rd_facts_blocks(const struct rd_report *r, const struct rd_used_block **to, uint32_t max);

/* ---- step_phrase.c: an operation in a few words ---- */

/*
 * The threads that wait at conditions, which decide which thread a signal wakes. Zero before the first step; every
 * step goes in order through rd_phrase_step or rd_phrase_skip.
 */
struct rd_waits {
    struct {
        rd_place cond;
        rd_tid tid;
        bool signalled;
    } at[RD_TID_MAX];
    uint32_t count;
};

/* A step in words: "lock m", "read counter = 0", "create T1", "signal cv -> T2". */
void rd_phrase_step(const struct rd_report *r, struct rd_waits *w, uint32_t step, char *to, size_t room);
/* The same for a single step, without the others. */
void rd_phrase_at(const struct rd_report *r, uint32_t step, char *to, size_t room);
/* Updates *w for a step that is not shown. */
void rd_phrase_skip(const struct rd_report *r, struct rd_waits *w, uint32_t step);
/* A pending operation in words: "lock m", "read counter". */
void rd_phrase_pending(const struct rd_report *r, const struct rd_op *op, char *to, size_t room);
/* An operation given by its parts. `arg`: the thread of a create or a join; RD_TID_MAX or more: not known. */
void rd_phrase_op(const struct rd_report *r, unsigned kind, rd_place place, rd_place place2, uint64_t arg, char *to,
                  size_t room);

/* ---- facts.c, named_variables.c and wait_graph.c: facts that follow from the record ---- */

/* Marks the threads that take part in the execution: their numbers may have gaps. Returns how many there are. */
uint32_t rd_facts_threads_used(const struct rd_report *r, bool used[RD_TID_MAX]);
/*
 * The source position of a step (from 0), or of a thread's pending operation: a frame of the program if possible.
 */
const struct rd_frame *rd_facts_step_frame(const struct rd_report *r, uint32_t step);
const struct rd_frame *rd_facts_pending_frame(const struct rd_report *r, rd_tid tid);
/* The position of the finding. */
void rd_facts_where(const struct rd_report *r, struct rd_where *w);
/*
 * The variables that the text of a failed assertion names: for each the last step, from 0, at it. Returns their
 * number, at most `max`.
 */
uint32_t rd_facts_named(const struct rd_report *r, uint32_t *to, uint32_t max);
/* The second position that the finding depends on: where the lock was taken, the object destroyed …; NULL: none. */
const struct rd_frame *rd_facts_other_frame(const struct rd_report *r);
/* The finding in one sentence. */
void rd_facts_message(const struct rd_report *r, char *to, size_t room);
/* The kind of the finding and that sentence: the first line of a report. */
void rd_facts_headline(const struct rd_report *r, char *to, size_t room);
/* Fills in file, line and function of a finding that came without them, as a crash does. */
void rd_facts_complete(const struct rd_report *r, struct rd_finding *f);
/*
 * The first step, from 0, of the last round of a livelock whose rounds are equal. 0: the finding is no such
 * livelock.
 */
uint32_t rd_facts_livelock_round(const struct rd_schedule *s);
/*
 * The thread that a blocked thread waits for: the owner of a lock, the thread to join. RD_TID_NONE: none is known.
 */
rd_tid rd_facts_waits_for(const struct rd_report *r, rd_tid tid);
/* Does the thread exist at the end of the execution, and is it blocked? */
bool rd_facts_blocked(const struct rd_report *r, rd_tid tid);
/* Finds a cycle of threads that wait for each other. Returns its length; 0: there is none. */
uint32_t rd_facts_cycle(const struct rd_report *r, rd_tid cycle[RD_TID_MAX]);
/*
 * Finds, if there is no cycle, the longest chain of blocked threads of which each waits for the next one, and at
 * least one for a lock or a unit of a semaphore. Returns its length; 0: there is none.
 */
uint32_t rd_facts_chain(const struct rd_report *r, rd_tid chain[RD_TID_MAX]);
/*
 * The places that matter to the finding: of a deadlock the objects that blocked threads wait for, otherwise the
 * data that several threads access.
 */
uint32_t rd_facts_variables(const struct rd_report *r, rd_place *to, uint32_t max);
/* The thread's stack at the end, innermost first, without frames of the runtime. Returns the number of frames. */
uint32_t rd_facts_stack(const struct rd_report *r, rd_tid tid, struct rd_frame *to, uint32_t max);

/* ---- text/replay_command.c ---- */

/*
 * The variables of the environment that the replay of a schedule needs, as shell words to type before the command.
 * "" if none is set.
 */
enum { RD_REPLAY_SETTINGS = 1024 };
const char *rd_replay_settings(char *to, size_t room);
/*
 * A text as one word for sh: as it is if it has only harmless characters, else in single quotes, or, if a terminal
 * cannot show it, as a use of printf. Returns `to`.
 */
const char *rd_shell_word(const char *text, char *to, size_t room);
/* The words up to the NULL, each for sh, with spaces between them. The caller frees the text. */
char *rd_shell_line(const char *const *words);
/*
 * The command "raddle COMMAND OPTIONS FILE" as it can be pasted into the shell from which Raddle was started; "" if
 * the report has no file. `command` is the subcommand with its options.
 */
enum { RD_COMMAND = 6144 };
const char *rd_words_command(const struct rd_report *r, const char *command, char to[RD_COMMAND]);
/* The name by which Raddle was called, for rd_words_command: argv[0]. NULL means "raddle". */
extern const char *rd_called_as;

/* ---- finding_identity.c ---- */

/*
 * The identity of the finding, 12 hexadecimal digits: equal for the same bug in other executions and builds. It
 * needs the stacks of a replay with details, and the source files, to be as good as it can be.
 */
enum { RD_IDENTITY = 12 + 1 };
void rd_facts_identity(const struct rd_report *r, char to[RD_IDENTITY]);

/* ---- race_facts.c ---- */

/*
 * The two steps (from 0) that race, the earlier one first. False: the finding is no race, or the file lacks them.
 */
bool rd_race_steps(const struct rd_report *r, uint32_t *first, uint32_t *second);
/* What the step does to the data of the race: "reads", "writes", "frees", "uses". */
const char *rd_race_verb(const struct rd_report *r, uint32_t step);
/* A function that is called, with its library: "PR_Lock of libnspr4.so". */
void rd_words_callee(const struct rd_report *r, rd_place function, char *to, size_t room);
/* The race in one sentence: rd_facts_message of a race. */
void rd_race_message(const struct rd_report *r, char *to, size_t room);
/*
 * The two calls of unseen code, as steps from 0 and as names, that may order an unreliable race: one by the thread
 * of the earlier access, after it, and one by the thread of the later access, before it. False: there are no such
 * calls.
 */
bool rd_race_unseen(const struct rd_report *r, uint32_t step[2], char name[2][RD_PHRASE]);
/* The functions with inline assembly that may order the accesses of an unreliable race. Returns their number. */
uint32_t rd_race_inline(const struct rd_report *r, char *const **names);

/* ---- heap_facts.c ---- */

/*
 * The position at which the finding's block was allocated or freed. NULL: it was not, or the finding has no block.
 */
const struct rd_frame *rd_facts_block(const struct rd_report *r, bool freed);
/* "freed by T2 in drop at list.c:12", or "". */
void rd_words_block(const struct rd_report *r, bool freed, char *to, size_t room);

/* ---- why_facts.c ---- */

/* One of the operations whose order decides whether the execution fails. */
struct rd_why_step {
    rd_tid tid;
    uint32_t step; /* from 1; 0: the execution ended before the operation */
    const struct rd_frame *frame;
    char phrase[RD_PHRASE];
};

/*
 * The deciding operations in the order of this execution. Returns their number; 0: they are not known. In an
 * execution that passed, the last two came in the other order.
 */
uint32_t rd_why_order(const struct rd_report *r, struct rd_why_step to[3]);
/* The step from which on every execution fails, and how far that is established, in words. "": not known. */
void rd_why_decided(const struct rd_report *r, char *to, size_t room);
/* Has minimising made the schedule another one than the search had found? */
bool rd_why_simpler(const struct rd_schedule *s);
/* The most variables of preemptions that a report names. */
enum { RD_REPORT_PREEMPTED = 64 };

/* The different variables of the schedule's preemptions, in the order of steps. Returns their number, at most
 * `max`. */
uint32_t rd_why_preempted(const struct rd_report *r, struct rd_preempted_at *to, uint32_t max);
/* The name of one of them: that of the data or object, or "T2". */
void rd_why_preempted_name(const struct rd_report *r, const struct rd_preempted_at *at, char *to, size_t room);
/* The threads whose order the finding needs (struct rd_why). Returns their number; 0: not known, or none. */
uint32_t rd_why_ordered(const struct rd_schedule *s, rd_tid to[64]);
/* The variables of the preemptions and the ordered threads of this schedule, in words. "": not known. */
void rd_why_size(const struct rd_report *r, char *to, size_t room);
/* How many preemptions the finding needs, in words. "": not known. */
void rd_why_preemptions(const struct rd_report *r, char *to, size_t room);

/* ---- source_lines.c ---- */

/*
 * Notes in the schedule the hashes of the source files that its report can show. pre: the schedule has no sources;
 * rd_schedule_free_sources frees them.
 */
void rd_sources_note(struct rd_schedule *s, struct rd_symbols *symbols);
/* May the report show lines of this file? RD_SOURCE_UNREAD: the schedule does not have its hash. */
enum rd_source_state rd_source_state(const struct rd_report *r, const char *path);
/*
 * Calls `each` for line `line` of a source file, `before` lines before and `after` lines after it. False: there is
 * no such line, or the report may not show the file.
 */
bool rd_source_around(const struct rd_report *r, const char *path, int line, int before, int after,
                      void (*each)(void *ctx, int number, const char *text), void *ctx);

#endif
