/*
 * schedule_write.c - writes a schedule file. The bytes must follow from the execution alone. Two parts of a record
 * do not: addresses outside all known regions, which are numbered in the order of their first appearance (so they
 * can still be told apart), and the address of a crash, which is written only near null, where it means the same in
 * every process.
 */
#include "file/schedule.h"

#include "base/map.h"
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
#include <unistd.h>

enum { NEAR_NULL = 0x10000, START_BYTES = 64 }; /* START_BYTES: the size of _start, or less */

struct schedule_writer {
    FILE *file;
    uint64_t sum; /* checksum of the bytes so far */
    const struct rd_schedule *s;
    struct rd_arena arena; /* for the maps */
    struct rd_map others;  /* address outside all known regions -> its number in the file, from 1 */
    struct rd_map stacks;  /* hash of a stack -> its number in the file, from 1; 0: it was not written yet */
    uint32_t stack_count;
    uint64_t entry;            /* rd_schedule_entry of the program */
    char used[RD_MODULES_MAX]; /* by module: 1 if a place in the file is in it */
};

static void emit(struct schedule_writer *w, const char *text) {
    size_t n = strlen(text);
    w->sum = rd_schedule_checksum(w->sum, text, n);
    fwrite(text, 1, n, w->file);
}

__attribute__((format(printf, 2, 3))) static void emitf(struct schedule_writer *w, const char *format, ...) {
    char line[512];
    __builtin_va_list args;
    __builtin_va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    __builtin_va_end(args);
    RD_CHECK(n >= 0 && (size_t)n < sizeof line);
    emit(w, line);
}

/* Writes a C string literal; bytes other than printable ASCII become three octal digits. */
static void emit_quoted(struct schedule_writer *w, const char *text) {
    char piece[8];
    emit(w, "\"");
    for (const unsigned char *p = (const unsigned char *)(text ? text : ""); *p; p++) {
        if (*p == '\n')
            strcpy(piece, "\\n");
        else if (*p == '\t')
            strcpy(piece, "\\t");
        else if (*p == '"' || *p == '\\')
            snprintf(piece, sizeof piece, "\\%c", *p);
        else
            snprintf(piece, sizeof piece, *p < 0x20 || *p > 0x7e ? "\\%03o" : "%c", *p);
        emit(w, piece);
    }
    emit(w, "\"");
}

/* Writes a build-id and ends the line. */
static void emit_build_id(struct schedule_writer *w, const uint8_t *id, unsigned size) {
    for (unsigned i = 0; i < size && i < 20; i++)
        emitf(w, "%02x", id[i]);
    emit(w, size ? "\n" : "-\n");
}

/* The number of an address outside all known regions. */
static uint64_t number_of(struct schedule_writer *w, uint64_t address) {
    uint64_t *number = rd_map_put(&w->others, &w->arena, address);
    if (*number == 0)
        *number = w->others.count + w->others.has_zero;
    return *number;
}

/* The text of the place in this file. */
static const char *name_of(struct schedule_writer *w, rd_place place, char to[RD_PLACE_TEXT]) {
    if (place != 0 && (rd_place_region(place) >= RD_PLACE_OTHER || rd_place_region(place) == 0))
        place = rd_place_make(RD_PLACE_OTHER, number_of(w, rd_place_offset(place)));
    rd_place_text(place, to);
    return to;
}

/* Notes that the file has a place in this module. */
static void mark(struct schedule_writer *w, rd_place place) {
    int m = rd_place_module(place);
    if (m >= 0 && m < RD_MODULES_MAX)
        w->used[m] = 1;
}

/* True if the code is in libc or libraddle, which begin threads. */
static bool in_libc(const struct schedule_writer *w, rd_place pc) {
    int m = rd_place_module(pc);
    if (m < 0 || (uint32_t)m >= w->s->module_count)
        return false;
    const char *path = w->s->modules[m].path, *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    return strncmp(base, "libc.", 5) == 0 || strncmp(base, "libpthread", 10) == 0 ||
           strncmp(base, "libraddle", 9) == 0;
}

/* True if the code is in _start of the program. */
static bool in_start(const struct schedule_writer *w, rd_place pc) {
    return w->entry && rd_place_module(pc) == 0 && rd_place_offset(pc) - w->entry < START_BYTES;
}

/* The length of a stack without the frames below the thread's first function: in these the backends differ. */
static uint32_t stack_length(const struct schedule_writer *w, const rd_place *stack, uint32_t max) {
    uint32_t n = 0;
    while (n < max && stack[n])
        n++;
    while (n > 0 && (in_libc(w, stack[n - 1]) || in_start(w, stack[n - 1])))
        n--;
    return n;
}

/* The number of a stack in the file, from 1; 0: it is empty. `write`: writes its line if that was not done before.
 */
static uint32_t stack_number(struct schedule_writer *w, const rd_place *stack, uint32_t max, bool write) {
    uint32_t n = stack ? stack_length(w, stack, max) : 0;
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        hash = rd_hash2(hash, stack[i]);
        mark(w, stack[i]);
    }
    if (n == 0)
        return 0;
    uint64_t *number = rd_map_put(&w->stacks, &w->arena, hash);
    if (*number == 0 && write) {
        *number = ++w->stack_count;
        emitf(w, "stack %u", w->stack_count);
        for (uint32_t i = 0; i < n; i++) {
            char place[RD_PLACE_TEXT];
            emitf(w, " %s", name_of(w, stack[i], place));
        }
        emit(w, "\n");
    }
    return (uint32_t)*number;
}

static uint32_t step_stack(struct schedule_writer *w, uint32_t step, bool write) {
    const rd_place *stack = w->s->step_stacks ? w->s->step_stacks[step] : NULL;
    return stack_number(w, stack, RD_STEP_STACK, write);
}

static uint32_t thread_stack(struct schedule_writer *w, uint32_t tid, bool write) {
    const struct rd_thread_info *t = &w->s->threads[tid];
    const rd_place *stack = w->s->stacks && t->state == RD_T_READY ? w->s->stacks[tid] : NULL;
    return stack_number(w, stack, RD_MIN(t->frames, RD_STACK_MAX), write);
}

/* Marks the modules of all stacks, and writes their lines if `write`. */
static void each_stack(struct schedule_writer *w, bool write) {
    for (uint32_t i = 0; i < w->s->step_count; i++)
        step_stack(w, i, write);
    for (uint32_t i = 0; i < w->s->thread_count; i++)
        thread_stack(w, i, write);
}

static void mark_block(struct schedule_writer *w, const struct rd_heap_fact *h) {
    mark(w, h->made_pc);
    mark(w, h->freed_pc);
    for (uint32_t i = 0; i < stack_length(w, h->made, RD_HEAP_STACK); i++)
        mark(w, h->made[i]);
    for (uint32_t i = 0; i < stack_length(w, h->freed, RD_HEAP_STACK); i++)
        mark(w, h->freed[i]);
}

/* Marks the modules of all places that the file will have, because the lines of modules come first. */
static void mark_modules(struct schedule_writer *w) {
    const struct rd_schedule *s = w->s;
    const rd_place single[] = {s->finding.pc, s->finding.other_pc, s->why.second_place, s->why.second_pc,
                               s->finding.data};
    for (uint32_t i = 0; i < RD_COUNT(single); i++)
        mark(w, single[i]);
    mark_block(w, &s->finding.heap);
    for (uint32_t i = 0; i < s->track_count; i++)
        mark(w, s->track[i].first);
    for (uint32_t i = 0; i < s->shared_count; i++)
        mark(w, s->shared[i].first);
    for (uint32_t i = 0; i < s->annotation_count; i++)
        if (s->annotations[i].kind == RD_ANNOTATION_NAME)
            mark(w, s->annotations[i].first);
    for (uint32_t i = 0; i < s->thread_count; i++) {
        if (s->threads[i].state == RD_T_UNUSED)
            continue;
        mark(w, s->threads[i].pending.place);
        if (!rd_access_mode_has_extents(s->threads[i].pending.order))
            mark(w, s->threads[i].pending.place2);
        mark(w, s->threads[i].pending.pc);
        mark(w, s->threads[i].held_pc);
    }
    for (uint32_t i = 0; i < s->step_count; i++) {
        mark(w, s->steps[i].place);
        mark(w, s->steps[i].pc);
        if (s->steps[i].flags & RD_STEP_VALUE2)
            mark(w, s->steps[i].value);
    }
    each_stack(w, false);
}

static void line_quoted(struct schedule_writer *w, const char *word, const char *text) {
    emitf(w, "%s ", word);
    emit_quoted(w, text);
    emit(w, "\n");
}

static void write_head(struct schedule_writer *w) {
    static const char *const points[] = {"auto", "sync", "all", "shared", "raced"};
    const struct rd_schedule *s = w->s;
    emitf(w, "raddle-schedule %d\n", RD_SCHEDULE_VERSION);
    line_quoted(w, "program", s->program);
    emit(w, "build-id ");
    emit_build_id(w, s->build_id, s->build_id_size);
    line_quoted(w, "cwd", s->cwd);
    for (uint32_t i = 0; i < s->arg_count; i++)
        line_quoted(w, "arg", s->args[i]);
    char rule[RD_SYNC_LINE];
    for (const char *at = s->rules ? s->rules : ""; (at = rd_sync_rule_next(at, rule));)
        line_quoted(w, "rule", rule);
    RD_CHECK(s->points < RD_COUNT(points));
    emitf(w, "points %s", points[s->points]);
    if (rd_schedule_lists_points(s))
        emitf(w, " %" PRIu64, s->patience);
    emitf(w, "\nseed %" PRIu64 "\nexpect-status %d\n", s->seed, s->expect_status);
    emitf(w, "spurious %u\ntimeouts %u\nsignal-fifo %u\n", s->spurious, s->timeouts, s->signal_fifo);
    emitf(w, "steps-max %u\nfair-after %u", s->steps_max, s->fair_after);
    if (s->yields > 1)
        emitf(w, " yields %u", s->yields);
    if (s->heap != RD_HEAP_ON)
        emitf(w, " heap %u", s->heap);
    if (s->separate)
        emitf(w, " separate %u", s->separate);
    emit(w, "\n");
    for (uint32_t i = 0; i < s->module_count && i < RD_MODULES_MAX; i++) {
        if (!w->used[i])
            continue;
        emitf(w, "module %u ", i);
        emit_quoted(w, s->modules[i].path);
        emit(w, " ");
        emit_build_id(w, s->modules[i].build_id, s->modules[i].build_id_size);
    }
}

static void write_span(struct schedule_writer *w, const char *word, rd_place first, rd_place last) {
    char from[RD_PLACE_TEXT], to[RD_PLACE_TEXT];
    emitf(w, "%s %s %s\n", word, name_of(w, first, from), name_of(w, last, to));
}

/* Writes which accesses were points, if not all were: shared memory, tracked memory. */
static void write_watch(struct schedule_writer *w) {
    const struct rd_schedule *s = w->s;
    for (uint32_t i = 0; i < s->shared_count; i++)
        write_span(w, "shared", s->shared[i].first, s->shared[i].last);
    if (s->access_points == RD_ACCESSES_ALL)
        return;
    RD_CHECK(s->access_points < RD_ACCESSES_COUNT);
    emitf(w, "watch %s\n", rd_schedule_watches[s->access_points]);
    for (uint32_t i = 0; i < s->track_count; i++)
        write_span(w, "track", s->track[i].first, s->track[i].last);
}

static void write_block_end(struct schedule_writer *w, const char *word, rd_tid tid, rd_place pc,
                            const rd_place *stack) {
    char place[RD_PLACE_TEXT];
    uint32_t n = pc ? stack_length(w, stack, RD_HEAP_STACK) : 0;
    emitf(w, " %s %u %s %u", word, pc ? tid : 0, name_of(w, pc, place), n);
    for (uint32_t i = 0; i < n; i++)
        emitf(w, " %s", name_of(w, stack[i], place));
}

static void write_block(struct schedule_writer *w, const struct rd_heap_fact *h) {
    char place[RD_PLACE_TEXT];
    if (!h->block)
        return;
    emitf(w, "block %s %" PRIu64 " %" PRId64 " %u", name_of(w, h->block, place), h->size, h->offset, h->count);
    write_block_end(w, "made", h->made_tid, h->made_pc, h->made);
    write_block_end(w, "freed", h->freed_tid, h->freed_pc, h->freed);
    emit(w, "\n");
}

static void write_names(struct schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->annotation_count; i++) {
        const struct rd_annotation *m = &w->s->annotations[i];
        char first[RD_PLACE_TEXT], last[RD_PLACE_TEXT];
        if (m->kind != RD_ANNOTATION_NAME || rd_place_region(m->first) == RD_PLACE_OTHER)
            continue;
        emitf(w, "name %s %s ", name_of(w, m->first, first), name_of(w, m->last, last));
        emit_quoted(w, m->name);
        emit(w, "\n");
    }
}

static void write_finding(struct schedule_writer *w) {
    const struct rd_finding *f = &w->s->finding;
    char pc[RD_PLACE_TEXT], other_pc[RD_PLACE_TEXT], fault[24] = "-", thread[8] = "-", other[8] = "-";
    emitf(w, "finding %s\n", rd_finding_name(f->kind));
    if (f->kind == RD_NO_FINDING)
        return;
    if (f->fault_addr < NEAR_NULL)
        snprintf(fault, sizeof fault, "0x%" PRIx64, f->fault_addr);
    if (f->tid != RD_TID_NONE)
        snprintf(thread, sizeof thread, "%u", f->tid);
    if (f->other_pc && f->other_tid < RD_TID_MAX)
        snprintf(other, sizeof other, "%u", f->other_tid);
    emitf(w, "finding-at thread %s signal %d status %d fault %s pc %s line %d key %016" PRIx64 " other %s %s",
          thread, f->signal, f->status, fault, name_of(w, f->pc, pc), f->line, f->key, other,
          name_of(w, f->other_pc, other_pc));
    if (f->step)
        emitf(w, " steps %u %u", f->step, f->other_step);
    if (f->circle_count)
        emitf(w, " circle %u", f->circle_count);
    for (uint32_t i = 0; i < f->circle_count; i++)
        emitf(w, " %u", f->circle[i]);
    emit(w, "\n");
    line_quoted(w, "message", f->message);
    line_quoted(w, "file", f->file);
    line_quoted(w, "function", f->function);
    write_block(w, &f->heap);
    if (f->data)
        emitf(w, "data %s %u\n", name_of(w, f->data, pc), f->data_writes);
    emit(w, rd_schedule_why(&w->s->why, (char[RD_WHY_TEXT]){0}));
}

static void write_threads(struct schedule_writer *w) {
    const struct rd_schedule *s = w->s;
    for (uint32_t i = 0; i < s->thread_count; i++) {
        const struct rd_thread_info *t = &s->threads[i];
        if (i == 0)
            emit(w, "thread 0 parent - child 0");
        else
            emitf(w, "thread %u parent %u child %u", i, t->parent, t->ordinal);
        if (t->name[0]) {
            char name[sizeof t->name + 1] = {0};
            memcpy(name, t->name, sizeof t->name);
            emit(w, " name ");
            emit_quoted(w, name);
        }
        emit(w, "\n");
    }
}

static void write_steps(struct schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->step_count; i++) {
        const struct rd_step *s = &w->s->steps[i];
        struct rd_step_names names = {.stack = step_stack(w, i, false)};
        char line[RD_STEP_LINE];
        name_of(w, s->place, names.place);
        name_of(w, s->pc, names.pc);
        if (s->flags & RD_STEP_VALUE2)
            name_of(w, s->value, names.value);
        rd_schedule_step_line(line, s, i + 1, &names);
        emit(w, line);
    }
}

static void write_pending(struct schedule_writer *w) {
    for (uint32_t i = 0; i < w->s->thread_count; i++) {
        const struct rd_thread_info *t = &w->s->threads[i];
        char place[RD_PLACE_TEXT], place2[RD_PLACE_TEXT], pc[RD_PLACE_TEXT], held[RD_PLACE_TEXT], holder[8] = "-";
        if (t->state == RD_T_FINISHED)
            emitf(w, "pending %u finished\n", i);
        if (t->state != RD_T_READY)
            continue;
        if (t->holder != RD_TID_NONE)
            snprintf(holder, sizeof holder, "%u", t->holder);
        name_of(w, t->pending.place, place);
        name_of(w, rd_access_mode_has_extents(t->pending.order) ? 0 : t->pending.place2, place2);
        name_of(w, t->pending.pc, pc);
        name_of(w, t->held_pc, held);
        emitf(w, "pending %u %s %s %s %s %s %u %" PRIu64 " %s %u %s %u\n", i, t->enabled ? "ready" : "blocked",
              rd_op_name(t->pending.kind), place, place2, pc, t->pending.size, t->pending.arg, holder, t->held_step,
              held, thread_stack(w, i, false));
    }
}

static int fail(struct rd_error *error, const char *what, const char *path) {
    rd_error_set(error, "cannot %s '%s': %s", what, path, strerror(errno));
    return -1;
}

/* Address space for the maps: enough for 20 places a step in tables that double when they are a quarter full. */
static bool reserve(struct schedule_writer *w) {
    size_t size = ((size_t)w->s->step_count + w->s->thread_count + w->s->track_count + w->s->shared_count + 64) *
                  80 * sizeof(struct rd_map_slot);
    void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return false;
    rd_arena_init(&w->arena, region, size);
    return true;
}

static void write_all(struct schedule_writer *w) {
    mark_modules(w);
    write_head(w);
    write_watch(w);
    write_names(w);
    write_finding(w);
    write_threads(w);
    each_stack(w, true);
    write_steps(w);
    write_pending(w);
    emitf(w, "end %u %016" PRIx64 "\n", w->s->step_count, (uint64_t)w->sum);
    munmap(w->arena.base, w->arena.size);
}

int rd_schedule_write(const struct rd_schedule *s, const char *path, struct rd_error *error) {
    char *temp;
    if (asprintf(&temp, "%s.%d.tmp", path, (int)getpid()) < 0)
        return fail(error, "write", path);
    unlink(temp); /* left by a process with the same number that was killed */
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    struct schedule_writer w = {.file = fd < 0 ? NULL : fdopen(fd, "w"),
                                .sum = RD_CHECKSUM_START,
                                .s = s,
                                .entry = s->step_stacks || s->stacks ? rd_schedule_entry(s->program) : 0};
    int result = -1;
    if (!w.file || !reserve(&w)) {
        fail(error, "create", path);
        if (w.file)
            fclose(w.file);
        else if (fd >= 0)
            close(fd);
    } else {
        write_all(&w);
        bool bad = ferror(w.file);
        if (fclose(w.file) != 0 || bad || rename(temp, path) != 0)
            fail(error, "write", path);
        else
            result = 0;
        if (result != 0)
            unlink(temp);
    }
    free(temp);
    return result;
}
