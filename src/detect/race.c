/*
 * race.c - data races: two accesses to the same memory, one of them a write, not both atomic, and neither happens
 * before the other (sync.h). Exact for the execution: each report is a race of it, and memory on which the
 * execution has a race is reported.
 *
 * For each word of 8 bytes the detector keeps the accesses that a later access can still race with. An access is
 * identified by the epoch of its thread (FastTrack: Flanagan and Freund, PLDI 2009): all accesses of a thread
 * between two releases have the same epoch, and one comparison with a vector clock tells whether the access happens
 * before a step. FastTrack keeps the last write and a clock of reads; here a word has a list, because the accesses
 * differ in their bytes and in being atomic. An access is dropped when a new one comes after it in the
 * happens-before relation, touches at least the same bytes and conflicts with each access that the old one
 * conflicts with (rd_race_is_covered). So lists rarely have more than two elements.
 *
 * Unseen code may synchronise, too: a library that instrumented code calls, and a library that calls instrumented
 * code, in a thread of its own. A second set of clocks (`unseen`) takes each stay in unseen code as an acquire of,
 * and a release to, one object that all unseen code shares. A race that these clocks order is *unreliable*: it is
 * reported as a warning, under a key of its own, so that the same race without such calls in between is still
 * found. If the program has inline assembly with atomic instructions, which can synchronise without a hook, all its
 * races are unreliable, because no hook tells when a thread executes it.
 *
 * To free a block is a write of all of it, which races also with the use of a synchronisation object in it. After
 * the free all accesses to its words are dropped: later memory there is another block, and a use of the freed one
 * is a finding of the heap.
 */
#include "detect/detect.h"
#include "detect/race_access.h"
#include "detect/sync.h"
#include "trace/held.h"
#include "trace/module.h"
#include "trace/event.h"
#include "trace/place.h"

#include "base/text.h"

/* An access to one word, which later accesses can race with. */
struct race_access {
    struct race_access *next; /* an older access to the same word, or the next spare one */
    uint32_t step;            /* number of the step, from 0 */
    uint32_t epoch;           /* of the thread, by the clocks `sync` */
    uint32_t epoch_unseen;    /* of the thread, by the clocks `unseen`; 0: there is no unseen code */
    rd_tid tid;
    struct rd_race_access does;
};

enum { MODULES_MAX = 1024 };

struct races {
    struct rd_arena *arena;
    const struct rd_record *r;
    const struct rd_known *known;
    struct rd_sync sync;
    struct rd_sync unseen;              /* clocks in which unseen code synchronises, too; in use if any_unseen */
    bool any_unseen;                    /* a thread has been in unseen code */
    bool *inside;                       /* by thread: it may be in unseen code */
    bool *leaves;                       /* by step: after the step its thread goes, or returns, into unseen code */
    uint64_t foreign[MODULES_MAX / 64]; /* modules of unseen code, as bits */
    uint64_t instrumented[MODULES_MAX / 64]; /* modules whose accesses are steps, as bits */
    struct rd_map words;                     /* place / 8 -> struct race_access *, the newest first */
    struct race_access *spare;               /* elements of lists that can be used again */
};

/* One report for a pair of places in the code, in either order. */
static uint64_t key_of(const struct rd_step *a, const struct rd_step *b) {
    return rd_hash2(RD_DATA_RACE, rd_hash2(RD_MIN(a->pc, b->pc), RD_MAX(a->pc, b->pc)));
}

/* True if the program has marked all these bytes of the word as memory whose races are intended
 * (RD_ANNOTATION_BENIGN).
 */
static bool is_benign(const struct races *s, uint64_t word, uint8_t mask) {
    RD_ASSERT(mask != 0);
    for (unsigned i = 0; i < 8; i++)
        for (uint32_t k = 0; mask >> i & 1; k++) {
            if (k == s->r->annotation_count)
                return false;
            const struct rd_annotation *m = &s->r->annotations[k];
            if (m->kind == RD_ANNOTATION_BENIGN && word * 8 + i >= m->first && word * 8 + i <= m->last)
                break;
        }
    return true;
}

static void describe(const struct races *s, uint64_t word, const struct race_access *before,
                     const struct race_access *now, struct rd_finding *f) {
    const struct rd_step *a = &s->r->steps[before->step], *b = &s->r->steps[now->step];
    RD_CHECK(before->step < now->step && a->tid != b->tid);
    *f = (struct rd_finding){.kind = RD_DATA_RACE,
                             .tid = b->tid,
                             .pc = b->pc,
                             .other_tid = a->tid,
                             .other_pc = a->pc,
                             .key = key_of(a, b),
                             .step = now->step + 1,
                             .other_step = before->step + 1};
    if (rd_access_mode_has_extents(a->order) || rd_access_mode_has_extents(b->order)) {
        f->data = word * 8 + (unsigned)__builtin_ctz(before->does.mask & now->does.mask);
        f->data_writes =
            (before->does.write ? RD_RACE_FIRST_WRITES : 0u) | (now->does.write ? RD_RACE_SECOND_WRITES : 0u);
    }
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_str(&t, now->does.frees ? "free" : now->does.write ? "write" : now->does.object ? "use" : "read");
    rd_text_str(&t, " of memory that another thread ");
    rd_text_str(&t, before->does.write ? "writes" : before->does.object ? "uses" : "reads");
    rd_text_str(&t, now->does.atomic      ? ", not atomically, and"
                    : before->does.atomic ? " atomically, and"
                                          : ", and");
    rd_text_str(&t, " nothing orders the two");
}

/*
 * Adds the access `now` to the list of one word. Returns true if it races with an earlier access in the list and
 * the race is not known; *f describes the first such race. Earlier accesses that `now` covers are dropped.
 */
static bool visit(struct races *s, uint64_t word, struct race_access **list, const struct race_access *now,
                  struct rd_finding *f) {
    bool found = false;
    RD_ASSERT(now->does.mask != 0 && now->epoch > 0);
    for (struct race_access **at = list; *at;) {
        struct race_access *old = *at;
        bool before = rd_sync_before(&s->sync, old->tid, old->epoch, now->tid);
        if (!found && !before && rd_race_conflict(&old->does, &now->does)) {
            uint64_t key = key_of(&s->r->steps[old->step], &s->r->steps[now->step]);
            bool benign = s->r->annotation_count && is_benign(s, word, old->does.mask & now->does.mask);
            bool doubtful = s->r->inline_atomics ||
                            (s->any_unseen && rd_sync_before(&s->unseen, old->tid, old->epoch_unseen, now->tid));
            if (benign) /* a key of its own: the same code may race on other memory */
                key = rd_hash2(key, RD_RACE_BENIGN);
            else if (doubtful)
                key = rd_race_key_unreliable(key);
            found = !rd_known_has(s->known, key);
            if (found) {
                describe(s, word, old, now, f);
                f->key = key;
                f->status = benign ? RD_RACE_BENIGN : doubtful ? RD_RACE_UNRELIABLE : 0;
            } else {
                rd_known_at(s->known, key, word * 8 + (unsigned)__builtin_ctz(old->does.mask & now->does.mask));
            }
        }
        if (before && rd_race_is_covered(&old->does, &now->does)) {
            *at = old->next;
            old->next = s->spare;
            s->spare = old;
        } else {
            at = &old->next;
        }
    }
    struct race_access *fresh = s->spare;
    if (fresh)
        s->spare = fresh->next;
    else
        fresh = rd_arena_alloc(s->arena, sizeof *fresh);
    *fresh = *now;
    fresh->next = *list;
    *list = fresh;
    return found;
}

/* Empties the list of a word. */
static void forget(struct races *s, struct race_access **list) {
    while (*list) {
        struct race_access *old = *list;
        *list = old->next;
        old->next = s->spare;
        s->spare = old;
    }
}

/* The free `now` of memory in one word; slot: its list, NULL if the word was not accessed. A free by unseen code is
 * not compared with the accesses before it. */
static bool free_word(struct races *s, uint64_t word, uint64_t *slot, struct race_access *now,
                      struct rd_finding *f) {
    struct race_access *list = slot ? (struct race_access *)(uintptr_t)*slot : NULL;
    if (!list)
        return false;
    RD_ASSERT(now->does.frees);
    now->does.mask = 0xff; /* the rest of the last word belongs to no other block */
    bool found = rd_access_mode(s->r->steps[now->step].order) != RD_ACCESS_UNSEEN && visit(s, word, &list, now, f);
    forget(s, &list);
    *slot = 0;
    return found;
}

/* A block is freed. Most words of a large block were not accessed, so the smaller of block and table is walked. */
static bool free_all(struct races *s, uint64_t first, uint64_t last, struct race_access *now,
                     struct rd_finding *f) {
    uint64_t words = last / 8 - first / 8 + 1;
    bool found = false;
    RD_ASSERT(first <= last && now->does.write);
    for (uint64_t i = 0; words > s->words.room && i < s->words.room && !found; i++) {
        struct rd_map_slot *slot = &s->words.slots[i];
        found = slot->key && slot->key - first / 8 < words && free_word(s, slot->key, &slot->value, now, f);
    }
    for (uint64_t i = 0; words <= s->words.room && i < words && !found; i++)
        found = free_word(s, first / 8 + i, rd_map_get(&s->words, first / 8 + i), now, f);
    return found;
}

/* Adds the access `now` to all words of the bytes from first to last. True: a race, described in f. */
static bool visit_all(struct races *s, uint64_t first, uint64_t last, struct race_access *now,
                      struct rd_finding *f) {
    if (now->does.frees)
        return free_all(s, first, last, now, f);
    RD_ASSERT(first <= last);
    for (uint64_t word = first / 8; word <= last / 8; word++) {
        now->does.mask = rd_race_mask(word, first, last);
        uint64_t *slot = rd_map_put(&s->words, s->arena, word);
        struct race_access *list = (struct race_access *)(uintptr_t)*slot;
        bool found = visit(s, word, &list, now, f);
        *slot = (uintptr_t)list;
        if (found)
            return true;
    }
    return false;
}

static bool in_heap(rd_place p) {
    return rd_place_region(p) >= RD_PLACE_HEAP && rd_place_region(p) < RD_PLACE_STACK;
}

/* The step uses synchronisation objects. Those in the heap must not be freed meanwhile: their memory is accessed.
 */
static bool use_objects(struct races *s, const struct rd_step *it, struct race_access *now, struct rd_finding *f) {
    uint64_t used[RD_EVENT_OBJECTS];
    rd_place second = it->flags & RD_STEP_VALUE2 ? it->value : 0;
    if (!in_heap(it->place) && !in_heap(second))
        return false;
    now->does.object = now->does.atomic = true;
    rd_event_used(it->op, it->place, second, used);
    for (unsigned i = 0; i < RD_EVENT_OBJECTS; i++)
        if (used[i] && in_heap(used[i]) && visit_all(s, used[i], used[i], now, f))
            return true;
    return false;
}

/* A call of a library function accesses the memory that its extents name. */
static bool visit_extents(struct races *s, const struct rd_extents *x, struct race_access *now,
                          struct rd_finding *f) {
    for (uint32_t i = 0; i < x->count; i++) {
        const struct rd_extent *e = &x->at[i];
        now->does.write = e->touch == RD_TOUCH_WRITE;
        if (!e->object && !e->bound && rd_place_region(e->first) < RD_PLACE_IO &&
            visit_all(s, e->first, e->last, now, f))
            return true;
    }
    return false;
}

/* Adds the accesses of a step, whose thread was in these epochs when the step began. True: a race, described in f.
 */
static bool touch(struct races *s, uint32_t step, uint32_t epoch, uint32_t epoch_unseen, struct rd_finding *f) {
    const struct rd_step *it = &s->r->steps[step];
    unsigned flags = rd_op_flags(it->op);
    struct race_access now = {.step = step, .tid = it->tid, .epoch = epoch, .epoch_unseen = epoch_unseen};
    if (it->op == RD_OP_AWAIT || it->flags & RD_STEP_SIGNALLED)
        return false;
    const struct rd_extents *x = rd_extents_of(it->order, it->value);
    if (RD_UNLIKELY(x != NULL))
        return visit_extents(s, x, &now, f);
    bool stores = flags & RD_F_STORES && it->place && !it->result;
    if (!(flags & (RD_F_READS | RD_F_WRITES)) && !stores)
        return use_objects(s, it, &now, f);
    if (it->size == 0)
        return false;
    if (rd_place_region(it->place) >= RD_PLACE_IO)
        return false; /* a file, or mapped memory, which may be unmapped and mapped anew at the same address */
    now.does.frees = it->op == RD_OP_FREE;
    now.does.atomic = flags & RD_F_ATOMIC;
    now.does.write = stores || ((flags & RD_F_WRITES) && !(it->op == RD_OP_ATOMIC_CAS && it->result));
    rd_place first, last;
    rd_place_span(it->place, it->size, &first, &last);
    return visit_all(s, first, last, &now, f);
}

/* True if the place is in a module with steps that are accesses or calls. */
static bool is_instrumented(const struct races *s, rd_place pc) {
    int module = rd_place_module(pc);
    return module >= 0 && module < MODULES_MAX && s->instrumented[module / 64] >> module % 64 & 1;
}

/* True if the place is in a module of unseen code. */
static bool is_foreign(const struct races *s, rd_place pc) {
    int module = rd_place_module(pc);
    return module >= 0 && module < MODULES_MAX && s->foreign[module / 64] >> module % 64 & 1;
}

/*
 * Fills in `leaves`. Unseen code may call functions of the program, for instance in a thread of its own. The return
 * of such a function is no step. But a later step of the thread in the library shows that it has returned, and so
 * does the end of a thread whose first function is in the library. A thread whose pending operation at the end of
 * the record is in the program has not returned.
 */
static void look_for_returns(struct races *s) {
    const struct rd_record *r = s->r;
    bool *next = rd_arena_zero(s->arena, rd_record_threads(r) * sizeof *next);
    s->leaves = rd_arena_zero(s->arena, r->out->steps * sizeof *s->leaves);
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (r->steps[i].op == RD_OP_START && is_foreign(s, r->steps[i].pc))
            next[r->steps[i].tid] = true;
    for (uint32_t t = 0; r->threads && t < rd_record_threads(r); t++)
        if (r->threads[t].state == RD_T_READY && r->threads[t].pending.kind != RD_OP_NONE)
            next[t] = is_foreign(s, r->threads[t].pending.pc);
    for (uint32_t i = r->out->steps; i-- > 0;) {
        rd_tid tid = r->steps[i].tid;
        s->leaves[i] = next[tid];
        next[tid] = is_foreign(s, r->steps[i].pc);
    }
}

/* Finds the modules of unseen code, and the instrumented modules by their steps. True: there is unseen code. */
static bool look_for_unseen(struct races *s) {
    bool any = false;
    for (uint32_t i = 0; i < RD_MIN(s->r->module_count, (uint32_t)MODULES_MAX); i++)
        if (!s->r->modules[i].instrumented && !s->r->modules[i].known)
            s->foreign[i / 64] |= (uint64_t)1 << i % 64;
    for (uint32_t i = 0; i < s->r->out->steps; i++) {
        const struct rd_step *it = &s->r->steps[i];
        any |= rd_step_is_unseen(it) || is_foreign(s, it->pc);
        int module = rd_place_module(it->pc);
        bool tells = it->op == RD_OP_READ || it->op == RD_OP_WRITE || it->op == RD_OP_CALL;
        if (tells && module >= 0 && module < MODULES_MAX)
            s->instrumented[module / 64] |= (uint64_t)1 << module % 64;
    }
    return any;
}

/*
 * Adds the step to the clocks `unseen`; returns the epoch of its thread before it. A stay in unseen code lasts
 * until a step of the thread in instrumented code: before each step until then the thread may have acquired what
 * unseen code released in other threads meanwhile.
 */
static uint32_t step_unseen(struct races *s, uint32_t at) {
    const struct rd_step *step = &s->r->steps[at];
    RD_ASSERT(s->any_unseen && step->tid < s->unseen.threads);
    if (s->inside[step->tid] || is_foreign(s, step->pc))
        rd_sync_unseen(&s->unseen, step->tid);
    s->inside[step->tid] &= !is_instrumented(s, step->pc);
    uint32_t epoch = rd_sync_now(&s->unseen, step->tid);
    rd_sync_step(&s->unseen, step);
    if (rd_step_is_unseen(step) || s->leaves[at]) {
        rd_sync_unseen(&s->unseen, step->tid);
        s->inside[step->tid] = true;
    }
    return epoch;
}

bool rd_detect_race(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                    struct rd_finding *f) {
    struct races s = {.arena = scratch, .r = r, .known = known};
    rd_sync_init(&s.sync, scratch, rd_record_threads(r), r->cxx20);
    s.any_unseen = look_for_unseen(&s);
    if (s.any_unseen) {
        rd_sync_init(&s.unseen, scratch, rd_record_threads(r), r->cxx20);
        s.inside = rd_arena_zero(scratch, rd_record_threads(r) * sizeof *s.inside);
        look_for_returns(&s);
    }
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (rd_step_is_way(&r->steps[i]))
            continue;
        /* an atomic access comes after what it acquires, and belongs to the epoch that it releases */
        uint32_t epoch = rd_sync_now(&s.sync, r->steps[i].tid);
        rd_sync_step(&s.sync, &r->steps[i]);
        uint32_t epoch_unseen = s.any_unseen ? step_unseen(&s, i) : 0;
        if (touch(&s, i, epoch, epoch_unseen, f))
            return true;
    }
    return false;
}
