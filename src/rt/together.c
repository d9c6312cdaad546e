/* together.c - see together.h. */
#include "rt/together.h"

#include "rt/layout.h"
#include "rt/raw.h"
#include "rt/rt.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_NS = 20000000 }; /* after that it looks whether the driver wants anything */

static struct rd_team team;

bool rd_together_attach(int fd) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        return false;
    void *at = mmap((void *)RD_HUB_AT, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                    fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return false;
    team.hub = at;
    return team.hub->version == RD_CHANNEL_VERSION;
}

uint64_t *rd_together_paths(void) { return team.hub ? team.hub->paths : NULL; }

static void futex_wait(uint32_t *word, uint32_t value) {
    struct timespec t = {.tv_nsec = PATIENCE_NS};
    rd_raw(SYS_futex, word, FUTEX_WAIT, value, &t);
}

static void futex_wake(uint32_t *word) { rd_raw(SYS_futex, word, FUTEX_WAKE, INT32_MAX); }

struct rd_team *rd_together_team(uint32_t seat, uint64_t (*now_ns)(void *ctx)) {
    if (!team.hub)
        return NULL;
    team.me = seat;
    team.wait = futex_wait;
    team.wake = futex_wake;
    team.now_ns = now_ns;
    return &team;
}

int rd_together_cpu(int now) {
    cpu_set_t all;
    if (!team.hub || RD_REAL(sched_getaffinity)(0, sizeof all, &all) != 0)
        return now;
    if (team.me == 0) {
        team.hub->cpu = (uint32_t)now;
        return now;
    }
    int cpu = (int)team.hub->cpu;
    for (uint32_t i = 0; i < team.me; i++)
        do
            cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET((unsigned)cpu, &all) && cpu != (int)team.hub->cpu);
    return cpu;
}
