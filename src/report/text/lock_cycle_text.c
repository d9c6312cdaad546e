/*
 * lock_cycle_text.c - a predicted deadlock in words: the lock that each thread of the cycle takes, and the lock
 * that it holds meanwhile, which the thread before it in the cycle takes.
 */
#include "report/text/report_text.h"

#include "trace/held.h"
#include "trace/semlock.h"

#include <sys/mman.h>

/* Is the finding a predicted deadlock with a complete cycle? A file may be damaged. */
static bool has_cycle(const struct rd_schedule *s) {
    const struct rd_finding *f = &s->finding;
    bool whole = f->kind == RD_PREDICTED_DEADLOCK && f->circle_count > 1 && f->tid < s->thread_count;
    for (uint32_t i = 0; i < f->circle_count; i++)
        whole &= f->circle[i] <= s->step_count;
    return whole;
}

/*
 * The lock that a thread of the cycle takes at a step (from 1); 0: the pending operation of the finding's thread.
 */
static rd_place wanted(const struct rd_schedule *s, uint32_t step) {
    const struct rd_op *op = &s->threads[s->finding.tid].pending;
    if (!step)
        return rd_circle_wanted(op->kind, op->place, op->place2);
    const struct rd_step *it = &s->steps[step - 1];
    return rd_circle_wanted(it->op, it->place, it->flags & RD_STEP_VALUE2 ? it->value : 0);
}

/* The line of one thread. `held`: the locks of all threads at that step. */
static void print_one(FILE *out, const struct rd_report *r, const struct rd_held *held, uint32_t index,
                      const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    uint32_t step = f->circle[index], before = f->circle[(index + f->circle_count - 1) % f->circle_count];
    rd_tid tid = step ? s->steps[step - 1].tid : f->tid;
    char thread[64], lock[RD_PHRASE], own[RD_PHRASE], here[RD_LOCATION], there[RD_LOCATION];
    rd_words_thread(r, tid, thread, sizeof thread);
    rd_words_data(r, wanted(s, step), lock, sizeof lock);
    rd_words_frame(r, step ? rd_facts_step_frame(r, step - 1) : rd_facts_pending_frame(r, tid), true, here,
                   sizeof here);
    fprintf(out, "  %s%s%s takes %s%s%s%s%s", rd_paint_thread(look, tid), thread, rd_paint(look, RD_UNPAINTED),
            rd_paint(look, RD_BOLD), lock, rd_paint(look, RD_UNPAINTED), here[0] ? " at " : "", here);
    if (step)
        fprintf(out, " (step %u)", step);
    const struct rd_hold *h = rd_held_by(held, tid, wanted(s, before));
    rd_words_data(r, wanted(s, before), own, sizeof own);
    if (h)
        fprintf(out, " while it holds %s%s%s", rd_paint(look, RD_BOLD), own, rd_paint(look, RD_UNPAINTED));
    else
        fputs(", and lets no more readers in until it has it", out);
    if (h && h->taken && h->taken <= s->step_count) {
        rd_words_frame(r, rd_facts_step_frame(r, h->taken - 1), true, there, sizeof there);
        fprintf(out, " since step %u%s%s%s", h->taken, there[0] ? " (" : "", there, there[0] ? ")" : "");
    }
    fputs("\n", out);
}

static void print_lock_cycle(FILE *out, const struct rd_report *r, struct rd_arena *arena,
                             const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    struct rd_outcome outcome = {.steps = s->step_count, .threads = s->thread_count};
    struct rd_record record = {.out = &outcome, .steps = s->steps};
    for (uint32_t k = 0; k < s->finding.circle_count; k++) {
        struct rd_held held;
        struct rd_semlocks sems;
        struct rd_step copy;
        uint32_t end = s->finding.circle[k] ? s->finding.circle[k] - 1 : s->step_count;
        rd_arena_reset(arena);
        rd_held_init(&held, arena, &record);
        rd_semlocks_init(&sems, arena, s->steps, s->step_count);
        for (uint32_t i = 0; i < end; i++)
            if (!rd_step_is_way(&s->steps[i]))
                rd_held_step(&held, rd_semlocks_step(&sems, &s->steps[i], &copy), i);
        print_one(out, r, &held, k, look);
    }
    if (r->warning)
        fputs("  No execution could be made to end like that: it may be impossible, when data keeps these threads "
              "apart.\n",
              out);
}

bool rd_print_lock_cycle(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    size_t size = (size_t)64 << 20; /* reserved addresses; a few bytes for each lock are used */
    struct rd_arena arena;
    if (!has_cycle(r->schedule))
        return false;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    rd_arena_init(&arena, memory, size);
    print_lock_cycle(out, r, &arena, look);
    munmap(memory, size);
    return true;
}
