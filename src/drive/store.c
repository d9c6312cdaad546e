/*
 * store.c - writes the schedule of an execution to its file. What is an accident of the moment at which a hang was
 * noticed is left out, so that two recordings of the same execution are the same bytes.
 */
#include "drive/session.h"

#include <string.h>

int rd_session_store(const struct rd_schedule *s, const char *path, char *error, size_t room) {
    struct rd_schedule stable = *s;
    static struct rd_thread_info threads[RD_TID_MAX];
    if (s->finding.kind == RD_HANG && s->finding.status == RD_HANG_BY_TIME) {
        stable.finding.pc = 0;
        stable.finding.line = 0;
        stable.finding.file[0] = stable.finding.function[0] = 0;
        memcpy(threads, s->threads, RD_MIN(s->thread_count, (uint32_t)RD_TID_MAX) * sizeof *threads);
        if (s->finding.tid < RD_TID_MAX)
            threads[s->finding.tid].frames = 0;
        stable.threads = threads;
    }
    return rd_schedule_write(&stable, path, error, room);
}
