/* livelock_text.c - a livelock with equal rounds: the operations of each of its threads in one round. */
#include "report/text/report_text.h"

enum { LINES = 12 }; /* at most, for each thread */

static void print_thread(FILE *out, const struct rd_report *r, rd_tid tid, uint32_t first,
                         const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    char thread[64], phrase[RD_PHRASE], place[RD_LOCATION];
    struct rd_waits waits = {0};
    uint32_t lines = 0, more = 0;
    rd_words_thread(r, tid, thread, sizeof thread);
    fprintf(out, "  %s%s%s in each round:\n", rd_paint_thread(look, tid), thread, rd_paint(look, RD_UNPAINTED));
    for (uint32_t i = first; i < s->step_count; i++) {
        if (s->steps[i].tid != tid || rd_step_is_way(&s->steps[i]))
            continue;
        if (++lines > LINES) {
            more++;
            continue;
        }
        rd_phrase_step(r, &waits, i, phrase, sizeof phrase);
        rd_words_frame(r, rd_facts_step_frame(r, i), true, place, sizeof place);
        fprintf(out, "    %s%s%s\n", phrase, place[0] ? "  " : "", place);
    }
    if (more)
        fprintf(out, "    ... and %u more\n", more);
}

void rd_print_livelock_round(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    uint32_t first = rd_facts_livelock_round(s);
    for (uint32_t t = 0; first && t < s->thread_count; t++) {
        bool in = false;
        for (uint32_t i = first; i < s->step_count && !in; i++)
            in = s->steps[i].tid == t;
        if (in)
            print_thread(out, r, (rd_tid)t, first, look);
    }
}
