/*
 * schedule_write.c - writes a schedule file. The bytes must follow from the execution alone. Two parts of a record
 * do not: addresses outside all known regions, which are numbered in the order of their first appearance (so they
 * can still be told apart), and the address of a crash, which is written only near null, where it means the same in
 * every process.
 */
#include "file/schedule_emit.h"

#include "base/text.h"
#include "trace/place.h"
#include "foreign/sync_rules.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NEAR_NULL = 0x10000, START_BYTES = 64 }; /* START_BYTES: the size of _start, or less */

/* True if the code is in libc or libraddle, which begin threads. */
static bool in_libc(const struct rd_schedule_writer *w, rd_place pc) {
    int m = rd_place_module(pc);
    if (m < 0 || (uint32_t)m >= w->s->module_count)
        return false;
    const char *path = w->s->modules[m].path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(base, "libc.", 5) == 0 || strncmp(base, "libpthread", 10) == 0 ||
           strncmp(base, "libraddle", 9) == 0;
}

/* True if the code is in _start of the program. */
static bool in_start(const struct rd_schedule_writer *w, rd_place pc) {
    return w->entry && rd_place_module(pc) == 0 && rd_place_offset(pc) - w->entry < START_BYTES;
}

/* The length of a stack without the frames below the thread's first function: in these the backends differ. */
static uint32_t stack_length(const struct rd_schedule_writer *w, const rd_place *stack, uint32_t max) {
    uint32_t n = 0;
    while (n < max && stack[n])
        n++;
    while (n > 0 && (in_libc(w, stack[n - 1]) || in_start(w, stack[n - 1])))
        n--;
    return n;
}

/* The number of a stack in the file, from 1; 0: it is empty. `write`: writes its line if that was not done before.
 */
static uint32_t stack_number(struct rd_schedule_writer *w, const rd_place *stack, uint32_t max, bool write) {
    uint32_t n = stack ? stack_length(w, stack, max) : 0;
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        hash = rd_hash2(hash, stack[i]);
        rd_emit_mark(w, stack[i]);
    }
    if (n == 0)
        return 0;
    uint64_t *number = rd_map_put(&w->stacks, &w->arena, hash);
    if (*number == 0 && write) {
        *number = ++w->stack_count;
        rd_emitf(w, "stack %u", w->stack_count);
        for (uint32_t i = 0; i < n; i++) {
            char place[RD_PLACE_TEXT];
            rd_emitf(w, " %s", rd_emit_place(w, stack[i], place));
        }
        rd_emit(w, "\n");
    }
    return (uint32_t)*number;
}

static uint32_t step_stack(struct rd_schedule_writer *w, uint32_t step, bool write) {
    const rd_place *stack = w->s->step_stacks ? w->s->step_stacks[step] : NULL;
    return stack_number(w, stack, RD_STEP_STACK, write);
}

static uint32_t thread_stack(struct rd_schedule_writer *w, uint32_t tid, bool write) {
    const struct rd_thread_info *t = &w->s->threads[tid];
    const rd_place *stack = w->s->stacks && t->state == RD_T_READY ? w->s->stacks[tid] : NULL;
    return stack_number(w, stack, RD_MIN(t->frames, RD_STACK_MAX), write);
}

/* Marks the modules of all stacks, and writes their lines if `write`. */
static void each_stack(struct rd_schedule_writer *w, bool write) {
    for (uint32_t i = 0; i < w->s->step_count; i++)
        step_stack(w, i, write);
    for (uint32_t i = 0; i < w->s->thread_count; i++)
        thread_stack(w, i, write);
}

static void mark_block(struct rd_schedule_writer *w, const struct rd_heap_fact *h) {
    rd_emit_mark(w, h->made_pc);
    rd_emit_mark(w, h->freed_pc);
    for (uint32_t i = 0; i < stack_length(w, h->made, RD_HEAP_STACK); i++)
        rd_emit_mark(w, h->made[i]);
    for (uint32_t i = 0; i < stack_length(w, h->freed, RD_HEAP_STACK); i++)
        rd_emit_mark(w, h->freed[i]);
}

/* Marks the modules of all places that the file will have, because the lines of modules come first. */
static void mark_modules(struct rd_schedule_writer *w) {
    const struct rd_schedule *s = w->s;
    const rd_place single[] = {s->finding.pc, s->finding.other_pc, s->why.second_place, s->why.second_pc,
                               s->finding.data};
    for (uint32_t i = 0; i < RD_COUNT(single); i++)
        rd_emit_mark(w, single[i]);
    mark_block(w, &s->finding.heap);
    for (uint32_t i = 0; i < s->track_count; i++)
        rd_emit_mark(w, s->track[i].first);
    for (uint32_t i = 0; i < s->shared_count; i++)
        rd_emit_mark(w, s->shared[i].first);
    for (uint32_t i = 0; i < s->annotation_count; i++)
        if (s->annotations[i].kind == RD_ANNOTATION_NAME)
            rd_emit_mark(w, s->annotations[i].first);
    for (uint32_t i = 0; i < s->part_count; i++)
        rd_emit_mark(w, s->parts[i].pc);
    for (uint32_t i = 0; i < s->block_count; i++)
        for (uint32_t k = 0; k < stack_length(w, s->blocks[i].calls, RD_HEAP_STACK); k++)
            rd_emit_mark(w, s->blocks[i].calls[k]);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        if (s->threads[i].state == RD_T_UNUSED)
            continue;
        rd_emit_mark(w, s->threads[i].pending.place);
        if (!rd_access_mode_has_extents(s->threads[i].pending.order))
            rd_emit_mark(w, s->threads[i].pending.place2);
        rd_emit_mark(w, s->threads[i].pending.pc);
        rd_emit_mark(w, s->threads[i].held_pc);
    }
    for (uint32_t i = 0; i < s->step_count; i++) {
        rd_emit_mark(w, s->steps[i].place);
        rd_emit_mark(w, s->steps[i].pc);
        if (s->steps[i].flags & RD_STEP_VALUE2)
            rd_emit_mark(w, s->steps[i].value);
    }
    each_stack(w, false);
}

static void line_quoted(struct rd_schedule_writer *w, const char *word, const char *text) {
    rd_emitf(w, "%s ", word);
    rd_emit_quoted(w, text);
    rd_emit(w, "\n");
}

static void write_head(struct rd_schedule_writer *w) {
    static const char *const points[] = {"auto", "sync", "all", "shared", "raced"};
    const struct rd_schedule *s = w->s;
    rd_emitf(w, "raddle-schedule %d\n", RD_SCHEDULE_VERSION);
    line_quoted(w, "program", s->program);
    rd_emit(w, "build-id ");
    rd_emit_build_id(w, s->build_id, s->build_id_size);
    line_quoted(w, "cwd", s->cwd);
    for (uint32_t i = 0; i < s->arg_count; i++)
        line_quoted(w, "arg", s->args[i]);
    char rule[RD_SYNC_LINE];
    for (const char *at = s->rules ? s->rules : ""; (at = rd_sync_rule_next(at, rule));)
        line_quoted(w, "rule", rule);
    RD_CHECK(s->points < RD_COUNT(points));
    rd_emitf(w, "points %s", points[s->points]);
    if (rd_schedule_lists_points(s))
        rd_emitf(w, " %" PRIu64, s->patience);
    rd_emitf(w, "\nseed %" PRIu64 "\nexpect-status %d\n", s->seed, s->expect_status);
    rd_emitf(w, "spurious %u\ntimeouts %u\nsignal-fifo %u\n", s->spurious, s->timeouts, s->signal_fifo);
    rd_emitf(w, "steps-max %u\nfair-after %u", s->steps_max, s->fair_after);
    if (s->yields > 1)
        rd_emitf(w, " yields %u", s->yields);
    if (s->heap != RD_HEAP_ON)
        rd_emitf(w, " heap %u", s->heap);
    if (s->separate)
        rd_emitf(w, " separate %u", s->separate);
    rd_emit(w, "\n");
    for (uint32_t i = 0; i < s->module_count && i < RD_MODULES_MAX; i++) {
        if (!w->used[i])
            continue;
        rd_emitf(w, "module %u ", i);
        rd_emit_quoted(w, s->modules[i].path);
        rd_emit(w, " ");
        rd_emit_build_id(w, s->modules[i].build_id, s->modules[i].build_id_size);
    }
}

static void write_span(struct rd_schedule_writer *w, const char *word, rd_place first, rd_place last) {
    char from[RD_PLACE_TEXT], to[RD_PLACE_TEXT];
    rd_emitf(w, "%s %s %s\n", word, rd_emit_place(w, first, from), rd_emit_place(w, last, to));
}

/* Writes which accesses were points, if not all were: shared memory, tracked memory. */
static void write_watch(struct rd_schedule_writer *w) {
    const struct rd_schedule *s = w->s;
    for (uint32_t i = 0; i < s->shared_count; i++)
        write_span(w, "shared", s->shared[i].first, s->shared[i].last);
    if (s->access_points == RD_ACCESSES_ALL)
        return;
    RD_CHECK(s->access_points < RD_ACCESSES_COUNT);
    rd_emitf(w, "watch %s\n", rd_schedule_watches[s->access_points]);
    for (uint32_t i = 0; i < s->track_count; i++)
        write_span(w, "track", s->track[i].first, s->track[i].last);
}

static void write_block_end(struct rd_schedule_writer *w, const char *word, rd_tid tid, rd_place pc,
                            const rd_place *stack) {
    char place[RD_PLACE_TEXT];
    uint32_t n = pc ? stack_length(w, stack, RD_HEAP_STACK) : 0;
    rd_emitf(w, " %s %u %s %u", word, pc ? tid : 0, rd_emit_place(w, pc, place), n);
    for (uint32_t i = 0; i < n; i++)
        rd_emitf(w, " %s", rd_emit_place(w, stack[i], place));
}

static void write_block(struct rd_schedule_writer *w, const struct rd_heap_fact *h) {
    char place[RD_PLACE_TEXT];
    if (!h->block)
        return;
    rd_emitf(w, "block %s %" PRIu64 " %" PRId64 " %u", rd_emit_place(w, h->block, place), h->size, h->offset,
             h->count);
    write_block_end(w, "made", h->made_tid, h->made_pc, h->made);
    write_block_end(w, "freed", h->freed_tid, h->freed_pc, h->freed);
    rd_emit(w, "\n");
}

static void write_names(struct rd_schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->annotation_count; i++) {
        const struct rd_annotation *m = &w->s->annotations[i];
        char first[RD_PLACE_TEXT], last[RD_PLACE_TEXT];
        if (m->kind != RD_ANNOTATION_NAME || rd_place_region(m->first) == RD_PLACE_OTHER)
            continue;
        rd_emitf(w, "name %s %s ", rd_emit_place(w, m->first, first), rd_emit_place(w, m->last, last));
        rd_emit_quoted(w, m->name);
        rd_emit(w, "\n");
    }
}

static void write_parts(struct rd_schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->part_count; i++) {
        const struct rd_stack_part *p = &w->s->parts[i];
        const rd_place places[] = {p->pc, p->low, p->high, p->used};
        rd_emit(w, "part");
        for (uint32_t k = 0; k < RD_COUNT(places); k++) {
            char text[RD_PLACE_TEXT];
            rd_emitf(w, " %s", rd_emit_place(w, places[k], text));
        }
        rd_emit(w, "\n");
    }
}

static void write_blocks(struct rd_schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->block_count; i++) {
        const struct rd_used_block *b = &w->s->blocks[i];
        char text[RD_PLACE_TEXT];
        rd_emitf(w, "allocated %s %" PRIu64, rd_emit_place(w, b->first, text), b->size);
        for (uint32_t k = 0; k < stack_length(w, b->calls, RD_HEAP_STACK); k++)
            rd_emitf(w, " %s", rd_emit_place(w, b->calls[k], text));
        rd_emit(w, "\n");
    }
}

static void write_finding(struct rd_schedule_writer *w) {
    const struct rd_finding *f = &w->s->finding;
    char pc[RD_PLACE_TEXT], other_pc[RD_PLACE_TEXT], fault[24] = "-", thread[8] = "-", other[8] = "-";
    rd_emitf(w, "finding %s\n", rd_finding_name(f->kind));
    if (f->kind == RD_NO_FINDING)
        return;
    if (f->fault_addr < NEAR_NULL)
        snprintf(fault, sizeof fault, "0x%" PRIx64, f->fault_addr);
    if (f->tid != RD_TID_NONE)
        snprintf(thread, sizeof thread, "%u", f->tid);
    if (f->other_pc && f->other_tid < RD_TID_MAX)
        snprintf(other, sizeof other, "%u", f->other_tid);
    rd_emitf(w, "finding-at thread %s signal %d status %d fault %s pc %s line %d key %016" PRIx64 " other %s %s",
             thread, f->signal, f->status, fault, rd_emit_place(w, f->pc, pc), f->line, f->key, other,
             rd_emit_place(w, f->other_pc, other_pc));
    if (f->step)
        rd_emitf(w, " steps %u %u", f->step, f->other_step);
    if (f->circle_count)
        rd_emitf(w, " circle %u", f->circle_count);
    for (uint32_t i = 0; i < f->circle_count; i++)
        rd_emitf(w, " %u", f->circle[i]);
    rd_emit(w, "\n");
    line_quoted(w, "message", f->message);
    line_quoted(w, "file", f->file);
    line_quoted(w, "function", f->function);
    write_block(w, &f->heap);
    if (f->data)
        rd_emitf(w, "data %s %u\n", rd_emit_place(w, f->data, pc), f->data_writes);
    rd_emit(w, rd_schedule_why(&w->s->why, (char[RD_WHY_TEXT]){0}));
}

static void write_threads(struct rd_schedule_writer *w) {
    const struct rd_schedule *s = w->s;
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const struct rd_thread_info *t = &s->threads[i];
        if (i == 0)
            rd_emit(w, "thread 0 parent - child 0");
        else
            rd_emitf(w, "thread %u parent %u child %u", i, t->parent, t->ordinal);
        if (t->name[0]) {
            char name[sizeof t->name + 1] = {0};
            memcpy(name, t->name, sizeof t->name);
            rd_emit(w, " name ");
            rd_emit_quoted(w, name);
        }
        rd_emit(w, "\n");
    }
}

static void write_steps(struct rd_schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->step_count; i++) {
        const struct rd_step *s = &w->s->steps[i];
        struct rd_step_names names = {.stack = step_stack(w, i, false)};
        char line[RD_STEP_LINE];
        rd_emit_place(w, s->place, names.place);
        rd_emit_place(w, s->pc, names.pc);
        if (s->flags & RD_STEP_VALUE2)
            rd_emit_place(w, s->value, names.value);
        rd_schedule_step_line(line, s, i + 1, &names);
        rd_emit(w, line);
    }
}

static void write_pending(struct rd_schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->thread_count; i++) {
        const struct rd_thread_info *t = &w->s->threads[i];
        char place[RD_PLACE_TEXT], place2[RD_PLACE_TEXT], pc[RD_PLACE_TEXT], held[RD_PLACE_TEXT], holder[8] = "-";
        if (t->state == RD_T_FINISHED)
            rd_emitf(w, "pending %u finished\n", i);
        if (t->state != RD_T_READY)
            continue;
        if (t->holder != RD_TID_NONE)
            snprintf(holder, sizeof holder, "%u", t->holder);
        rd_emit_place(w, t->pending.place, place);
        rd_emit_place(w, rd_access_mode_has_extents(t->pending.order) ? 0 : t->pending.place2, place2);
        rd_emit_place(w, t->pending.pc, pc);
        rd_emit_place(w, t->held_pc, held);
        rd_emitf(w, "pending %u %s %s %s %s %s %u %" PRIu64 " %s %u %s %u\n", i, t->enabled ? "ready" : "blocked",
                 rd_op_name(t->pending.kind), place, place2, pc, t->pending.size, t->pending.arg, holder,
                 t->held_step, held, thread_stack(w, i, false));
    }
}

static int fail(struct rd_error *error, const char *what, const char *path) {
    rd_error_set(error, "cannot %s '%s': %s", what, path, strerror(errno));
    return -1;
}

/* Address space for the maps: enough for 20 places a step in tables that double when they are a quarter full. */
static bool reserve(struct rd_schedule_writer *w) {
    size_t size = ((size_t)w->s->step_count + w->s->thread_count + w->s->track_count + w->s->shared_count + 64) *
                  80 * sizeof(struct rd_map_slot);
    void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return false;
    rd_arena_init(&w->arena, region, size);
    return true;
}

static void write_all(struct rd_schedule_writer *w) {
    mark_modules(w);
    write_head(w);
    rd_emit_sources(w);
    write_watch(w);
    write_names(w);
    write_parts(w);
    write_blocks(w);
    write_finding(w);
    write_threads(w);
    each_stack(w, true);
    write_steps(w);
    write_pending(w);
    rd_emit_signature(w);
    rd_emitf(w, "end %u %016" PRIx64 "\n", w->s->step_count, (uint64_t)w->sum);
    munmap(w->arena.base, w->arena.size);
}

/* Is there something under this name that is no file, such as a device or a pipe? A new file must not take its
 * place. */
static bool is_special(const char *path) {
    struct stat there;
    return stat(path, &there) == 0 && !S_ISREG(there.st_mode);
}

int rd_schedule_write(const struct rd_schedule *s, const char *path, struct rd_error *error) {
    bool direct = is_special(path);
    char *temp;
    if (asprintf(&temp, direct ? "%s" : "%s.%d.tmp", path, (int)getpid()) < 0)
        return fail(error, "write", path);
    if (!direct)
        unlink(temp); /* left by a process with the same number that was killed */
    int fd = open(temp, direct ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct rd_schedule_writer w = {.file = fd < 0 ? NULL : fdopen(fd, "w"),
                                   .sum = RD_CHECKSUM_START,
                                   .s = s,
                                   .entry = s->step_stacks || s->stacks ? rd_schedule_entry(s->program) : 0};
    int result = -1;
    rd_emit_begin_signature(&w);
    if (!w.file || !reserve(&w)) {
        fail(error, "create", path);
        if (w.file)
            fclose(w.file);
        else if (fd >= 0)
            close(fd);
    } else {
        write_all(&w);
        bool bad = ferror(w.file);
        if (fclose(w.file) != 0 || bad || (!direct && rename(temp, path) != 0))
            fail(error, "write", path);
        else
            result = 0;
        if (result != 0 && !direct)
            unlink(temp);
    }
    free(temp);
    return result;
}
