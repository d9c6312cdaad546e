/* suppression_text.c - what the user has suppressed: each line that was used, those that never were, and why. */
#include "report/text/report_text.h"

#include <string.h>

/* The lines of one sort, after a heading. */
static void print_idle(FILE *out, const struct rd_run *run, bool meaningless, const char *heading) {
    const char *before = heading;
    for (uint32_t i = 0; i < run->suppression_count; i++) {
        const struct rd_suppression_shown *s = &run->suppressions[i];
        if (s->findings || s->meaningless != meaningless)
            continue;
        fprintf(out, "%s%s %s", before, s->where, s->text);
        before = ", ";
    }
    if (before != heading)
        fputc('\n', out);
}

/* Have two suppressed findings the same suppression and the same words? */
static bool is_same(const struct rd_run *run, uint32_t a, uint32_t b) {
    return run->suppressed[a].by == run->suppressed[b].by &&
           strcmp(run->suppressed[a].text, run->suppressed[b].text) == 0;
}

/* Is finding `k` not one of suppression `i`, or in the same words as an earlier one? */
static bool same_before(const struct rd_run *run, uint32_t k, uint32_t i) {
    bool same = run->suppressed[k].by != i;
    for (uint32_t m = 0; m < k && !same; m++)
        same = is_same(run, m, k);
    return same;
}

/* The findings that suppression `i` has suppressed. */
static void print_matches(FILE *out, const struct rd_run *run, uint32_t i) {
    char number[32];
    uint64_t left = run->suppressions[i].findings;
    for (uint32_t k = 0; k < run->suppressed_count; k++) {
        uint64_t count = same_before(run, k, i) ? 0 : 1;
        for (uint32_t m = k + 1; count && m < run->suppressed_count; m++)
            count += is_same(run, k, m);
        if (count > 1)
            fprintf(out, "    %s (%s times)\n", run->suppressed[k].text, rd_words_number(count, number));
        else if (count)
            fprintf(out, "    %s\n", run->suppressed[k].text);
        left -= RD_MIN(left, count);
    }
    if (left)
        fprintf(out, "    and %s more\n", rd_words_number(left, number));
}

void rd_print_suppressions(FILE *out, const struct rd_run *run) {
    char number[32];
    for (uint32_t i = 0; i < run->suppression_count; i++) {
        const struct rd_suppression_shown *s = &run->suppressions[i];
        if (!s->findings)
            continue;
        fprintf(out, "  %s: %s: %s finding%s\n", s->where, s->text, rd_words_number(s->findings, number),
                s->findings == 1 ? "" : "s");
        print_matches(out, run, i);
    }
    print_idle(out, run, false, "suppressions never used: ");
    print_idle(out, run, true, "suppressions of kinds that raddle does not report: ");
}
