/* team_member.c - maps the hub of a team, and lets this worker wait and wake others there. */
#include "rt/isolate/team_member.h"

#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_NS = 20000000 }; /* a wait ends after so long: the driver may ask the worker to stop */

static struct rd_hub *hub; /* set before the program begins; NULL: the process is no worker of a team */

bool rd_team_member_attach(int fd) {
    struct stat st;
    RD_CHECK(!hub);
    if (fstat(fd, &st) != 0)
        return false;
    void *at = mmap((void *)RD_HUB_AT, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                    fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return false;
    madvise(at, (size_t)st.st_size, MADV_DONTDUMP); /* it is large, and mostly empty */
    hub = at;
    if (hub->version != RD_HUB_VERSION)
        return false;
    RD_CHECK(hub->box_at <= (uint64_t)st.st_size && hub->box_at % 4096 == 0); /* as the driver made the hub */
    /* a child that is forked for an execution sees only the hub's beginning, with the numbers of threads */
    madvise((char *)at + hub->box_at, (size_t)st.st_size - hub->box_at, MADV_DONTFORK);
    return true;
}

uint64_t rd_team_member_shape(void) {
    if (!hub)
        return 0;
    uint64_t parts = hub->box_at ^ hub->box_size << 1 ^ hub->tree_at << 2 ^ hub->tree_size << 3;
    return hub->size ^ hub->version ^ parts ^ hub->visited_at << 4 ^ (uint64_t)(hub->over > RD_OVER_STOPPED) << 63;
}

uint64_t *rd_team_member_paths(void) { return hub ? hub->paths : NULL; }

static void futex_wait(uint32_t *word, uint32_t value) {
    struct timespec t = {.tv_nsec = PATIENCE_NS};
    rd_raw(SYS_futex, word, FUTEX_WAIT, value, &t);
}

static void futex_wake(uint32_t *word) { rd_raw(SYS_futex, word, FUTEX_WAKE, INT32_MAX); }

bool rd_team_member_team(struct rd_team *t, uint32_t seat, uint64_t (*now_ns)(void *ctx)) {
    RD_CHECK(!hub || seat < RD_TEAM_MAX);
    *t = (struct rd_team){.hub = hub, .me = seat, .wait = futex_wait, .wake = futex_wake, .now_ns = now_ns};
    return hub != NULL;
}

int rd_team_member_cpu(uint32_t seat, int now) {
    cpu_set_t all;
    if (!hub || RD_REAL(sched_getaffinity)(0, sizeof all, &all) != 0)
        return now;
    if (seat == 0) {
        hub->cpu = (uint32_t)now;
        return now;
    }
    int cpu = (int)hub->cpu;
    for (uint32_t i = 0; i < seat; i++)
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET((unsigned)cpu, &all) && cpu != (int)hub->cpu);
    return cpu;
}
