/* race.c - a data race in words: the two accesses, what they are to, and under which locks each is made. */
#include "report/text/report_text.h"

#include "trace/held.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool rd_facts_pair(const struct rd_report *r, uint32_t *first, uint32_t *second) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    if (f->kind != RD_DATA_RACE || f->step == 0 || f->other_step == 0 || f->step > s->step_count ||
        f->other_step >= f->step)
        return false;
    *first = f->other_step - 1;
    *second = f->step - 1;
    return true;
}

static const char *verb(const struct rd_report *r, uint32_t step) {
    const struct rd_step *s = &r->schedule->steps[step];
    const struct rd_finding *f = &r->schedule->finding;
    if (s->op == RD_OP_FREE)
        return "frees";
    if (f->data && rd_access_mode_has_extents(s->order))
        return f->data_writes & (step + 1 == f->step ? RD_RACE_SECOND_WRITES : RD_RACE_FIRST_WRITES) ? "writes"
                                                                                                     : "reads";
    if (rd_op_flags(s->op) & RD_F_STORES)
        return "writes";
    if (!(rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES)))
        return "uses";
    bool writes = (rd_op_flags(s->op) & RD_F_WRITES) && !(s->op == RD_OP_ATOMIC_CAS && s->result);
    return writes ? "writes" : "reads";
}

void rd_race_message(const struct rd_report *r, char *to, size_t room) {
    const struct rd_step *steps = r->schedule->steps;
    uint32_t a, b;
    char variable[RD_PHRASE];
    if (!rd_facts_pair(r, &a, &b)) {
        snprintf(to, room, "%s", r->schedule->finding.message);
        return;
    }
    rd_place data = r->schedule->finding.data;
    rd_words_data(r, data ? data : steps[b].place, variable, sizeof variable);
    bool same = strcmp(verb(r, a), verb(r, b)) == 0;
    snprintf(to, room, "T%u %s %s, T%u %s it%s, and nothing%s orders the two", steps[b].tid, verb(r, b), variable,
             steps[a].tid, verb(r, a), same ? ", too" : "",
             rd_is_unreliable(&r->schedule->finding) ? " that is seen" : "");
}

/* "PR_Lock of libnspr4.so" */
static void name_callee(const struct rd_report *r, rd_place function, char *to, size_t room) {
    const struct rd_schedule *s = r->schedule;
    int module = rd_place_module(function);
    const struct rd_frame *f = module >= 0 ? rd_symbols_at(r->symbols, function, true) : NULL;
    const char *path = module >= 0 && module < (int)s->module_count ? s->modules[module].path : "";
    const char *slash = strrchr(path, '/');
    bool known = f && f->function && strcmp(f->function, "??") != 0;
    snprintf(to, room, "%s%s%s", known ? f->function : "a function", *path ? " of " : "", slash ? slash + 1 : path);
}

/* Is the step one of a library that is not seen, which has called the program's code? */
static bool is_foreign(const struct rd_report *r, const struct rd_step *s) {
    int module = rd_place_module(s->pc);
    return module > 0 && module < (int)r->schedule->module_count && s->op != RD_OP_CALL &&
           !(rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES)) &&
           !rd_module_is_known(r->schedule->modules[module].path);
}

bool rd_race_unseen(const struct rd_report *r, uint32_t step[2], char name[2][RD_PHRASE]) {
    const struct rd_step *steps = r->schedule->steps;
    uint32_t a, b;
    bool found[2] = {false, false};
    if (!rd_is_unreliable(&r->schedule->finding) || !rd_facts_pair(r, &a, &b))
        return false;
    for (uint32_t i = 0; i <= b; i++) { /* the other one's call may have begun before the first access */
        bool unseen = rd_step_is_unseen(&steps[i]) || is_foreign(r, &steps[i]);
        if (unseen && i >= a && steps[i].tid == steps[a].tid && !found[0])
            step[0] = i, found[0] = true;
        if (unseen && steps[i].tid == steps[b].tid)
            step[1] = i, found[1] = true;
    }
    for (unsigned i = 0; i < 2 && found[i]; i++) {
        const struct rd_step *s = &steps[step[i]];
        name_callee(r, rd_step_is_unseen(s) ? s->place : s->pc, name[i], RD_PHRASE);
    }
    return found[0] && found[1];
}

uint32_t rd_race_inline(const struct rd_report *r, char *const **names) {
    return rd_is_unreliable(&r->schedule->finding) ? rd_symbols_inline_atomics(r->symbols, names) : 0;
}

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

/* Which code may have ordered the two after all, and what to do about it. */
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
    fprintf(out, "  %s%s%s %s ", rd_paint_thread(look, s->tid), thread, rd_paint(look, RD_UNHOOKED), verb(r, step));
    if (rd_op_flags(s->op) & (RD_F_READS | RD_F_WRITES | RD_F_STORES)) {
        fprintf(out, "%u byte%s", s->size, s->size == 1 ? "" : "s");
    } else if (s->op == RD_OP_CALL) {
        char callee[RD_PHRASE];
        name_callee(r, s->place, callee, sizeof callee);
        fprintf(out, "it by a call of %s", callee);
    } else
        fprintf(out, "what is there (%s)", rd_op_name(s->op));
    if (rd_op_flags(s->op) & RD_F_ATOMIC)
        fputs(" atomically", out);
    if (f && strcmp(f->function, "??") != 0)
        fprintf(out, " in %s", f->function);
    if (place[0])
        fprintf(out, " at %s%s%s", rd_paint(look, RD_BOLD), place, rd_paint(look, RD_UNHOOKED));
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
    size_t size = (size_t)64 << 20; /* address space: a few bytes a lock are used */
    if (!rd_facts_pair(r, &a, &b))
        return false;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    rd_arena_init(&arena, memory, size);
    rd_held_init(&held, &arena, &record);
    FILE *first = NULL;
    char *text = NULL;
    size_t length = 0;
    for (uint32_t i = 0; i <= b; i++) { /* the later one is the finding's own: it is told first */
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
