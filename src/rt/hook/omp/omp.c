/*
 * omp.c - see omp.h: threads of teams, the beginning and the end of a parallel region, barriers.
 *
 * A team lies on the stack of the thread that begins the region, its master. At the end of the region the master
 * waits until every worker has counted itself in `done`; after that no worker refers to the team.
 */
#include "rt/hook/omp/omp.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

uint64_t rd_omp_pc;

void *rd_omp_real(void **slot, const char *name) {
    static const char *const libraries[] = {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"};
    if (!*slot)
        *slot = dlsym(RTLD_NEXT, name);
    for (unsigned i = 0; !*slot && i < RD_COUNT(libraries); i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        *slot = library ? dlsym(library, name) : NULL;
    }
    if (!*slot)
        abort(); /* cannot be: a program that calls the entry point was linked with a runtime that has it */
    return *slot;
}

_Noreturn void rd_omp_refuse(const char *feature) {
    char text[256];
    struct rd_text t;
    rd_text_init(&t, text, sizeof text);
    rd_text_str(&t, "the program uses ");
    rd_text_str(&t, feature);
    rd_text_str(&t, " of OpenMP, which raddle cannot control (docs/openmp.md)");
    rd_rt_enter();
    rd_rt_refuse(text);
}

void *rd_omp_zeroed(size_t size) {
    rd_rt_enter();
    void *p = rd_arena_zero(&rd_rt.arena, size);
    rd_rt_leave();
    return p;
}

/* ---- entry points that the program imports ---- */

static bool is_openmp(const char *name) {
    return strncmp(name, "GOMP_", 5) == 0 || strncmp(name, "__kmpc_", 7) == 0 || strncmp(name, "omp_", 4) == 0 ||
           strncmp(name, "GOACC_", 6) == 0 || strncmp(name, "kmp_", 4) == 0 || strncmp(name, "__tgt_", 6) == 0;
}

struct omp_imports {
    char missing[96]; /* an entry point that this folder does not implement; "": none */
    bool tasks;       /* entry points of tasks */
    bool clang;       /* entry points of clang's runtime */
};

static int note_imports(struct dl_phdr_info *info, size_t size, void *arg) {
    struct omp_imports *r = arg;
    struct rd_imports in;
    (void)size;
    rd_module_imports(&in, info);
    if (!in.symbols || !in.names)
        return 0;
    for (unsigned k = 0; k < RD_COUNT(in.table); k++)
        for (size_t i = 0; in.table[k] && i < in.size[k] / sizeof *in.table[k]; i++) {
            const ElfW(Sym) *s = &in.symbols[ELF64_R_SYM(in.table[k][i].r_info)];
            const char *name = in.names + s->st_name;
            if (s->st_shndx != SHN_UNDEF || !is_openmp(name))
                continue;
            r->tasks |= strstr(name, "task") != NULL;
            r->clang |= strncmp(name, "__kmpc_", 7) == 0;
            void *found = dlsym(RTLD_DEFAULT, name);
            if (found && !rd_place_is_own((uintptr_t)found) && !r->missing[0])
                rd_text_copy(r->missing, sizeof r->missing, name);
        }
    return 0;
}

static struct omp_imports imports;
static unsigned long long loads; /* dlpi_adds (libraries loaded so far) when the modules were looked at; 0: never */
static uint32_t teams;           /* regions with several threads that are running now */

static int count_loads(struct dl_phdr_info *info, size_t size, void *arg) {
    (void)size;
    *(unsigned long long *)arg = info->dlpi_adds;
    return 1;
}

/* Looks at what all modules import, at the first use of OpenMP and again after libraries were loaded. */
static void look_at_libraries(void) {
    unsigned long long now = 0;
    dl_iterate_phdr(count_loads, &now);
    if (loads == now)
        return;
    struct omp_imports found = {0};
    rd_rt_enter();
    dl_iterate_phdr(note_imports, &found);
    rd_rt_leave();
    if (found.missing[0])
        rd_omp_refuse(found.missing);
    if (loads && found.tasks && !imports.tasks && teams) /* threads may wait at barriers without tasks already */
        rd_omp_refuse("tasks in a library that was loaded within a parallel region");
    imports = found;
    loads = now;
}

bool rd_omp_tasks_used(void) { return imports.tasks; }
bool rd_omp_is_clang(void) { return imports.clang; }

/* ---- threads ---- */

/* In how many ways the pending RD_OP_TEAM of a thread can happen; 0: it has to wait (rd_world.team). */
static uint32_t team_ways(rd_tid tid) {
    const struct rd_omp *o = rd_rt.threads[tid]->omp;
    const struct rd_omp_share *s = o->me.share;
    switch (o->wait) {
    case RD_OMP_GO:
        return o->go ? 1 : rd_omp_tasks_used() && o->me.team ? rd_omp_task_ways(o) : 0;
    case RD_OMP_CHUNK:
        return rd_omp_chunks_left(o);
    case RD_OMP_DONE:
        return o->me.team->done == o->me.team->size - 1;
    case RD_OMP_TURN:
        return s->turns >= o->me.turn;
    case RD_OMP_POSTED:
        return *o->posted;
    case RD_OMP_TASK:
    case RD_OMP_MAY_TASK:
        return rd_omp_task_ways(o);
    default:
        return 1;
    }
}

static struct rd_omp *make_thread(void) {
    struct rd_omp *o = rd_omp_zeroed(sizeof *o);
    struct rd_omp_team *solo = rd_omp_zeroed(sizeof *solo);
    solo->size = 1;
    o->me.team = solo;
    return o;
}

struct rd_omp *rd_omp_self(void) {
    struct rd_vthread *v = rd_self;
    if (v->omp)
        return v->omp;
    look_at_libraries();
    struct rd_omp *o = make_thread();
    rd_omp_read_environment(o);
    v->omp = o;
    rd_rt.engine.world.team = team_ways;
    return o;
}

bool rd_omp_on(void) { return rd_rt.on && rd_rt_active(); }

/* ---- operations ---- */

uint64_t rd_omp_op(unsigned kind, const void *object, uint64_t pc) {
    return rd_rt_instant((struct rd_op){.kind = (uint8_t)kind, .at_once = 1, .addr = (uintptr_t)object, .pc = pc})
        .value;
}

uint64_t rd_omp_wait(struct rd_omp *o, enum rd_omp_wait wait, const void *object, const void *also, uint64_t pc) {
    struct rd_op op = {.kind = RD_OP_TEAM, .addr = (uintptr_t)object, .addr2 = (uintptr_t)also, .pc = pc};
    op.at_once = wait == RD_OMP_ANY || wait == RD_OMP_CHUNK || wait == RD_OMP_MAY_TASK;
    o->wait = wait;
    uint64_t way = rd_rt_instant(op).value;
    o->wait = RD_OMP_ANY;
    return way;
}

void rd_omp_barrier(uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_team *t = o->me.team;
    struct rd_op op = {.kind = RD_OP_BARRIER_ARRIVE, .addr = (uintptr_t)&t->barrier, .arg = t->size, .pc = pc};
    if (t->size == 1)
        return;
    if (rd_omp_tasks_used()) {
        rd_omp_task_barrier(o, pc);
        return;
    }
    if (rd_rt_op(op).value)
        return;
    op.kind = RD_OP_BARRIER_LEAVE;
    rd_rt_op(op);
}

/* ---- regions ---- */

uint32_t rd_omp_size(const struct rd_omp *o, uint32_t wanted) {
    uint32_t level = RD_MIN(o->me.team->level, (uint32_t)RD_OMP_NESTED - 1), n = 0;
    if (o->me.team->active >= o->control.levels)
        return 1;
    for (uint32_t i = 0; i <= level; i++)
        n = o->control.threads[i] ? o->control.threads[i] : n;
    n = o->wanted ? o->wanted : n;
    RD_CHECK(wanted || n > 0); /* rd_omp_read_environment has set the first element */
    return wanted ? wanted : n;
}

static void begin_body(struct rd_omp *o, struct rd_omp_team *t, uint32_t num) {
    RD_CHECK(num < t->size);
    o->me = (struct rd_omp_member){.team = t, .num = num, .number = ++o->numbers};
    if (t->body->loop) {
        o->me.shares = 1;
        o->me.share = &t->share[1];
    }
}

/* The function of a worker thread, which runs until its master ends (gcc's runtime) or the process does. */
static void *work(void *arg) {
    struct rd_omp *o = arg;
    char name;
    o->name = &name;
    while (!o->ends) {
        struct rd_omp_team *t = o->me.team;
        uint64_t pc = t->pc;
        t->body->call(t->body, o->me.num);
        if (rd_omp_tasks_used()) {
            rd_omp_task_park(o, pc);
            continue;
        }
        rd_omp_op(RD_OP_RELEASE, &t->done, pc);
        t->done++;
        o->go = false;
        rd_omp_wait(o, RD_OMP_GO, o->name, NULL, pc);
    }
    o->name = NULL;
    return NULL;
}

/* gcc's runtime ends the workers of a thread with the thread; clang's keeps them until the process ends. */
void rd_omp_end(struct rd_omp *o) {
    if (imports.clang)
        return;
    for (unsigned d = 0; d < RD_OMP_NESTED; d++)
        for (uint32_t i = 0; i < o->pool[d].size; i++) {
            struct rd_omp *worker = o->pool[d].at[i];
            if (!worker || worker->ends)
                continue;
            rd_omp_op(RD_OP_RELEASE, worker->name, 0);
            worker->ends = worker->go = true;
            rd_rt.engine.world.unjoined++; /* no thread joins it, and it runs destructors of the program */
        }
}

static void start_worker(struct rd_omp *master, struct rd_omp_team *t, uint32_t num, uint64_t pc) {
    RD_CHECK(num > 0 && num <= master->pool[master->depth].size);
    struct rd_omp **slot = &master->pool[master->depth].at[num - 1], *o = *slot;
    if (o) {
        RD_CHECK(!o->go && !o->ends); /* the worker waits for a region */
        rd_omp_op(RD_OP_RELEASE, o->name, pc);
        o->control = master->control;
        begin_body(o, t, num);
        o->go = true;
        return;
    }
    pthread_t handle;
    o = make_thread();
    o->control = master->control; /* the values at the beginning of the region */
    begin_body(o, t, num);
    *slot = o;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    if (o->control.stack)
        pthread_attr_setstacksize(&attr, o->control.stack);
    rd_hook_create(&handle, o->control.stack ? &attr : NULL, work, o, t->body->entry, pc);
    pthread_attr_destroy(&attr);
    rd_vthread_of(handle)->omp = o;
}

static void make_pool(struct rd_omp_pool *p, uint32_t count) {
    if (count <= p->size)
        return;
    struct rd_omp **at = rd_omp_zeroed(count * sizeof(struct rd_omp *));
    rd_rt_enter();
    if (p->size)
        memcpy(at, p->at, p->size * sizeof(struct rd_omp *));
    rd_rt_leave();
    p->at = at;
    p->size = count;
}

/* How many of the first `count` workers of the pool have been created. */
static uint32_t existing(const struct rd_omp_pool *p, uint32_t count) {
    uint32_t n = 0;
    while (n < count && p->at[n])
        n++;
    return n;
}

static void start_team(struct rd_omp *o, struct rd_omp_team *t, uint64_t pc) {
    struct rd_omp_pool *p = &o->pool[o->depth];
    if (o->depth == RD_OMP_NESTED - 1)
        rd_omp_refuse("parallel regions that are nested more than 3 deep");
    if (!rd_rt.threaded)
        rd_rt_checkpoint();
    RD_CHECK(t->size > 1);
    make_pool(p, t->size - 1);
    rd_rt.engine.world.unjoined +=
        existing(p, t->size - 1); /* these workers wait no more; new ones count themselves */
    teams++;
    for (uint32_t i = 1; i < t->size; i++)
        start_worker(o, t, i, pc);
    o->depth++;
}

static void end_team(struct rd_omp *o, struct rd_omp_team *t, uint64_t pc) {
    if (rd_omp_tasks_used())
        rd_omp_task_join(o, pc);
    else
        rd_omp_wait(o, RD_OMP_DONE, &t->done, NULL, pc);
    RD_ASSERT(t->done == t->size - 1);
    RD_CHECK(o->depth > 0 && teams > 0 && rd_rt.engine.world.unjoined >= t->size - 1); /* start_team counted them */
    for (uint32_t i = 0; i < t->size - 1; i++)
        o->pool[o->depth - 1].at[i]->me.team = NULL; /* the team's memory is about to go */
    rd_rt.engine.world.unjoined -= t->size - 1;
    teams--;
    o->depth--;
}

/*
 * OMP_THREAD_LIMIT: a region gets as many threads as the other regions within the same outermost region leave,
 * first come, first served. The count of threads is in the outermost region's team.
 */
static void take_threads(const struct rd_omp *o, struct rd_omp_team *t, uint64_t pc) {
    uint32_t limit = o->control.limit;
    t->busy = t->outer->busy;
    if (t->size == 1 || limit == INT32_MAX)
        return;
    if (t->busy) {
        rd_omp_op(RD_OP_TEAM, t->busy, pc);
        t->size = RD_MIN(t->size, limit - RD_MIN(*t->busy, limit) + 1);
        *t->busy += t->size - 1;
    } else {
        t->busy = &t->busy_here;
        t->size = t->busy_here = RD_MIN(t->size, limit);
    }
}

static void give_threads_back(const struct rd_omp_team *t, uint64_t pc) {
    if (!t->busy || t->busy == &t->busy_here || t->size == 1)
        return;
    rd_omp_op(RD_OP_TEAM, t->busy, pc);
    RD_ASSERT(*t->busy >= t->size - 1); /* take_threads has added them */
    *t->busy -= t->size - 1;
}

void rd_omp_fork(const struct rd_omp_body *body, uint32_t wanted, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    look_at_libraries();
    struct rd_omp_member before = o->me;
    struct rd_omp_control control = o->control;
    struct rd_omp_team t = {.size = rd_omp_size(o, wanted), .body = body, .outer = before.team, .pc = pc};
    take_threads(o, &t, pc);
    t.level = before.team->level + 1;
    t.active = before.team->active + (t.size > 1);
    t.outer_num = before.num;
    o->wanted = 0;
    if (body->loop) {
        t.share[1] = *body->loop;
        t.share[1].number = 1;
        t.share[1].entered = t.share[1].inside = t.size;
    }
    if (t.size > 1)
        start_team(o, &t, pc);
    begin_body(o, &t, 0);
    body->call(body, 0);
    if (t.size > 1)
        end_team(o, &t, pc);
    give_threads_back(&t, pc);
    rd_omp_tasks_free(&t);
    o->me = before;
    o->control = control; /* control variables that were set in the region end with it */
}
