/*
 * claim_text.c - the claim of a search, its conditions, and the reasons that void it. A search knows only which
 * executions it has covered. Whether that proves a property of the program depends on the events in these
 * executions: a claim would be wrong if an execution was not under control, and misleading without its conditions.
 * This file combines the two, once for all output formats.
 */
#include "report/run_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 4))) static void add(char (*list)[RD_REASON], uint32_t *count, const char *format,
                                                      ...) {
    if (*count == RD_REASONS)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(list[(*count)++], RD_REASON, format, args);
    va_end(args);
}

#define CONDITION(run, ...) add((run)->conditions, &(run)->condition_count, __VA_ARGS__)
#define VOID(run, ...) add((run)->voids, &(run)->void_count, __VA_ARGS__)

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* The conditions about the operations that were points. */
static void points(struct rd_run *run, const struct rd_run_result *result) {
    static const char race_free[] = "data that threads share is not accessed without synchronisation (not checked)";
    if (run->blind.everything) {
        CONDITION(run, "points: synchronisation calls only, the program is not instrumented");
        CONDITION(run, race_free);
    } else if (!rd_config_sees_accesses(&result->config)) {
        CONDITION(run, "points: synchronisation and atomics");
        CONDITION(run, race_free);
    } else if (result->summary.played & RD_PLAYED_TRACK || result->plan.access_points != RD_ACCESSES_ALL) {
        CONDITION(run, "points: synchronisation, atomics and accesses to the variables that an execution is about");
    } else if (rd_config_checks_accesses(&result->config) && result->sharing.version) {
        CONDITION(run,
                  "points: synchronisation, atomics%s; no other instrumented access raced in any execution "
                  "(checked), so switches at these points are enough (Musuvathi and Qadeer, PLDI 2007, section 4)",
                  run->raced[0] ? ", and accesses to memory where some race or a loop waits" : "");
    } else {
        CONDITION(run, "points: synchronisation, atomics and every instrumented access%s",
                  result->sharing.version ? " to memory that threads share" : "");
    }
    if (run->compilers && run->compilers[0])
        CONDITION(run, "accesses that the compiler removed, merged or gave no hook are no points");
}

/* Adds an assumption that was not checked: the claim holds only if it is true. */
static void assume(struct rd_run *run, const char *what) {
    size_t used = strlen(run->assumes);
    snprintf(run->assumes + used, sizeof run->assumes - used, "%s%s", used ? ", and " : "", what);
    CONDITION(run, "%s (not checked)", what);
}

/* Is there a predicted deadlock that no execution has shown? */
static bool is_deadlock_open(const struct rd_run_result *result) {
    for (uint32_t i = 0; i < result->summary.found_count; i++)
        if (result->found[i].finding.kind == RD_PREDICTED_DEADLOCK &&
            !rd_found_is_superseded(&result->found[i], result))
            return true;
    return false;
}

static void conditions(struct rd_run *run, const struct rd_run_result *result) {
    const struct rd_summary *s = &result->summary;
    if (s->dropped)
        CONDITION(run, "every assumption of the program's holds (raddle_assume)");
    if (s->threads_max <= 1) {
        CONDITION(run, "input fixed");
        return;
    }
    CONDITION(run, "sequential consistency");
    points(run, result);
    CONDITION(run, "input fixed");
    if (s->selective)
        CONDITION(
            run,
            "of the accesses to tracked variables those by code that is known to touch them (checked in %llu of "
            "%llu executions)",
            (unsigned long long)s->selective_checked, (unsigned long long)s->selective);
    if (s->fairness)
        CONDITION(run, "loops of yields bounded by fairness");
    if (s->played & RD_PLAYED_TIMED)
        CONDITION(run, "timed waits give up early at most %u time%s a thread", result->config.timeouts,
                  plural(result->config.timeouts));
    if (s->played & RD_PLAYED_WAITS && result->config.spurious)
        CONDITION(run, "condition waits wake without a signal at most %u time%s an execution",
                  result->config.spurious, plural(result->config.spurious));
    else if (s->played & RD_PLAYED_WAITS)
        CONDITION(run, "no condition wait wakes without a signal");
    if (s->played & RD_PLAYED_WAITS && result->config.signal_fifo)
        CONDITION(run, "a signal wakes the first waiter");
    if (s->atomic)
        CONDITION(run, "no thread is switched away between raddle_atomic_begin and _end unless it blocks");
    if (s->played & RD_PLAYED_CLOCK)
        CONDITION(run, "clocks show virtual time, not every time that could be");
    if (s->claim.given_up && !s->claim.incomplete)
        CONDITION(
            run, "executions beyond that bound were given up when the memory of the search (--memory) was used up");
    if (s->claim.deadlocks && is_deadlock_open(result))
        assume(run, "no predicted deadlock can happen");
    if (s->claim.assumes[0])
        assume(run, s->claim.assumes);
    if (s->played & RD_PLAYED_CLOCK && s->claim.reduced)
        assume(run, "what the program does is the same whatever time it is");
    if (s->played & RD_PLAYED_FILES && s->claim.reduced)
        assume(run, "which number a new descriptor gets does not matter");
}

/* Lists the actions of the program that Raddle did not control, as predicates: "the program …". */
static void list_uncontrolled(struct rd_run *run, const struct rd_summary *s) {
    const struct {
        bool happened;
        const char *what;
    } list[] = {
        {s->waited_outside, "waited for input from outside the program"},
        {s->children, "started another process"},
        {s->unseen & RD_UNSEEN_THREAD, "runs a thread that was not made by pthread_create or thrd_create"},
        {s->unseen & RD_UNSEEN_FUTEX, "waited at a futex by a system call that raddle does not see"},
        {s->unseen & RD_UNSEEN_CALL, "was blocked in a system call that raddle does not control"},
        {s->unseen & RD_UNSEEN_SPIN,
         "ran on without an operation that raddle sees: a spin that nothing visible ends"},
        {s->unseen & RD_UNSEEN_LIST, "has code that was loaded with dlmopen() and a libc of its own"},
        {s->unseen & RD_UNSEEN_EXEC, "was replaced by another one (exec)"},
        {s->unseen & RD_UNSEEN_END, "ended by a system call of its own, which others could have come before"},
        {s->unseen & RD_UNSEEN_ALIAS, "has memory with a second name that is not seen: a file that is mapped and "
                                      "read or written, too, very many "
                                      "mappings, or one that mremap() doubles"},
        {s->unseen & RD_UNSEEN_OUTPUT,
         "closed its standard output or error: what is printed to the file that takes its place is not seen"},
        {s->unseen & RD_UNSEEN_TIMER, "has a timer that sends a signal, which was not tried at every moment"},
        {s->unseen & RD_UNSEEN_DEATH, "was killed at once: what its threads were about to do is not known"},
        {s->unseen & RD_UNSEEN_FAILURE,
         "failed inside a library, or without room on its stack: other threads could not go on first"},
    };
    static_assert(RD_COUNT(list) <= RD_COUNT(run->uncontrolled), "room for all of them");
    for (size_t i = 0; i < RD_COUNT(list); i++)
        if (list[i].happened)
            run->uncontrolled[run->uncontrolled_count++] = list[i].what;
}

static void uncontrolled(struct rd_run *run, const struct rd_summary *s) {
    unsigned long long outside = s->waited_outside, children = s->children;
    list_uncontrolled(run, s);
    if (outside)
        VOID(run, "%llu execution%s depend%s on when something came from outside the program", outside,
             plural(outside), outside == 1 ? "s" : "");
    if (children)
        VOID(run, "%llu execution%s started another process, which is not controlled", children, plural(children));
    if (s->unseen)
        VOID(run, "the program did what raddle does not control");
}

static void voids(struct rd_run *run, const struct rd_run_result *result) {
    const struct rd_summary *s = &result->summary;
    unsigned long long tails = s->fair_tails, hangs = s->hangs, limited = s->limited;
    uncontrolled(run, s);
    if (s->dropped && s->dropped == s->executions)
        VOID(run, "there was no execution in which every assumption holds");
    if (s->end == RD_END_TROUBLE)
        VOID(run, s->trouble == RD_DIVERGED ? "the program is not deterministic"
                                            : "the program did what cannot be controlled");
    if (s->suppressed_ends)
        VOID(run, "%llu execution%s ended with a suppressed finding, and what would have come after it was not run",
             (unsigned long long)s->suppressed_ends, plural(s->suppressed_ends));
    if (tails)
        VOID(run,
             "in %llu execution%s nothing new happened for long, or half of --max-steps was reached, and from "
             "there on %s "
             "run fairly, not explored",
             tails, plural(tails), tails == 1 ? "it was" : "they were");
    if (limited)
        VOID(run,
             "%llu execution%s reached the limit of %u steps (--max-steps) before the end, and what comes after it "
             "was "
             "not explored",
             limited, plural(limited), result->config.steps_max);
    if (hangs)
        VOID(run, "%llu execution%s did not end: what comes after the limit of steps or time was not explored",
             hangs, plural(hangs));
    if (s->sites_unrepaired)
        VOID(run,
             "code touched a tracked variable while it was switched off: the executions before did not have those "
             "points");
    if (s->unwatched)
        VOID(run,
             "%llu execution%s could not be watched: with code switched off a loop that waits did not end, or what "
             "happened could not be repeated",
             (unsigned long long)s->unwatched, plural(s->unwatched));
    if (run->focused && !s->focused)
        VOID(run, "no operation was ever %s%s", run->focus,
             run->blind.everything ? ": the program is not instrumented (see 'raddle cc')" : "");
    if (s->claim.incomplete)
        VOID(run, "the memory of the search (--memory) was used up, and part of it was given up");
    if (s->claim.voids[0])
        VOID(run, "%s", s->claim.voids);
}

/* Makes the sentence of the guarantee from its beginning and a list. */
static void join(struct rd_run *run, const char *first, char (*list)[RD_REASON], uint32_t count, const char *open,
                 const char *close) {
    size_t used = 0, room = sizeof run->sentence;
    int n = snprintf(run->sentence, room, "%s%s", first, count ? open : "");
    for (uint32_t i = 0; i < count && n >= 0; i++) {
        used = RD_MIN(used + (size_t)n, room - 1);
        n = snprintf(run->sentence + used, room - used, "%s%s", i ? "; " : "", list[i]);
    }
    used = RD_MIN(used + (size_t)RD_MAX(n, 0), room - 1);
    snprintf(run->sentence + used, room - used, "%s", count ? close : "");
    run->guarantee = run->sentence;
}

/* Adds the code that was not seen to the sentence: the claim is not about this code. */
static void add_unseen(struct rd_run *run) {
    char words[RD_UNSEEN_CODE_WORDS];
    size_t used = strlen(run->sentence);
    if (rd_unseen_code_none(&run->blind))
        return;
    rd_unseen_code_words(&run->blind, words, sizeof words);
    snprintf(run->sentence + used, sizeof run->sentence - used, "; not seen: %s", words);
}

void rd_void_claim(struct rd_run *run, const char *why) {
    VOID(run, "%s", why);
    run->finished = run->all = run->complete = false;
    join(run, "nothing is proved", run->voids, run->void_count, ": ", "");
}

/* Words the claim. With --focus it is about some schedules only. */
static void word_proved(struct rd_run *run, const struct rd_claim *k) {
    run->focused = run->focus && run->focus[0] && run->summary->threads_max > 1;
    snprintf(run->proved, sizeof run->proved, "%s%s%s%s",
             run->focused ? "of the schedules with preemptions only " : "", run->focused ? run->focus : "",
             run->focused ? ": " : "", k->proved);
}

void rd_weigh_claim(struct rd_run *run, const struct rd_run_result *result, bool exhaustive,
                    const char *otherwise) {
    const struct rd_summary *s = &result->summary;
    const struct rd_claim *k = &s->claim;
    run->summary = s;
    run->samples = !exhaustive;
    word_proved(run, k);
    conditions(run, result);
    voids(run, result);
    bool finished = s->end == RD_END_COMPLETE && (exhaustive || k->complete);
    run->finished = finished && k->proved[0] && run->void_count == 0;
    run->all = run->finished && k->complete && !run->focused;
    run->complete = run->finished && rd_unseen_code_none(&run->blind) && !run->assumes[0];
    if (run->void_count) {
        join(run, "nothing is proved", run->voids, run->void_count, ": ", "");
    } else if (k->proved[0]) {
        join(run, run->proved, run->conditions, run->condition_count, " (", ")");
        add_unseen(run);
    } else
        run->guarantee = exhaustive ? "nothing is proved: the search was not finished" : otherwise;
}
