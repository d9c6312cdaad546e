/*
 * exitblock_team.c - a search over atomic blocks in a team (team/team.h). A unit is the branch nearest to the
 * start of the path, with the path to it and its lists of threads.
 *
 * Where blocks end is learned from the executions of all workers. Each worker has its own copy of that knowledge,
 * and shares new facts before it continues from an execution. If the joint knowledge makes blocks smaller, the
 * search begins again as another generation, and all work that is left of the one before is dropped.
 */
#include "search/exitblock/exitblock_state.h"

#include <string.h>

/* Shared by the workers, in the hub. */
struct exitblock_common {
    struct rd_arena arena;
    struct rd_atomic_blocks blocks;
    uint32_t generation;
};

struct exitblock_unit {
    struct rd_exitblock_branch branch; /* without its lists */
    uint32_t generation;
    /* cells in each list, and marks; behind the path the unit has the events, then the cells, then the marks */
    uint32_t delayed, blocked;
    uint32_t events, marks, pad;
};

static struct exitblock_common *common_of(const struct rd_exitblock_search *s) {
    return (struct exitblock_common *)((char *)s->team->hub + s->team->hub->tree_at);
}

static bool is_stale(const struct rd_exitblock_search *s) {
    return __atomic_load_n(&common_of(s)->generation, __ATOMIC_ACQUIRE) != s->generation;
}

void rd_exitblock_join(struct rd_exitblock_search *s, const struct rd_params *params) {
    s->team = params->team;
    struct exitblock_common *c = common_of(s);
    s->started = s->team->me != 0; /* the first worker begins */
    if (s->started)
        return;
    *c = (struct exitblock_common){.generation = 0};
    rd_arena_init(&c->arena, c + 1, s->team->hub->tree_size - sizeof *c);
    rd_atomic_blocks_init(&c->blocks, &c->arena, params);
    c->blocks.footprints = s->blocks.footprints;
}

/* Takes over the knowledge of the team. pre: the lock. */
static void adopt(struct rd_exitblock_search *s) {
    rd_atomic_blocks_merge(&s->blocks, &common_of(s)->blocks);
    s->told = s->blocks.changes;
    s->generation = common_of(s)->generation;
}

bool rd_exitblock_agree(struct rd_exitblock_search *s, bool news) {
    struct exitblock_common *c = common_of(s);
    if (s->blocks.changes == s->told && !is_stale(s))
        return true;
    rd_team_lock(s->team);
    uint32_t mine = s->generation;
    RD_CHECK(c->generation >= mine);
    bool smaller = rd_atomic_blocks_merge(&c->blocks, &s->blocks);
    smaller |= news && c->generation == mine;
    if (smaller) {
        __atomic_store_n(&c->generation, c->generation + 1, __ATOMIC_RELEASE);
        rd_team_call(s->team);
    }
    adopt(s);
    rd_team_unlock(s->team);
    if (smaller)
        rd_exitblock_begin(s);
    else if (s->generation != mine)
        rd_exitblock_drop(s);
    return s->generation == mine;
}

struct rd_exitblock_count rd_exitblock_counted(const struct rd_exitblock_search *s) {
    return s->team && is_stale(s) ? (struct rd_exitblock_count){0} : s->count;
}

/* ---- units ---- */

uint64_t rd_exitblock_level(void *state) {
    struct rd_exitblock_search *s = state;
    if (is_stale(s)) {
        rd_team_lock(s->team);
        adopt(s);
        rd_team_unlock(s->team);
        rd_exitblock_drop(s);
    }
    return !s->started || s->planned || s->stack.count ? 0 : RD_LEVEL_NONE;
}

/* Writes the cells of a list and their events; *at is the index of the next event. */
static void write_list(const struct rd_footprints *p, uint32_t list, struct rd_event *event, uint32_t *at,
                       struct rd_cell *to) {
    for (; list; list = p->cells.at[list - 1].next) {
        struct rd_cell c = p->cells.at[list - 1];
        if (c.count)
            memcpy(event + *at, p->events.at + c.first, c.count * sizeof *event);
        c.first = *at;
        *at += c.count;
        *to++ = c;
    }
}

static void measure(const struct rd_footprints *p, uint32_t list, uint32_t *cells, uint32_t *events) {
    for (*cells = 0; list; list = p->cells.at[list - 1].next) {
        ++*cells;
        *events += p->cells.at[list - 1].count;
    }
}

/* Offsets of the parts of a unit, and its size. */
struct parts {
    size_t path, events, cells, marks, size;
};

static struct parts parts_of(const struct exitblock_unit *u) {
    struct parts p = {.path = sizeof *u};
    p.events = p.path + u->branch.length * sizeof(struct rd_choice);
    p.cells = p.events + u->events * sizeof(struct rd_event);
    p.marks = p.cells + (u->delayed + u->blocked) * sizeof(struct rd_cell);
    p.size = p.marks + u->marks * sizeof(struct rd_thread_mark);
    return p;
}
static_assert(sizeof(struct exitblock_unit) % 8 == 0 && sizeof(struct rd_choice) % 8 == 0 &&
                  sizeof(struct rd_event) % 8 == 0,
              "what follows them is aligned");

size_t rd_exitblock_give(void *state, uint64_t level, void *to, size_t room) {
    struct rd_exitblock_search *s = state;
    (void)level;
    if (is_stale(s) || s->stack.count == 0 || s->stack.count + s->planned < 2)
        return 0;
    struct exitblock_unit u = {.branch = s->stack.at[0], .generation = s->generation};
    measure(&s->footprints, u.branch.delayed, &u.delayed, &u.events);
    measure(&s->footprints, u.branch.blocked, &u.blocked, &u.events);
    for (uint32_t i = u.branch.limits; i; i = s->limits.marks.at[i - 1].next)
        u.marks++;
    struct parts p = parts_of(&u);
    if (p.size > room)
        return 0;
    struct rd_event *events = (struct rd_event *)((char *)to + p.events);
    struct rd_cell *cells = (struct rd_cell *)((char *)to + p.cells);
    uint32_t at = 0;
    memcpy(to, &u, sizeof u);
    if (u.branch.length)
        memcpy((char *)to + p.path, s->path.at, u.branch.length * sizeof *s->path.at);
    write_list(&s->footprints, u.branch.delayed, events, &at, cells);
    write_list(&s->footprints, u.branch.blocked, events, &at, cells + u.delayed);
    RD_CHECK(at == u.events);
    struct rd_thread_mark *marks = (struct rd_thread_mark *)((char *)to + p.marks);
    for (uint32_t i = u.branch.limits; i; i = s->limits.marks.at[i - 1].next)
        *marks++ = s->limits.marks.at[i - 1];
    memmove(s->stack.at, s->stack.at + 1, --s->stack.count * sizeof *s->stack.at);
    return p.size;
}

/* Adds the cells as a list in the same order. */
static uint32_t read_list(struct rd_footprints *p, const struct rd_cell *from, uint32_t count) {
    uint32_t list = 0;
    while (count > 0)
        list = rd_footprints_add(p, list, from[--count]);
    RD_CHECK(list == p->cells.count || list == 0);
    return list;
}

void rd_exitblock_take(void *state, const void *from, size_t size) {
    struct rd_exitblock_search *s = state;
    struct exitblock_unit u;
    memcpy(&u, from, sizeof u);
    if (is_stale(s)) {
        adopt(s);
        rd_exitblock_drop(s);
    }
    if (u.generation != s->generation)
        return;
    struct parts p = parts_of(&u);
    RD_CHECK(u.branch.start <= u.branch.length && u.branch.length <= size / sizeof(struct rd_choice));
    const struct rd_choice *path = (const struct rd_choice *)((const char *)from + p.path);
    const struct rd_event *events = (const struct rd_event *)((const char *)from + p.events);
    const struct rd_cell *cells = (const struct rd_cell *)((const char *)from + p.cells);
    RD_CHECK(p.size == size && s->stack.count == 0 && !s->planned);
    s->path.count = s->footprints.cells.count = s->footprints.events.count = 0;
    for (uint32_t i = 0; i < u.branch.length; i++)
        rd_vec_push(s->arena, &s->path, path[i]);
    for (uint32_t i = 0; i < u.events; i++)
        rd_vec_push(s->arena, &s->footprints.events, events[i]);
    s->limits.marks.count = 0;
    const struct rd_thread_mark *marks = (const struct rd_thread_mark *)((const char *)from + p.marks);
    for (uint32_t i = u.marks; i-- > 0;) {
        rd_vec_push(s->arena, &s->limits.marks, marks[i]);
        s->limits.marks.at[s->limits.marks.count - 1].next = s->limits.marks.count - 1;
    }
    u.branch.limits = u.branch.marks = u.marks;
    u.branch.delayed = read_list(&s->footprints, cells, u.delayed);
    u.branch.blocked = read_list(&s->footprints, cells + u.delayed, u.blocked);
    u.branch.cells = s->footprints.cells.count;
    u.branch.events = s->footprints.events.count;
    rd_vec_push(s->arena, &s->stack, u.branch);
}

/* ---- the end ---- */

struct exitblock_tally {
    uint64_t paths;
    uint32_t undisciplined, stuck, ended, limited;
};

size_t rd_exitblock_tally(const void *state, void *to, size_t room) {
    const struct rd_exitblock_search *s = state;
    struct exitblock_tally t = {rd_exitblock_counted(s).paths, s->undisciplined, s->stuck, s->ended, s->limited};
    RD_CHECK(sizeof t <= room);
    memcpy(to, &t, sizeof t);
    return sizeof t;
}

void rd_exitblock_merge(void *state, const void *from, size_t size) {
    struct rd_exitblock_search *s = state;
    struct exitblock_tally t;
    RD_CHECK(size == sizeof t);
    memcpy(&t, from, sizeof t);
    if (is_stale(s))
        rd_exitblock_drop(s);
    adopt(s);
    s->count.paths += t.paths;
    s->undisciplined |= t.undisciplined != 0;
    s->stuck |= t.stuck != 0;
    s->ended |= t.ended != 0;
    s->limited |= t.limited != 0;
}
