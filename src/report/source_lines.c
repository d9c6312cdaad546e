/*
 * source_lines.c - lines of the program's source, which reports print beside the operations.
 *
 * A file is read only if the schedule has its hash and it still has that hash. So the lines are those of the
 * program that was recorded, and a schedule file of somebody else, which names any path and any program, cannot
 * make a report show a file whose contents its author does not know. When a schedule is made, rd_sources_note takes
 * the hashes of the files that the program's debug information names.
 */
#include "report/report.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SOURCE_BYTES_MAX ((off_t)16 << 20)

/* Reads a regular file that is not too long. Returns its contents with a zero at the end, or NULL. */
static char *read_file(const char *path, size_t *size) {
    struct stat st;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe or a device must not block */
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= SOURCE_BYTES_MAX)
        text = malloc((size_t)st.st_size + 1);
    *size = 0;
    for (ssize_t n; text && *size < (size_t)st.st_size; *size += (size_t)n)
        if ((n = read(fd, text + *size, (size_t)st.st_size - *size)) <= 0)
            break;
    if (text)
        text[*size] = 0;
    close(fd);
    return text;
}

static void hash_of(const char *text, size_t size, uint8_t to[RD_SHA256_SIZE]) {
    struct rd_sha256 h;
    rd_sha256_begin(&h);
    rd_sha256_add(&h, text, size);
    rd_sha256_end(&h, to);
}

static struct rd_source *find(const struct rd_schedule *s, const char *path) {
    for (uint32_t i = 0; i < s->source_count; i++)
        if (strcmp(s->sources[i].path, path) == 0)
            return &s->sources[i];
    return NULL;
}

/* Reads the file, if that was not done before, and compares it with its hash. */
static void load(struct rd_source *f) {
    uint8_t hash[RD_SHA256_SIZE];
    if (f->state != RD_SOURCE_UNREAD)
        return;
    f->text = read_file(f->path, &f->size);
    f->state = RD_SOURCE_MISSING;
    if (!f->text)
        return;
    hash_of(f->text, f->size, hash);
    f->state = RD_SOURCE_GOOD;
    if (memcmp(hash, f->hash, sizeof hash) == 0)
        return;
    free(f->text);
    f->text = NULL;
    f->state = RD_SOURCE_CHANGED;
}

/* Notes the hash of a file. */
static void note(struct rd_schedule *s, const char *path) {
    if (path[0] != '/' || s->source_count == RD_SOURCES_MAX || find(s, path))
        return;
    struct rd_source f = {.path = strdup(path), .state = RD_SOURCE_GOOD};
    struct rd_source *more = realloc(s->sources, (s->source_count + 1) * sizeof *more);
    if (!f.path || !more)
        abort();
    s->sources = more;
    f.text = read_file(path, &f.size);
    if (f.text) {
        hash_of(f.text, f.size, f.hash);
        s->sources[s->source_count++] = f;
    } else {
        free(f.path);
    }
}

static void note_code(struct rd_symbols *symbols, struct rd_schedule *s, rd_place pc) {
    const struct rd_frame *f;
    for (unsigned exact = 0; exact < 2 && pc; exact++) {
        uint32_t n = rd_symbols_frames(symbols, pc, exact, &f);
        for (uint32_t i = 0; i < n; i++)
            if (f[i].kind == RD_FRAME_USER && f[i].file)
                note(s, f[i].file);
    }
}

static void note_stack(struct rd_symbols *symbols, struct rd_schedule *s, const rd_place *stack, uint32_t max) {
    for (uint32_t i = 0; i < max && stack[i]; i++)
        note_code(symbols, s, stack[i]);
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct rd_source *)a)->path, ((const struct rd_source *)b)->path);
}

void rd_sources_note(struct rd_schedule *s, struct rd_symbols *symbols) {
    const struct rd_finding *f = &s->finding;
    s->sources = NULL;
    s->source_count = 0;
    note_code(symbols, s, f->pc);
    note_code(symbols, s, f->other_pc);
    note_code(symbols, s, f->heap.made_pc);
    note_code(symbols, s, f->heap.freed_pc);
    note_code(symbols, s, s->why.second_pc);
    note_stack(symbols, s, f->heap.made, RD_HEAP_STACK);
    note_stack(symbols, s, f->heap.freed, RD_HEAP_STACK);
    for (uint32_t i = 0; i < s->step_count; i++) {
        note_code(symbols, s, s->steps[i].pc);
        if (s->step_stacks)
            note_stack(symbols, s, s->step_stacks[i], RD_STEP_STACK);
    }
    for (uint32_t i = 0; i < s->thread_count; i++) {
        note_code(symbols, s, s->threads[i].pending.pc);
        note_code(symbols, s, s->threads[i].held_pc);
        if (s->stacks)
            note_stack(symbols, s, s->stacks[i], RD_MIN(s->threads[i].frames, RD_STACK_MAX));
    }
    for (uint32_t i = 0; i < s->block_count; i++)
        note_stack(symbols, s, s->blocks[i].calls, RD_HEAP_STACK);
    if (s->source_count)
        qsort(s->sources, s->source_count, sizeof *s->sources, by_path);
}

enum rd_source_state rd_source_state(const struct rd_report *r, const char *path) {
    struct rd_source *f = find(r->schedule, path);
    if (!f)
        return RD_SOURCE_UNREAD;
    load(f);
    return f->state;
}

bool rd_source_around(const struct rd_report *r, const char *path, int line, int before, int after,
                      void (*each)(void *ctx, int number, const char *text), void *ctx) {
    bool found = false;
    if (line <= 0 || rd_source_state(r, path) != RD_SOURCE_GOOD)
        return false;
    const struct rd_source *f = find(r->schedule, path);
    const char *at = f->text, *end = at + f->size;
    for (int64_t n = 1; at < end && n <= (int64_t)line + after; n++) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        eol = eol ? eol : end;
        if (n >= (int64_t)line - before) {
            const char *last = eol > at && eol[-1] == '\r' ? eol - 1 : eol;
            char *text = strndup(at, (size_t)(last - at));
            if (!text)
                abort();
            each(ctx, (int)n, text);
            free(text);
            found |= n == line;
        }
        at = eol + 1;
    }
    return found;
}
