/*
 * test_pages.c - see test_pages.h. A test may run twice, and only the better run counts, so each run writes to a
 * folder of its own, whose name begins with a dot.
 */
#include "cli/test/documents/test_pages.h"

#include "cli/run/make_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static FILE *index_file;

/* Has the run written its index? A run that was killed leaves an empty one. */
static bool has_index(const char *folder) {
    char path[PATH_MAX];
    struct stat st;
    return (size_t)snprintf(path, sizeof path, "%s/index.html", folder) < sizeof path && stat(path, &st) == 0 &&
           S_ISREG(st.st_mode) && st.st_size > 0;
}

/* Moves each file of the folder into the other one; NULL: removes it. */
static void empty_folder(const char *from, const char *to) {
    char path[PATH_MAX], target[PATH_MAX];
    DIR *dir = opendir(from);
    for (const struct dirent *e; dir && (e = readdir(dir));) {
        size_t n = (size_t)snprintf(path, sizeof path, "%s/%s", from, e->d_name);
        if (n >= sizeof path || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (to && (size_t)snprintf(target, sizeof target, "%s/%s", to, e->d_name) < sizeof target)
            rename(path, target);
        else
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

void rd_test_pages_take(struct rd_test *t, bool counts) {
    if (!t->new_pages)
        return;
    bool any = has_index(t->new_pages);
    if (counts)
        t->has_pages = any && (mkdir(t->pages, 0777) == 0 || access(t->pages, W_OK | X_OK) == 0);
    empty_folder(t->new_pages, counts && t->has_pages ? t->pages : NULL);
    rmdir(t->new_pages);
}

bool rd_test_pages_open(const char *folder) {
    char path[PATH_MAX];
    bool made;
    if (!rd_make_folder(folder, &made))
        return rd_trouble("cannot write to directory '%s': %s", folder, strerror(errno)), false;
    bool fits = (size_t)snprintf(path, sizeof path, "%s/index.html", folder) < sizeof path;
    index_file = fits ? fopen(path, "we") : NULL;
    if (!index_file)
        rd_trouble("cannot write '%s': %s", path, strerror(fits ? errno : ENAMETOOLONG));
    return index_file != NULL;
}

int rd_test_pages_write(const struct rd_test_runs *r) {
    if (!index_file)
        return 0;
    rd_test_index(index_file, r);
    bool failed = ferror(index_file) != 0;
    failed |= fclose(index_file) != 0;
    return failed ? rd_trouble("cannot write '%s/index.html'", r->options->html) : 0;
}
