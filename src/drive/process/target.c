/*
 * target.c - finds the program and checks its file before a process is started; a program that Raddle cannot run is
 * refused with a reason (program_kind.h).
 */
#include "drive/process/target.h"

#include "drive/process/program_kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The absolute path of a program. A name without a slash is searched for in PATH, as a shell does. */
static bool find_program(const char *name, char *to) {
    if (strchr(name, '/'))
        return realpath(name, to) != NULL;
    const char *path = getenv("PATH");
    for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
        size_t n = strcspn(p, ":");
        char candidate[PATH_MAX];
        snprintf(candidate, sizeof candidate, "%.*s/%s", n ? (int)n : 1, n ? p : ".", name);
        if (access(candidate, X_OK) == 0 && realpath(candidate, to))
            return true;
        p += n + (p[n] == ':');
    }
    errno = ENOENT;
    return false;
}

static void hash_file(struct rd_target *t, const unsigned char *data, size_t size) {
    uint64_t a = size, b = ~size;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, data + i, RD_MIN(size - i, sizeof word));
        a = rd_hash2(a, word);
        b = rd_hash2(b, ~word);
    }
    memcpy(t->build_id, &a, 8);
    memcpy(t->build_id + 8, &b, 8);
    t->build_id_size = 16;
}

/* Takes the identity of the build, or returns the reason why Raddle cannot run the program. */
static const char *check_file(struct rd_target *t, const unsigned char *data, size_t size) {
    struct rd_file_id id;
    const char *wrong = rd_program_kind_wrong(data, size, &id);
    t->build_id_size = id.size;
    memcpy(t->build_id, id.bytes, id.size);
    if (!wrong && !id.size)
        hash_file(t, data, size);
    return wrong;
}

int rd_target_open(struct rd_target *t, char **args, struct rd_error *error) {
    memset(t, 0, sizeof *t);
    t->args = args;
    while (args[t->arg_count])
        t->arg_count++;
    if (!find_program(args[0], t->path)) {
        bool here = !strchr(args[0], '/') && access(args[0], F_OK) == 0;
        if (here)
            rd_error_set(error, "no command '%s' in PATH; to run the file here: ./%s", args[0], args[0]);
        else
            rd_error_set(error, "cannot find '%s': %s", args[0], strerror(errno));
        return -1;
    }
    if (!getcwd(t->cwd, sizeof t->cwd)) {
        rd_error_set(error, "cannot tell the current directory: %s", strerror(errno));
        return -1;
    }
    struct stat st;
    int fd = open(t->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        rd_error_set(error, "cannot open '%s': %s", args[0], strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    const char *wrong = NULL;
    if (S_ISDIR(st.st_mode))
        wrong = "it is a directory";
    else if (!S_ISREG(st.st_mode) || st.st_size == 0)
        wrong = "it is not an ELF program";
    void *data = wrong ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (!wrong && data == MAP_FAILED)
        wrong = strerror(errno);
    else if (!wrong) {
        wrong = check_file(t, data, (size_t)st.st_size);
        munmap(data, (size_t)st.st_size);
    }
    if (!wrong && access(t->path, X_OK) != 0)
        wrong = strerror(errno);
    if (!wrong && (st.st_mode & (S_ISUID | S_ISGID)) && geteuid() != 0 && st.st_uid != geteuid())
        wrong = "it is set-user-ID or set-group-ID, and the system does not let another library in";
    if (wrong)
        rd_error_set(error, "cannot run '%s': %s", args[0], wrong);
    return wrong ? -1 : 0;
}
