/* sim_build.c - builds simulated programs from instructions, and simulators with their memory. */
#include "sim.h"

#include "trace/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ARENA_SIZE = 1 << 20, CANDS_MAX = SIM_STEPS_MAX * SIM_THREADS };

void sim_append(struct sim_program *p, const struct sim_instr *code, uint32_t count) {
    uint32_t t = p->threads - 1;
    RD_CHECK(p->threads > 0 && p->length[t] + count <= SIM_CODE);
    if (count)
        memcpy(&p->code[t][p->length[t]], code, count * sizeof *code);
    p->length[t] += count;
}

void sim_thread(struct sim_program *p, const struct sim_instr *code, uint32_t count) {
    RD_CHECK(p->threads < SIM_THREADS);
    p->length[p->threads++] = 0;
    sim_append(p, code, count);
}

void sim_with_main(struct sim_program *to, const struct sim_program *from, bool start_steps) {
    RD_CHECK(!from->main);
    *to = (struct sim_program){.name = from->name, .main = true, .start_steps = start_steps};
    memcpy(to->vars, from->vars, sizeof to->vars);
    memcpy(to->sems, from->sems, sizeof to->sems);
    sim_thread(to, NULL, 0);
    for (uint32_t t = 1; t <= from->threads; t++)
        SIM_APPEND(to, do_spawn((uint8_t)t));
    for (uint32_t t = 1; t <= from->threads; t++)
        SIM_APPEND(to, do_join((uint8_t)t));
    for (uint32_t t = 0; t < from->threads; t++)
        sim_thread(to, from->code[t], from->length[t]);
}

void *sim_reserve(size_t size) {
    void *m = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    RD_CHECK(m != MAP_FAILED);
    return m;
}

struct rd_arena sim_region(size_t size) {
    struct rd_arena a;
    rd_arena_init(&a, sim_reserve(size), size);
    return a;
}

struct sim *sim_open(void) {
    struct sim *s = calloc(1, sizeof *s);
    RD_CHECK(s);
    rd_arena_init(&s->arena, malloc(ARENA_SIZE), ARENA_SIZE);
    RD_CHECK(s->arena.base);
    return s;
}

static void free_record(struct sim *s) {
    if (s->rec.prefix != s->prefix)
        return; /* the record belongs to the caller of sim_load, or there is none */
    free(s->rec.out);
    free(s->rec.steps);
    free(s->rec.cands);
    free(s->rec.threads);
    free(s->rec.profile);
}

void sim_close(struct sim *s) {
    free_record(s);
    free(s->arena.base);
    free(s);
}

static struct rd_record new_record(struct sim *s) {
    struct rd_record r = {.out = calloc(1, sizeof *r.out),
                          .steps = calloc(SIM_STEPS_MAX + 2, sizeof *r.steps),
                          .cands = calloc(CANDS_MAX, sizeof *r.cands),
                          .threads = calloc(RD_TID_MAX, sizeof *r.threads),
                          .prefix = s->prefix,
                          .sleep = s->sleep,
                          .weight = s->weight,
                          .track = s->track,
                          .profile = calloc(1, sizeof *r.profile),
                          .steps_max = SIM_STEPS_MAX + 2,
                          .cands_max = CANDS_MAX};
    RD_CHECK(r.out && r.steps && r.cands && r.threads && r.profile);
    return r;
}

void sim_load(struct sim *s, const struct sim_program *p, const struct sim_options *o,
              const struct rd_record *rec) {
    free_record(s);
    s->program = p;
    s->options = o ? *o : (struct sim_options){0};
    if (s->options.steps_max == 0)
        s->options.steps_max = SIM_STEPS_MAX;
    if (s->options.fair_after == 0)
        s->options.fair_after = s->options.steps_max;
    s->rec = rec ? *rec : new_record(s);
    s->path_count = 0;
    for (uint32_t t = 0; t < p->threads; t++) {
        for (uint32_t i = 0; i < p->length[t]; i++) {
            if (p->code[t][i].kind != SIM_LABEL)
                continue;
            RD_CHECK(p->code[t][i].object < SIM_LABELS);
            s->label[t][p->code[t][i].object] = i;
        }
    }
}
