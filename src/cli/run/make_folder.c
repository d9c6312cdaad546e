/*
 * make_folder.c - see make_folder.h. Parents are made, too, so that each test of a suite can have a folder like
 * results/suite/case. Two commands may make the same parent at the same time: that one exists is no error.
 */
#include "cli/run/make_folder.h"

#include "drive/make_schedule.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool rd_make_folder(const char *path, bool *made) {
    char part[PATH_MAX];
    struct stat st;
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
    if (!*made && (errno != EEXIST || stat(path, &st) != 0))
        return false;
    if (!*made && !S_ISDIR(st.st_mode)) {
        errno = ENOTDIR;
        return false;
    }
    return access(path, W_OK | X_OK) == 0;
}

int rd_make_folder_and_store(const struct rd_schedule *s, const char *folder, const char *path,
                             struct rd_error *error) {
    enum { TRIES = 100 }; /* another command may remove the folder each time before the file is in it */
    for (int i = 0;; i++) {
        bool made;
        if (rd_schedule_store(s, path, error) == 0)
            return 0;
        if (i == TRIES || (i > 2 && access(folder, F_OK) == 0))
            return -1;
        if (!rd_make_folder(folder, &made))
            return -1;
    }
}
