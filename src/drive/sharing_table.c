/*
 * sharing.c - see sharing.h. The driver maps only the beginning of the table, with the list of what is shared; the
 * cells are the tested processes'.
 */
#include "drive/sharing_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* As rt/access/shared_access.h has it: the beginning, then a byte for each 8 of what a process can address. */
static const off_t table_size = (off_t)RD_SHARING_SIZE;

static struct {
    int fd; /* 0: not yet tried */
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

int rd_drive_sharing_fd(void) {
    if (!table.fd)
        make();
    return table.fd;
}

struct rd_sharing *rd_drive_sharing(void) {
    rd_drive_sharing_fd();
    return table.head;
}

void rd_drive_sharing_reset(void) {
    if (rd_drive_sharing_fd() >= 0 && clear())
        rd_sharing_open(table.head);
}

void rd_drive_sharing_list(struct rd_schedule *to, struct rd_channel *c, const struct rd_found *found) {
    static struct rd_shared list[RD_SHARING_LOG];
    struct rd_sharing_use use = found ? found->sharing : c->execution.sharing;
    if (!use.version)
        return;
    to->points = RD_POINTS_SHARED;
    to->patience = use.patience;
    to->shared = found ? list : rd_channel_shared(c);
    to->shared_count = found ? rd_sharing_list(table.head, use.version, list) : (uint32_t)c->shared_count;
}
