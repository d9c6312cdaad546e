/*
 * sharing_table.c - see sharing_table.h. The driver maps only the beginning of the table, which has the list of
 * shared memory; the cells behind it are used by the tested processes.
 */
#include "drive/sharing_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The beginning, then a byte for each 8 bytes that a process can address (rt/access/shared_access.h). */
static const off_t table_size = (off_t)RD_SHARING_SIZE;

static struct {
    int fd; /* 0: it was not created yet; -1: it cannot be created */
    struct rd_sharing *head;
} table;

static bool clear(void) { return ftruncate(table.fd, 0) == 0 && ftruncate(table.fd, table_size) == 0; }

static void make(void) {
    table.fd = memfd_create("raddle-sharing", MFD_CLOEXEC);
    void *at = MAP_FAILED;
    if (table.fd >= 0 && clear())
        at = mmap(NULL, sizeof *table.head, PROT_READ | PROT_WRITE, MAP_SHARED, table.fd, 0);
    if (at == MAP_FAILED) {
        table.fd = -1;
        return;
    }
    table.head = at;
    rd_sharing_open(table.head);
}

int rd_sharing_table_fd(void) {
    if (!table.fd)
        make();
    return table.fd;
}

struct rd_sharing *rd_sharing_table(void) {
    rd_sharing_table_fd();
    return table.head;
}

void rd_sharing_table_reset(void) {
    if (rd_sharing_table_fd() >= 0 && clear())
        rd_sharing_open(table.head);
}

uint32_t rd_sharing_table_points(const struct rd_shared **to) {
    static struct rd_shared list[RD_SHARING_LOG];
    *to = list;
    return table.head ? rd_sharing_list(table.head, table.head->version, list) : 0;
}

void rd_sharing_table_list(struct rd_schedule *to, const struct rd_run_result *r, const struct rd_found *found) {
    static struct rd_shared list[RD_SHARING_LOG];
    struct rd_sharing_use use = found ? found->sharing : r->sharing;
    uint32_t count = r->shared_count;
    bool started = found && found->access_points == RD_ACCESSES_ALL;
    if (!use.version && started && rd_config_checks_accesses(&r->config))
        to->points = RD_POINTS_ALL; /* all memory had become points */
    if (use.version && found)
        count = table.head ? rd_sharing_list(table.head, use.version, list) : UINT32_MAX;
    if (!use.version || (found && count > RD_SHARING_LOG)) /* no such version: the program has written it */
        return;
    to->points = rd_config_checks_accesses(&r->config) ? RD_POINTS_RACED : RD_POINTS_SHARED;
    to->patience = use.patience;
    to->shared = found ? list : r->shared;
    to->shared_count = count;
}
