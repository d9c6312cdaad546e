/* schedule.c - names, the checksum and other functions that both the reader and the writer of schedule files use.
 */
#include "file/schedule_read.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const rd_schedule_watches[RD_ACCESSES_COUNT] = {"all",     "tracked", "selective",
                                                            "profile", "after",   "selective-after"};

uint64_t rd_schedule_checksum(uint64_t sum, const void *bytes, size_t count) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ p[i]) * 0x100000001b3u;
    return sum;
}

uint32_t rd_schedule_preemptions(const struct rd_schedule *s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->step_count; i++)
        n += (s->steps[i].flags & RD_STEP_PREEMPTION) != 0;
    return n;
}

bool rd_schedule_is_sound(const struct rd_schedule *s) {
    bool good = s->thread_count > 0 && s->finding.kind < RD_FINDING_KINDS && s->access_points < RD_ACCESSES_COUNT &&
                (s->finding.tid == RD_TID_NONE || s->finding.tid < s->thread_count) &&
                s->finding.circle_count <= RD_CIRCLE_MAX && s->heap <= RD_HEAP_KNOWN;
    for (uint32_t i = 0; i < s->thread_count; i++)
        good &= (i == 0 || s->threads[i].parent < i) && s->threads[i].held_step <= s->step_count;
    for (uint32_t i = 0; i < s->step_count; i++)
        good &= s->steps[i].tid < s->thread_count && s->steps[i].op < RD_OP_KINDS;
    return good;
}

void rd_schedule_free_sources(struct rd_schedule *s) {
    for (uint32_t i = 0; i < s->source_count; i++) {
        free(s->sources[i].path);
        free(s->sources[i].text);
    }
    free(s->sources);
    s->sources = NULL;
    s->source_count = 0;
}

void rd_schedule_free(struct rd_schedule *s) {
    rd_schedule_free_sources(s);
    for (uint32_t i = 0; i < s->arg_count; i++)
        free(s->args[i]);
    free(s->args);
    free(s->program);
    free(s->cwd);
    free(s->rules);
    free(s->modules);
    free(s->shared);
    free(s->track);
    free(s->annotations);
    free(s->threads);
    free(s->steps);
    free(s->step_stacks);
    free(s->stacks);
    free(s->parts);
    free(s->blocks);
    memset(s, 0, sizeof *s);
}

uint64_t rd_schedule_entry(const char *program) {
    Elf64_Ehdr head;
    int fd = program ? open(program, O_RDONLY | O_CLOEXEC) : -1;
    bool fine = fd >= 0 && read(fd, &head, sizeof head) == (ssize_t)sizeof head &&
                memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64;
    if (fd >= 0)
        close(fd);
    return fine ? head.e_entry : 0;
}
