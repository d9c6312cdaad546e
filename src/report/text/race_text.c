/*
 * race_text.c - a data race in words: the two accesses, the locks that each thread holds, and the unseen code that
 * may order them.
 */
#include "report/text/report_text.h"

#include "trace/held.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void print_inline(FILE *out, const struct rd_report *r) {
    enum { SHOWN = 3 };
    char *const *names;
    uint32_t count = rd_race_inline(r, &names);
    if (!count)
        return;
    fputs("  Atomic instructions that are not seen (of inline assembly, or of an OpenMP atomic) may order them: in",
          out);
    for (uint32_t i = 0; i < RD_MIN(count, (uint32_t)SHOWN); i++)
        fprintf(out, "%s %s", i ? "," : "", names[i]);
    if (count > SHOWN)
        fprintf(out, " and %u more", count - SHOWN);
    fputs(".\n  So this is no bug yet. Use the compiler's atomics (<stdatomic.h>, __atomic_*) there, which are "
          "seen.\n",
          out);
}

/* The unseen code that may order an unreliable race, and how to make Raddle see it. */
static void print_unseen(FILE *out, const struct rd_report *r) {
    uint32_t at[2];
    char name[2][RD_PHRASE];
    if (!rd_race_unseen(r, at, name)) {
        print_inline(out, r);
        return;
    }
    const struct rd_step *steps = r->schedule->steps;
    fprintf(
        out,
        "  Code that is not seen may order them: after its access T%u is in %s (step %u), before its own T%u is in "
        "%s (step %u).\n"
        "  So this is no bug yet. Build that code with 'raddle cc', or say in a rule what it does (--rules).\n",
        steps[at[0]].tid, name[0], at[0] + 1, steps[at[1]].tid, name[1], at[1] + 1);
}

/* "holding m, n" or "without a lock". */
static void print_locks(FILE *out, const struct rd_report *r, const struct rd_held *held, rd_tid tid) {
    const struct rd_held_thread *t = &held->thread[tid];
    char lock[RD_PHRASE];
    fputs(t->count ? ", holding " : ", without a lock", out);
    for (uint32_t i = 0; i < t->count; i++) {
        rd_words_data(r, t->at[i].lock, lock, sizeof lock);
        fprintf(out, "%s%s%s", i ? ", " : "", lock, t->at[i].shared ? " (for reading)" : "");
    }
}

static void print_access(FILE *out, const struct rd_report *r, const struct rd_held *held, uint32_t step,
                         const struct rd_look *look) {
    const struct rd_step *s = &r->schedule->steps[step];
    const struct rd_frame *f = rd_facts_step_frame(r, step);
    char thread[64], place[RD_LOCATION];
    rd_words_thread(r, s->tid, thread, sizeof thread);
    rd_words_frame(r, f, true, place, sizeof place);
    fprintf(out, "  %s%s%s %s ", rd_paint_thread(look, s->tid), thread, rd_paint(look, RD_UNPAINTED),
            rd_race_verb(r, step));
    if (rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES | RD_F_STORES)) {
        fprintf(out, "%u byte%s", s->size, s->size == 1 ? "" : "s");
    } else if (s->op == RD_OP_CALL) {
        char callee[RD_PHRASE];
        rd_words_callee(r, s->place, callee, sizeof callee);
        fprintf(out, "it by a call of %s", callee);
    } else
        fprintf(out, "what is there (%s)", rd_op_name(s->op));
    if (rd_op_flags(s->op) & RD_F_ATOMIC)
        fputs(" atomically", out);
    if (f && strcmp(f->function, "??") != 0)
        fprintf(out, " in %s", f->function);
    if (place[0])
        fprintf(out, " at %s%s%s", rd_paint(look, RD_BOLD), place, rd_paint(look, RD_UNPAINTED));
    fprintf(out, " (step %u)", step + 1);
    print_locks(out, r, held, s->tid);
    fputs("\n", out);
}

bool rd_print_race(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    struct rd_outcome outcome = {.steps = s->step_count, .threads = s->thread_count};
    struct rd_record record = {.out = &outcome, .steps = s->steps};
    struct rd_arena arena;
    struct rd_held held;
    uint32_t a, b;
    size_t size = (size_t)64 << 20; /* reserved addresses; a few bytes for each lock are used */
    if (!rd_race_steps(r, &a, &b))
        return false;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    rd_arena_init(&arena, memory, size);
    rd_held_init(&held, &arena, &record);
    FILE *first = NULL;
    char *text = NULL;
    size_t length = 0;
    for (uint32_t i = 0; i <= b;
         i++) { /* the line of the later access, which is the finding's own, is printed first */
        if (i == a && (first = open_memstream(&text, &length)) != NULL)
            print_access(first, r, &held, i, look);
        if (i == b)
            print_access(out, r, &held, i, look);
        if (!rd_step_is_way(&s->steps[i]))
            rd_held_step(&held, &s->steps[i], i);
    }
    if (first) {
        fclose(first);
        fwrite(text, 1, length, out);
        free(text);
    }
    munmap(memory, size);
    print_unseen(out, r);
    return true;
}
