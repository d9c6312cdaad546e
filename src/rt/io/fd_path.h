/* fd_path.h - paths in /proc of a descriptor of this process. */
#ifndef RD_RT_IO_FD_PATH_H
#define RD_RT_IO_FD_PATH_H

#include "base/text.h"

/* As a parameter of functions: "/proc/self/fd/", or "/proc/self/fdinfo/", and the number. */
struct rd_fd_path {
    char at[40];
};

/* pre: `directory` is one of these two */
static inline struct rd_fd_path rd_fd_path(const char *directory, int fd) {
    struct rd_fd_path p;
    struct rd_text t;
    RD_CHECK(fd >= 0);
    rd_text_init(&t, p.at, sizeof p.at);
    rd_text_str(&t, directory);
    rd_text_dec(&t, fd);
    return p;
}

#endif
