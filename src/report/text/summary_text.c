/*
 * summary_text.c - the end of a run in one paragraph: the counts, the warnings, the code that was not seen, and the
 * claim of the search.
 */
#include "report/text/given_options.h"
#include "report/text/report_text.h"

#include <inttypes.h>
#include <string.h>

/* Why the search ran no more executions. */
static const char *ending(const struct rd_run *run) {
    switch (run->summary->end) {
    case RD_END_BUDGET:
        return "stopped at the limit of executions or time";
    case RD_END_FOUND:
        return "stopped because a bug was found (-k goes on)";
    case RD_END_STOPPED:
        return "stopped by a signal";
    case RD_END_MEMORY:
        return "stopped at the limit of memory";
    case RD_END_COMPLETE:
        if (run->uncontrolled_count)
            return "nothing is left to run, but not everything was under control";
        return "nothing is left to run, but not everything was explored";
    default:
        return "not complete";
    }
}

/*
 * The number of executions by their preemptions, on one line; the last entry of the table counts all larger
 * numbers.
 */
static void print_preemptions(FILE *out, const struct rd_summary *s) {
    enum { SHOWN = 8 };
    char number[32];
    uint32_t last = RD_PREEMPTION_COUNTS - 1u, top = RD_MIN(s->preemptions_max, last), first = 0;
    while (first < top && s->preemptions[first] == 0)
        first++;
    bool fits = top <= first + SHOWN && s->preemptions_max <= last;
    uint32_t end = fits ? top + 1 : RD_MIN(first + SHOWN, top);
    uint64_t rest = 0;
    fputs("executions by preemptions:", out);
    for (uint32_t i = first; i < end; i++)
        fprintf(out, "%s %u: %s", i > first ? "," : "", i, rd_words_number(s->preemptions[i], number));
    for (uint32_t i = end; i <= top; i++)
        rest += s->preemptions[i];
    if (rest)
        fprintf(out, "%s %u to %u: %s", end > first ? "," : "", end, s->preemptions_max,
                rd_words_number(rest, number));
    fputc('\n', out);
}

/* The estimates of a sampler: the number of all classes, and the probability of a new one. */
static void print_estimate(FILE *out, const struct rd_claim *c, uint64_t seen) {
    char number[32];
    double orders =
        RD_MIN(RD_MAX(c->classes, (double)seen), 9e18); /* other parts of the search may have seen more classes */
    fprintf(out, "estimated: %s order%s of events in all, or more; ",
            rd_words_number((uint64_t)(orders + 0.5), number), orders < 1.5 ? "" : "s");
    if (c->fresh > 0)
        fprintf(out, "the next execution shows a new one with a probability of about %.2g\n", c->fresh);
    else
        fputs("none was seen only once\n", out);
}

/*
 * The claim of a finished search. The word "complete" without a restriction means that no code was unseen and no
 * assumption was made. A program of which no code has hooks is "covered".
 */
static void print_finished(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    bool all_seen = rd_unseen_code_none(&run->blind) || run->blind.everything;
    fprintf(out, "%s%s%s%s%s%s%s: %s\n", rd_paint(look, run->complete ? RD_GREEN : RD_YELLOW),
            run->blind.everything ? "covered" : "complete", rd_paint(look, RD_UNPAINTED),
            run->all ? "" : " within the bound", all_seen ? "" : " for the operations that raddle sees",
            run->assumes[0] ? " if " : "", run->assumes, run->guarantee);
}

/* The unseen code, unless the claim names it. */
static void print_unseen(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    char words[RD_UNSEEN_CODE_WORDS];
    if (run->blind.everything) {
        fprintf(out,
                "%sMEMORY ACCESSES WERE NOT CHECKED%s: no part of the program is instrumented; rebuild it with "
                "'raddle cc' or 'raddle c++'\n",
                rd_paint(look, RD_RED), rd_paint(look, RD_UNPAINTED));
        return;
    }
    bool said = run->guarantee == run->sentence && run->void_count == 0;
    if (rd_unseen_code_none(&run->blind) || said)
        return;
    rd_unseen_code_words(&run->blind, words, sizeof words);
    fprintf(out, "%snot seen%s: %s\n", rd_paint(look, RD_YELLOW), rd_paint(look, RD_UNPAINTED), words);
}

static void print_voids(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    for (uint32_t i = 0; i < run->void_count; i++)
        fprintf(out, "%snothing is proved%s: %s\n", rd_paint(look, RD_YELLOW), rd_paint(look, RD_UNPAINTED),
                run->voids[i]);
}

static void print_claim(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    const struct rd_claim *c = &run->summary->claim;
    char number[32];
    if (run->finished) {
        print_finished(out, run, look);
        return;
    }
    if (run->samples && run->summary->end == RD_END_BUDGET) /* a sampler is never complete */
        fprintf(out, "sampled: stopped after %s execution%s\n", rd_words_number(run->summary->executions, number),
                run->summary->executions == 1 ? "" : "s");
    else
        fprintf(out, "%s: %s\n", run->samples ? "sampled" : "not complete", ending(run));
    bool much = c->done >= 5e-7; /* a percentage with four digits would not be zero */
    if (run->void_count == 0 && much && c->done < 1 && c->estimate > 0)
        fprintf(out, "%s %.*f %% is done, of some %s executions%s\n", c->or_more ? "at most" : "about",
                c->done < 0.1 ? 4 : 0, c->done * 100, rd_words_number((uint64_t)RD_MIN(c->estimate, 9e18), number),
                c->or_more ? " or many more" : "");
    bool bounded = c->preemptions >= 0 || c->delays >= 0 || c->depth >= 0;
    bool says = run->void_count == 0 &&
                !(c->likely && run->findings); /* it is not likely that no execution fails: one has */
    if (says && c->proved[0])
        fprintf(out, "%s%s%s: %s\n", rd_paint(look, RD_GREEN),
                c->likely ? "likely"
                : bounded ? "bounded"
                          : "proved so far",
                rd_paint(look, RD_UNPAINTED), run->guarantee);
    else if (says && run->guarantee)
        fprintf(out, "%s\n", run->guarantee);
    if (run->void_count == 0 && c->chance[0] && !run->findings)
        fprintf(out, "%slikely%s: %s\n", rd_paint(look, RD_GREEN), rd_paint(look, RD_UNPAINTED), c->chance);
    if (run->void_count == 0 && c->classes > 0)
        print_estimate(out, c, run->summary->classes);
    print_voids(out, run, look);
    if (run->next[0] && !run->findings)
        fprintf(out, "next: %s\n", run->next);
}

static void print_opaque(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    enum { SHOWN = 3 };
    char number[32];
    if (!run->opaque_count)
        return;
    fprintf(out, "%scalls that depend on everything%s, because raddle does not know what they touch: ",
            rd_paint(look, RD_YELLOW), rd_paint(look, RD_UNPAINTED));
    for (uint32_t i = 0; i < RD_MIN(run->opaque_count, (uint32_t)SHOWN); i++)
        fprintf(out, "%s%s (%s) %s time%s", i ? ", " : "", run->opaque[i].function, run->opaque[i].library,
                rd_words_number(run->opaque[i].calls, number), run->opaque[i].calls == 1 ? "" : "s");
    if (run->opaque_count > SHOWN)
        fprintf(out, " and %u more functions", run->opaque_count - SHOWN);
    fprintf(out,
            "\n  fewer executions would do if that library were built with 'raddle cc', or a rule said what they "
            "touch (docs/rules.md)\n");
}

/* The code that was switched off because it does not touch a tracked variable. */
static void print_selective(FILE *out, const struct rd_summary *s, const struct rd_look *look) {
    char executions[32], checked[32];
    if (!s->selective)
        return;
    fprintf(out, "selective: in %s execution%s up to %u place%s in the code %s off, %s %s run again with all on\n",
            rd_words_number(s->selective, executions), s->selective == 1 ? "" : "s", s->sites_off,
            s->sites_off == 1 ? "" : "s", s->sites_off == 1 ? "was" : "were",
            rd_words_number(s->selective_checked, checked), s->selective_checked == 1 ? "was" : "were");
    if (s->sites_fixed)
        fprintf(out, "selective: %u place%s in the code could not be switched off\n", s->sites_fixed,
                s->sites_fixed == 1 ? "" : "s");
    if (s->sites_missed)
        fprintf(
            out,
            "%sselective%s: %u place%s in the code touched a tracked variable while switched off, and %s on from "
            "then on\n",
            rd_paint(look, RD_YELLOW), rd_paint(look, RD_UNPAINTED), s->sites_missed,
            s->sites_missed == 1 ? "" : "s", s->sites_missed == 1 ? "is" : "are");
}

/* The warnings: unreliable races, and predicted deadlocks that no execution has shown. */
static void print_predicted(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    unsigned long long warnings = run->warnings - run->unreliable, refuted = run->refuted;
    unsigned long long unreliable = run->unreliable;
    if (unreliable)
        fprintf(
            out, "%swarning%s: %llu race%s reported that code which is not seen may rule out (see docs/rules.md)\n",
            rd_paint(look, RD_YELLOW), rd_paint(look, RD_UNPAINTED), unreliable, unreliable == 1 ? " is" : "s are");
    if (warnings)
        fprintf(out, "%swarning%s: %llu deadlock%s predicted that no execution showed (see --fail-on-predicted)\n",
                rd_paint(look, RD_YELLOW), rd_paint(look, RD_UNPAINTED), warnings,
                warnings == 1 ? " was" : "s were");
    if (refuted)
        fprintf(out, "%llu predicted deadlock%s not happen under any schedule%s\n", refuted,
                refuted == 1 ? " does" : "s do", run->complete ? "" : " of the operations that raddle sees");
}

/* How much simpler minimising has made the schedules. */
static void print_minimised(FILE *out, const struct rd_run *run) {
    const struct rd_summary *s = run->summary;
    char executions[32];
    if (!run->minimised)
        return;
    fprintf(out, "minimised: ");
    if (run->minimised > 1)
        fprintf(out, "%u schedules, ", run->minimised);
    fprintf(out, "%u -> %u preemption%s in %s execution%s, %.1f s\n", run->preemptions_before,
            run->preemptions_after, run->preemptions_after == 1 ? "" : "s",
            rd_words_number(s->minimising, executions), s->minimising == 1 ? "" : "s",
            (double)s->minimise_ns * 1e-9);
}

/* The counters that have a line of text of their own (result/counters.def). */
static void print_counters(FILE *out, const struct rd_summary *s) {
    char number[32];
    for (uint32_t i = 0; i < rd_summary_counter_count(); i++) {
        struct rd_counter_row row = rd_summary_counter(s, i);
        const char *text = row.value == 1 ? row.one : row.many;
        for (; row.value && *text; text++)
            if (*text == '#')
                fputs(rd_words_number(row.value, number), out);
            else
                fputc(*text, out);
        if (row.value && *row.one)
            fputc('\n', out);
    }
}

static void print_uncontrolled(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    for (uint32_t i = 0; i < run->uncontrolled_count; i++)
        fprintf(out, "%snot controlled%s: the program %s\n", rd_paint(look, RD_YELLOW),
                rd_paint(look, RD_UNPAINTED), run->uncontrolled[i]);
}

static void print_compilers(FILE *out, const struct rd_run *run) {
    if (run->compilers && run->compilers[0])
        fprintf(out, "compiled by %s: accesses that it removed, merged or gave no hook are not among the steps\n",
                run->compilers);
}

/*
 * After bugs, the numbers of the search are one line, with what casts doubt on them, and with the claim if the
 * search has come to its end.
 */
static void print_short(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    const struct rd_summary *s = run->summary;
    char executions[32];
    fprintf(out, "\n%s%" PRIu64 " bug%s found%s in %s execution%s, %.2f s, by strategy %s", rd_paint(look, RD_RED),
            run->findings, run->findings == 1 ? "" : "s", rd_paint(look, RD_UNPAINTED),
            rd_words_number(s->executions, executions), s->executions == 1 ? "" : "s", run->elapsed_s,
            run->strategy);
    fprintf(out, "%s%s\n", run->finished ? "" : "; ", run->finished ? "" : ending(run));
    rd_print_given_options(out, run->options, run->option_count);
    if (run->one_worker && run->one_worker[0])
        fprintf(out, "%s\n", run->one_worker);
    if (run->fell_back && run->fell_back[0])
        fprintf(out, "isolation %s was used: %s\n", run->isolation, run->fell_back);
    print_uncontrolled(out, run, look);
    print_predicted(out, run, look);
    print_counters(out, s);
    rd_print_suppressions(out, run);
    if (run->outcomes)
        rd_print_outcomes(out, run, look);
    print_compilers(out, run);
    print_unseen(out, run, look);
    if (run->finished)
        print_finished(out, run, look);
    print_voids(out, run, look);
}

static void print_all(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    const struct rd_summary *s = run->summary;
    char executions[32], orders[32], steps[32], rate[32];
    double per_s = run->elapsed_s > 0 ? (double)s->executions / run->elapsed_s : 0;
    if (run->warnings && !run->findings)
        fputs("\n", out);
    if (run->findings) /* a blank line after the reports */
        fprintf(out, "\n%s%" PRIu64 " bug%s found%s", rd_paint(look, RD_RED), run->findings,
                run->findings == 1 ? "" : "s", rd_paint(look, RD_UNPAINTED));
    else
        fprintf(out, "%sno bug found%s", rd_paint(look, s->end == RD_END_TROUBLE ? RD_YELLOW : RD_GREEN),
                rd_paint(look, RD_UNPAINTED));
    fprintf(out, " in %s execution%s", rd_words_number(s->executions, executions), s->executions == 1 ? "" : "s");
    if (s->dropped)
        fprintf(out, ", %s of them dropped because an assumption does not hold",
                rd_words_number(s->dropped, executions));
    if (s->cut)
        fprintf(out, ", +%s cut short", rd_words_number(s->cut, executions));
    fprintf(out, " (%s different order%s of events, %s steps) in %.2f s", rd_words_number(s->classes, orders),
            s->classes == 1 ? "" : "s", rd_words_number(s->steps, steps), run->elapsed_s);
    if (s->executions > 1)
        fprintf(out, ", %s a second", rd_words_number((uint64_t)per_s, rate));
    if (run->workers > 1)
        fprintf(out, " with %u workers", run->workers);
    fprintf(out, "\nstrategy %s%s%s, isolation %s, points %s, up to %u thread%s at once\n", run->strategy,
            run->focus && run->focus[0] ? ", preemptions only " : "", run->focus ? run->focus : "", run->isolation,
            run->points, s->threads_max, s->threads_max == 1 ? "" : "s");
    rd_print_given_options(out, run->options, run->option_count);
    if (run->one_worker && run->one_worker[0])
        fprintf(out, "%s\n", run->one_worker);
    if (run->fell_back && run->fell_back[0])
        fprintf(out, "isolation %s was used: %s\n", run->isolation, run->fell_back);
    print_uncontrolled(out, run, look);
    print_predicted(out, run, look);
    print_minimised(out, run);
    print_counters(out, s);
    rd_print_suppressions(out, run);
    if (run->outcomes)
        rd_print_outcomes(out, run, look);
    print_selective(out, s, look);
    print_opaque(out, run, look);
    if (run->raced[0])
        fprintf(out, "%s\n", run->raced);
    if (s->preemptions_max)
        print_preemptions(out, s);
    print_compilers(out, run);
    print_unseen(out, run, look);
    print_claim(out, run, look);
}

void rd_print_summary(FILE *out, const struct rd_run *run, const struct rd_look *look) {
    if (run->findings && !look->statistics)
        print_short(out, run, look);
    else
        print_all(out, run, look);
}
