/* omp_task.h - explicit tasks of OpenMP: what the entry points of both runtimes share. See omp_task.c. */
#ifndef RD_RT_HOOK_OMP_OMP_TASK_H
#define RD_RT_HOOK_OMP_OMP_TASK_H

#include "rt/hook/omp/omp.h"

struct rd_omp_group {
    void *next; /* of the team's blocks, which are freed with it */
    struct rd_omp_group *outer;
    uint32_t count; /* tasks in it that are not over */
    uint32_t over;  /* their ends are released here */
};

struct rd_omp_edge {
    struct rd_omp_task *task;
    struct rd_omp_edge *next;
};

struct rd_omp_task {
    void *next; /* of the team's blocks */
    struct rd_omp_task *next_ready;
    struct rd_omp_task *parent;
    struct rd_omp_group *in;    /* the group that it belongs to */
    struct rd_omp_group *group; /* the one that it has begun, and its children belong to */
    uint32_t children;          /* that are not over */
    uint32_t waits;             /* tasks that must be over before it may begin */
    uint32_t born, kids, over;  /* released: when it is made; when a child ends; when it ends */
    bool is_over, parted;       /* parted: it has dependences */
    bool final, had_children;
    void (*call)(struct rd_omp_task *t);
    void *fn, *data;
    size_t room; /* for the data */
    struct rd_omp_edge *successors, *before;
    struct rd_omp_dep *deps; /* of its children, by address */
};

struct rd_omp_depend {
    uint64_t address;
    bool writes;
};

/* A block that lives as long as the team. */
void *rd_omp_block(struct rd_omp *o, size_t size, uint64_t pc);
/* The task that the thread is in. */
struct rd_omp_task *rd_omp_task_now(struct rd_omp *o, uint64_t pc);
/* A new one, with room for its data, which is not made known yet. */
struct rd_omp_task *rd_omp_task_new(struct rd_omp *o, size_t room, size_t align, uint64_t pc);
/* It is over, and nobody else knew it: where there is one thread, its block is freed. */
void rd_omp_drop(struct rd_omp *o, void *block);
/* Makes it known: some thread may take it when what it depends on is over. */
void rd_omp_task_defer(struct rd_omp *o, struct rd_omp_task *t, const struct rd_omp_depend *d, uint32_t count,
                       uint64_t pc);
/* Does it at once, after what it depends on. */
void rd_omp_task_do(struct rd_omp *o, struct rd_omp_task *t, const struct rd_omp_depend *d, uint32_t count,
                    uint64_t pc);
void rd_omp_task_await(struct rd_omp *o, uint64_t pc); /* all children */
void rd_omp_task_yield(struct rd_omp *o, uint64_t pc);
void rd_omp_group_begin(struct rd_omp *o, uint64_t pc);
void rd_omp_group_end(struct rd_omp *o, uint64_t pc);

#endif
