/*
 * make_folder.c - see make_folder.h. Parents are made, too, so that each test of a suite can have a folder like
 * results/suite/case. Two commands may make the same parent at the same time: that one exists is no error.
 */
#include "cli/run/make_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rd_make_folder(const char *path, bool *made) {
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part) {
        errno = ENAMETOOLONG;
        return false;
    }
    for (char *slash = strchr(part + (part[0] == '/'), '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int failed = mkdir(part, 0777) != 0 ? errno : 0;
        if (failed && access(part, F_OK) != 0) {
            errno = failed;
            return false;
        }
        *slash = '/';
    }
    *made = mkdir(path, 0777) == 0;
    return (*made || errno == EEXIST) && access(path, W_OK) == 0;
}
