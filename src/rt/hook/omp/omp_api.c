/*
 * omp_api.c - see omp.h: the functions of <omp.h> that a program calls itself, for both runtimes. Time is the
 * virtual clock's. Functions for devices, leagues of teams, allocators and the like are not implemented; a program
 * that refers to one of them is refused at its first use of OpenMP (omp.c).
 */
#include "rt/hook/omp/omp.h"

#include <time.h>

/* The team at a nesting level, and the number in it of the calling thread or its ancestor; NULL: no such level. */
static const struct rd_omp_team *at_level(int level, uint32_t *num) {
    const struct rd_omp *o = rd_omp_self();
    const struct rd_omp_team *t = o->me.team;
    *num = o->me.num;
    if (level < 0 || level > (int)t->level)
        return NULL;
    while ((int)t->level > level) {
        *num = t->outer_num;
        t = t->outer;
    }
    return t;
}

RD_OMP(int, omp_get_thread_num, (void), ()) { return (int)rd_omp_self()->me.num; }
RD_OMP(int, omp_get_num_threads, (void), ()) { return (int)rd_omp_self()->me.team->size; }
RD_OMP(int, omp_in_parallel, (void), ()) { return rd_omp_self()->me.team->active > 0; }
RD_OMP(int, omp_get_level, (void), ()) { return (int)rd_omp_self()->me.team->level; }
RD_OMP(int, omp_get_active_level, (void), ()) { return (int)rd_omp_self()->me.team->active; }
RD_OMP(int, omp_get_ancestor_thread_num, (int level), (level)) {
    uint32_t num;
    return at_level(level, &num) ? (int)num : -1;
}
RD_OMP(int, omp_get_team_size, (int level), (level)) {
    uint32_t num;
    const struct rd_omp_team *t = at_level(level, &num);
    return t ? (int)t->size : -1;
}

RD_OMP(int, omp_get_max_threads, (void), ()) {
    struct rd_omp *o = rd_omp_self();
    uint32_t levels = o->control.levels;
    o->control.levels = INT32_MAX; /* the size that a region would have if it could be active */
    uint32_t size = rd_omp_size(o, 0);
    o->control.levels = levels;
    return (int)size;
}
RD_OMP(void, omp_set_num_threads, (int count), (count)) {
    struct rd_omp *o = rd_omp_self();
    uint32_t level = RD_MIN(o->me.team->level, (uint32_t)RD_OMP_NESTED - 1);
    o->control.threads[level] = count > 0 ? (uint32_t)count : 1;
}
RD_OMP(int, omp_get_num_procs, (void), ()) {
    cpu_set_t set;
    return pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}
RD_OMP(int, omp_get_thread_limit, (void), ()) { return (int)rd_omp_self()->control.limit; }
RD_OMP(void, omp_set_dynamic, (int on), (on)) { rd_omp_self()->control.dynamic = on; }
RD_OMP(int, omp_get_dynamic, (void), ()) { return rd_omp_self()->control.dynamic; }
RD_OMP(void, omp_set_nested, (int on), (on)) { rd_omp_self()->control.levels = on ? INT32_MAX : 1; }
RD_OMP(int, omp_get_nested, (void), ()) { return rd_omp_self()->control.levels > 1; }
RD_OMP(void, omp_set_max_active_levels, (int levels), (levels)) {
    if (levels >= 0)
        rd_omp_self()->control.levels = (uint32_t)levels;
}
RD_OMP(int, omp_get_max_active_levels, (void), ()) { return (int)rd_omp_self()->control.levels; }
RD_OMP(int, omp_get_supported_active_levels, (void), ()) { return INT32_MAX; }

enum { KIND = 0x7fffffff }; /* mask for omp_sched_t: all bits but omp_sched_monotonic */

RD_OMP(void, omp_set_schedule, (int kind, int chunk), (kind, chunk)) {
    struct rd_omp *o = rd_omp_self();
    unsigned schedule = (unsigned)kind & KIND;
    if (schedule < RD_OMP_STATIC || schedule > RD_OMP_AUTO)
        return;
    o->control.schedule = schedule;
    o->control.chunk = chunk > 0 ? (uint64_t)chunk : schedule == RD_OMP_STATIC || schedule == RD_OMP_AUTO ? 0 : 1;
}
RD_OMP(void, omp_get_schedule, (int *kind, int *chunk), (kind, chunk)) {
    const struct rd_omp *o = rd_omp_self();
    *kind = (int)o->control.schedule;
    *chunk = (int)o->control.chunk;
}

RD_OMP(int, omp_get_cancellation, (void), ()) { return 0; }
RD_OMP(int, omp_get_proc_bind, (void), ()) { return 0; }
RD_OMP(int, omp_get_num_devices, (void), ()) { return 0; }
RD_OMP(int, omp_get_default_device, (void), ()) { return 0; }
RD_OMP(int, omp_is_initial_device, (void), ()) { return 1; }
RD_OMP(int, omp_get_initial_device, (void), ()) { return 0; }
RD_OMP(int, omp_get_num_teams, (void), ()) { return 1; }
RD_OMP(int, omp_get_team_num, (void), ()) { return 0; }
RD_OMP(int, omp_get_max_task_priority, (void), ()) { return 0; }

RD_OMP(double, omp_get_wtime, (void), ()) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}
RD_OMP(double, omp_get_wtick, (void), ()) { return 1e-9; }
