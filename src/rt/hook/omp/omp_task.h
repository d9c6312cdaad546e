/* omp_task.h - explicit tasks of OpenMP, as the entry points of both runtimes use them. See omp_task.c. */
#ifndef RD_RT_HOOK_OMP_OMP_TASK_H
#define RD_RT_HOOK_OMP_OMP_TASK_H

#include "rt/hook/omp/omp.h"

/* A taskgroup region of a task. */
struct rd_omp_group {
    void *next;                 /* in the list rd_omp_team.made */
    struct rd_omp_group *outer; /* the enclosing taskgroup of the same task; NULL: none */
    uint32_t count;             /* deferred tasks of the group that have not ended */
    uint32_t over;              /* the object that a task of the group releases when it ends */
};

struct rd_omp_edge {
    struct rd_omp_task *task;
    struct rd_omp_edge *next;
};

/* An explicit task, or the implicit task of a thread in a team (whose `call` is NULL). */
struct rd_omp_task {
    void *next;                     /* in the list rd_omp_team.made */
    struct rd_omp_task *next_ready; /* in the list rd_omp_team.ready */
    struct rd_omp_task *parent;     /* NULL: an implicit task */
    struct rd_omp_group *in;        /* the taskgroup that the task belongs to; NULL: none */
    struct rd_omp_group *group;     /* the innermost taskgroup that the task has begun; NULL: none */
    uint32_t children;              /* deferred child tasks that have not ended */
    uint32_t waits;                 /* tasks that it depends on and that have not ended */
    /* Objects: released when the task is created; when a child ends; when the task ends. */
    uint32_t created, child_over, over;
    bool is_over, has_depends; /* the task has ended; it has depend clauses */
    bool final, had_children;
    void (*call)(struct rd_omp_task *t); /* executes the task; NULL: no thread may take it from the list */
    void *fn, *data;                     /* the program's function (clang: flags); the data block */
    size_t room;                         /* bytes of `data` */
    struct rd_omp_edge *successors;      /* tasks that wait for this one */
    struct rd_omp_edge *before;          /* tasks that this one depends on */
    struct rd_omp_dep *deps;             /* the addresses in depend clauses of its children */
};

/* One depend clause of a task: an address, and whether the dependence type is out or inout. */
struct rd_omp_depend {
    uint64_t address;
    bool writes;
};

/* A block of the program's heap, filled with zeros, that lives as long as the team. */
void *rd_omp_block(struct rd_omp *o, size_t size, uint64_t pc);
/* The task that the thread executes. */
struct rd_omp_task *rd_omp_task_now(struct rd_omp *o, uint64_t pc);
/* Creates a child task of the current one, with room for its data. No thread can take it yet. */
struct rd_omp_task *rd_omp_task_new(struct rd_omp *o, size_t room, size_t align, uint64_t pc);
/* Frees the block of a task or group that has ended, in a team of one thread: no other thread can refer to it. */
void rd_omp_drop(struct rd_omp *o, void *block);
/* Makes the task available: a thread may take it when the tasks that it depends on have ended. */
void rd_omp_task_defer(struct rd_omp *o, struct rd_omp_task *t, const struct rd_omp_depend *d, uint32_t count,
                       uint64_t pc);
/*
 * A construct has created the task: executes it at once if the construct says so, the team has one thread, or the
 * task or its parent is final; otherwise defers it.
 */
void rd_omp_task_start(struct rd_omp *o, struct rd_omp_task *t, bool at_once, const struct rd_omp_depend *d,
                       uint32_t count, uint64_t pc);
/* taskwait depend(…): waits for the tasks that a task with these clauses would depend on. */
void rd_omp_task_await_depends(struct rd_omp *o, const struct rd_omp_depend *d, uint32_t count, uint64_t pc);
/* Executes the task in the calling thread, after the tasks that it depends on. */
void rd_omp_task_do(struct rd_omp *o, struct rd_omp_task *t, const struct rd_omp_depend *d, uint32_t count,
                    uint64_t pc);
/* taskwait: waits for all children of the current task. */
void rd_omp_task_await(struct rd_omp *o, uint64_t pc);
void rd_omp_task_yield(struct rd_omp *o, uint64_t pc);
void rd_omp_group_begin(struct rd_omp *o, uint64_t pc);
void rd_omp_group_end(struct rd_omp *o, uint64_t pc);

#endif
