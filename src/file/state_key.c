/*
 * state_key.c - see state_key.h. The key appears under its name only when it is complete: it is written to another
 * file, which is then linked to that name unless another process was faster, and in that case the other one's key
 * counts. A key that others could read or replace is no key.
 */
#include "file/state_key.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes the path of the directory. False: there is no home. */
static bool directory(char *to, size_t room) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/') /* the specification has relative paths ignored */
        return (size_t)snprintf(to, room, "%s/raddle", state) < room;
    return home && home[0] == '/' && (size_t)snprintf(to, room, "%s/.local/state/raddle", home) < room;
}

/* Makes the directory and those above it. */
static void make_directories(const char *path) {
    char part[PATH_MAX];
    for (const char *slash = path; (slash = strchr(slash + 1, '/'));) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        mkdir(part, 0700);
    }
    mkdir(path, 0700);
}

/* Reads the key. Returns 0, or an error number; ENOENT: there is none. */
static int read_key(const char *path, uint8_t to[RD_STATE_KEY]) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0)
        return errno;
    bool mine = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 077) == 0;
    bool whole = mine && st.st_size == RD_STATE_KEY && read(fd, to, RD_STATE_KEY) == RD_STATE_KEY;
    close(fd);
    return whole ? 0 : mine ? EINVAL : EPERM;
}

/* Makes the key, unless another process does so first. Returns 0, or an error number. */
static int make_key(const char *path) {
    char temp[PATH_MAX];
    uint8_t key[RD_STATE_KEY];
    if (getrandom(key, sizeof key, 0) != sizeof key ||
        (size_t)snprintf(temp, sizeof temp, "%s.%d.tmp", path, (int)getpid()) >= sizeof temp)
        return EIO;
    unlink(temp);
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), wrong = 0;
    if (fd < 0)
        return errno;
    if (write(fd, key, sizeof key) != sizeof key)
        wrong = EIO;
    if (close(fd) != 0 && !wrong)
        wrong = errno;
    if (!wrong && link(temp, path) != 0 && errno != EEXIST)
        wrong = errno;
    unlink(temp);
    return wrong;
}

const uint8_t *rd_state_key(bool make, struct rd_error *error) {
    static uint8_t key[RD_STATE_KEY];
    static bool known;
    char folder[PATH_MAX - 64], path[PATH_MAX];
    if (known)
        return key;
    if (!directory(folder, sizeof folder)) {
        rd_error_set(error, "neither XDG_STATE_HOME nor HOME names a directory for Raddle's key");
        return NULL;
    }
    snprintf(path, sizeof path, "%s/key", folder);
    int wrong = read_key(path, key);
    if (wrong == ENOENT && make) {
        make_directories(folder);
        wrong = make_key(path);
        wrong = wrong ? wrong : read_key(path, key);
    }
    known = wrong == 0;
    if (wrong == EPERM)
        rd_error_set(error, "'%s' is not a file that only you can read", path);
    else if (wrong == EINVAL)
        rd_error_set(error, "'%s' is not a key of %d bytes (remove it to get a new one)", path, RD_STATE_KEY);
    else if (wrong)
        rd_error_set(error, "cannot %s '%s': %s", make ? "make" : "open", path, strerror(wrong));
    return known ? key : NULL;
}
