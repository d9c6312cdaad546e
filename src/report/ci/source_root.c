/* source_root.c - see source_root.h. */
#include "report/ci/source_root.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The part of `path` below the directory; NULL: it is not in there. */
static const char *below(const char *dir, const char *path) {
    size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

void rd_source_root(char to[PATH_MAX]) {
    char cwd[PATH_MAX], at[PATH_MAX + 8];
    const char *workspace = getenv("GITHUB_WORKSPACE");
    to[0] = 0;
    if (!getcwd(cwd, sizeof cwd))
        return;
    if (workspace && workspace[0] == '/' && realpath(workspace, to) &&
        (strcmp(to, cwd) == 0 || below(strcmp(to, "/") ? to : "", cwd))) {
        if (strcmp(to, "/") == 0)
            to[0] = 0;
        return;
    }
    snprintf(to, PATH_MAX, "%s", cwd);
    for (char *slash; to[0]; *slash = 0) {
        snprintf(at, sizeof at, "%s/.git", to);
        if (access(at, F_OK) == 0)
            return;
        slash = strrchr(to, '/');
    }
    snprintf(to, PATH_MAX, "%s", strcmp(cwd, "/") ? cwd : "");
}

/* Removes ".", ".." and empty parts from an absolute path, in place. */
static void normalise(char *path) {
    char *out = path;
    for (const char *in = path; *in;) {
        size_t n = strcspn(in + 1, "/");
        bool up = n == 2 && in[1] == '.' && in[2] == '.', stay = n == 0 || (n == 1 && in[1] == '.');
        if (up)
            while (out > path && *--out != '/')
                ;
        else if (!stay) {
            memmove(out, in, n + 1);
            out += n + 1;
        }
        in += n + 1;
    }
    if (out == path)
        *out++ = '/';
    *out = 0;
}

bool rd_source_path(const char *root, const char *cwd, const char *path, char to[PATH_MAX]) {
    char full[PATH_MAX], real[PATH_MAX];
    bool fits = snprintf(full, sizeof full, "%s%s%s", path[0] == '/' ? "" : cwd, path[0] == '/' ? "" : "/", path) <
                (int)sizeof full;
    if (full[0] == '/' && fits)
        normalise(full);
    const char *inside = below(root, full);
    if (!inside && realpath(full, real)) /* the compiler may have named the directory through a link */
        inside = below(root, real);
    snprintf(to, PATH_MAX, "%s", inside ? inside : full);
    return inside != NULL;
}

void rd_source_uri(const char *path, char *to, size_t room) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
    size_t used = 0;
    for (; *path && used + 4 <= room; path++)
        if (strchr(plain, *path))
            to[used++] = *path;
        else
            used += (size_t)snprintf(to + used, room - used, "%%%02X", (unsigned char)*path);
    to[used] = 0;
}
