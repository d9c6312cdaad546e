/* rewind.c - see rewind.h. The channel is large, and almost all of it is a hole. */
#include "drive/process/rewind.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

static int copy_part(int from, int to, off_t at, off_t end) {
    char bytes[CHUNK];
    while (at < end) {
        size_t want = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        ssize_t n = pread(from, bytes, want, at);
        if (n <= 0 || pwrite(to, bytes, (size_t)n, at) != n)
            return -1;
        at += n;
    }
    return 0;
}

static int copy_data(int from, int to, off_t size) {
    for (off_t at = 0; at < size;) {
        off_t data = lseek(from, at, SEEK_DATA);
        if (data < 0)
            return errno == ENXIO ? 0 : -1; /* there is no more data */
        off_t hole = lseek(from, data, SEEK_HOLE);
        if (hole < 0 || copy_part(from, to, data, hole) != 0)
            return -1;
        at = hole;
    }
    return 0;
}

int rd_rewind_copy(int fd) {
    struct stat st;
    int copy = memfd_create("raddle-prepared", MFD_CLOEXEC);
    if (copy < 0 || fstat(fd, &st) != 0 || ftruncate(copy, st.st_size) != 0 ||
        copy_data(fd, copy, st.st_size) != 0) {
        if (copy >= 0)
            close(copy);
        return -1;
    }
    return copy;
}

int rd_rewind(int from, int to) {
    struct stat st;
    if (fstat(from, &st) != 0 || fallocate(to, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, st.st_size) != 0)
        return -1;
    return copy_data(from, to, st.st_size);
}
