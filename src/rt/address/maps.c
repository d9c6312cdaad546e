/* maps.c - see maps.h. A line of /proc/self/maps is "start-end perms offset device inode   path". */
#include "rt/address/maps.h"

#include "base/base.h"
#include "rt/raw.h"

#include <fcntl.h>
#include <string.h>

static uint64_t hex(const char **p) {
    uint64_t v = 0;
    for (;; (*p)++) {
        unsigned c = (unsigned char)**p;
        unsigned d = c - '0' < 10 ? c - '0' : c - 'a' < 6 ? c - 'a' + 10 : 16;
        if (d == 16)
            return v;
        v = v << 4 | d;
    }
}

/* Advances *p to the beginning of the next field. */
static void next_field(const char **p) {
    while (**p && **p != ' ')
        (*p)++;
    while (**p == ' ')
        (*p)++;
}

static struct rd_mapping parse(const char *p) {
    struct rd_mapping m = {0};
    m.start = hex(&p);
    p += *p == '-';
    m.end = hex(&p);
    next_field(&p);
    if (strlen(p) > 4) {
        m.readable = p[0] == 'r';
        m.writable = p[1] == 'w';
        m.executable = p[2] == 'x';
        m.shared = p[3] == 's';
    }
    next_field(&p); /* offset */
    next_field(&p); /* device */
    next_field(&p); /* inode */
    m.file = *p && *p != '0';
    next_field(&p);
    m.path = p;
    return m;
}

bool rd_maps_each(bool (*look)(const struct rd_mapping *m, void *ctx), void *ctx) {
    char text[8192];
    size_t have = 0;
    long fd = rd_raw(SYS_openat, (long)AT_FDCWD, "/proc/self/maps", (long)(O_RDONLY | O_CLOEXEC), 0L);
    if (fd < 0)
        return false;
    bool more = true;
    for (;;) {
        long n = more ? rd_raw(SYS_read, fd, text + have, (long)(sizeof text - 1 - have)) : 0;
        if (n <= 0)
            break;
        have += (size_t)n;
        text[have] = 0;
        char *line = text, *end;
        for (; more && (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            struct rd_mapping m = parse(line);
            more = look(&m, ctx);
        }
        have = (size_t)(text + have - line);
        memmove(text, line, have);
        RD_CHECK(have < sizeof text - 1); /* a line fits: its path has at most 4096 bytes */
    }
    rd_raw(SYS_close, fd);
    return true;
}
