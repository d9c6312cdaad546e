/*
 * options_file.c - see options_file.h. The file is the first .raddle in the current directory and those above it,
 * up to the root of the repository (a directory with .git), the home directory, or the root of the file system.
 *
 * Its options name files that are written, so a file that somebody else has put into a directory above, such as
 * /tmp, must not count: the file has to belong to the user or to root, and only its owner may write it. A symbolic
 * link has to belong to one of them, too.
 */
#include "cli/defaults/options_file.h"

#include "cli/options.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name_of_file[] = ".raddle";
enum { FILE_MAX = 1 << 20 }; /* bytes */

struct options_file {
    bool (*use)(void *ctx, const struct rd_options_line *line);
    void *ctx;
    char *file;   /* for messages */
    char *folder; /* as in struct rd_options_line */
    char *section;
    unsigned line;
};

static bool is_home(const char *folder) {
    const char *home = getenv("HOME");
    struct stat here, there;
    return home && stat(home, &there) == 0 && stat(folder, &here) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

static bool has(const char *folder, const char *name, struct stat *st) {
    char path[PATH_MAX];
    return (size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path && lstat(path, st) == 0;
}

/* Finds the directory of the file; "" stands for the root of the file system. False: there is no file. */
static bool find_folder(char folder[PATH_MAX], bool *here) {
    struct stat st;
    if (!getcwd(folder, PATH_MAX) || folder[0] != '/')
        return false;
    if (folder[1] == 0)
        folder[0] = 0;
    for (*here = true;; *here = false) {
        if (has(folder, name_of_file, &st) && !S_ISDIR(st.st_mode))
            return true;
        if (!folder[0] || has(folder, ".git", &st) || is_home(folder))
            return false;
        *strrchr(folder, '/') = 0;
    }
}

static bool is_mine(const struct stat *st) { return st->st_uid == 0 || st->st_uid == geteuid(); }

/* Says why the open file must not be used. True: nothing is wrong. */
static bool may_be_used(int fd, const char *file) {
    struct stat st, link;
    if (fstat(fd, &st) != 0 || lstat(file, &link) != 0)
        return rd_trouble("cannot read '%s': %s", file, strerror(errno)), false;
    if (!S_ISREG(st.st_mode))
        return rd_trouble("'%s' is no regular file (--no-config ignores it)", file), false;
    if (!is_mine(&st) || !is_mine(&link))
        return rd_trouble("refused '%s': it belongs to another user (uid %u); --no-config ignores it", file,
                          (unsigned)(is_mine(&st) ? link.st_uid : st.st_uid)),
               false;
    if (st.st_mode & (S_IWGRP | S_IWOTH))
        return rd_trouble("refused '%s': other users may write it; 'chmod go-w %s' changes that, and --no-config "
                          "ignores the file",
                          file, file),
               false;
    if (st.st_size > FILE_MAX)
        return rd_trouble("'%s' is larger than 1 MiB", file), false;
    return true;
}

/* Cuts a comment off, and blanks at both ends. */
static char *trim(char *line) {
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || c[-1] == ' ' || c[-1] == '\t')) {
            *c = 0;
            break;
        }
    line += strspn(line, " \t");
    size_t n = strlen(line);
    while (n && strchr(" \t\r\n", line[n - 1]))
        line[--n] = 0;
    return line;
}

/* Reads "[test PATTERN]". False after a message. */
static bool begin_section(struct options_file *f, char *text) {
    size_t n = strlen(text);
    bool closed = text[n - 1] == ']';
    text[n - 1] = closed ? 0 : text[n - 1];
    char *word = text + 1 + strspn(text + 1, " \t");
    size_t length = strcspn(word, " \t");
    char *pattern = trim(word + length);
    if (!closed)
        return rd_trouble("%s:%u: no ']' at the end of '%s'", f->file, f->line, text), false;
    if (length != 4 || memcmp(word, "test", 4) != 0)
        return rd_trouble("%s:%u: unknown section '%s]': a section is [test PATTERN]", f->file, f->line, text),
               false;
    if (!*pattern)
        return rd_trouble("%s:%u: '[test]' needs the name of a test or program, with wildcards as in a shell",
                          f->file, f->line),
               false;
    free(f->section);
    f->section = strdup(pattern);
    if (!f->section)
        abort();
    return true;
}

/* Handles a line. False after a message. */
static bool take_line(struct options_file *f, char *text, size_t length) {
    if (strlen(text) != length)
        return rd_trouble("%s:%u: the line has a zero byte", f->file, f->line), false;
    if (f->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3; /* the mark of UTF-8 that some editors write */
    text = trim(text);
    if (!*text)
        return true;
    if (*text == '[')
        return begin_section(f, text);
    size_t n = strcspn(text, " \t=");
    bool equals = text[n] == '=';
    char *value = text[n] ? text + n + 1 : NULL;
    text[n] = 0;
    struct rd_options_line line = {.file = f->file,
                                   .folder = f->folder,
                                   .section = f->section,
                                   .line = f->line,
                                   .name = text,
                                   .value = value && !equals ? value + strspn(value, " \t") : value};
    return f->use(f->ctx, &line);
}

static bool read_lines(struct options_file *f, FILE *in) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    bool fine = true;
    for (f->line = 1; fine && (n = getline(&line, &room, in)) >= 0; f->line++)
        fine = take_line(f, line, (size_t)n);
    if (fine && ferror(in))
        fine = (rd_trouble("cannot read '%s': %s", f->file, strerror(errno)), false);
    free(line);
    return fine;
}

bool rd_options_file_read(bool (*use)(void *ctx, const struct rd_options_line *line), void *ctx) {
    static char folder[PATH_MAX], path[PATH_MAX + sizeof name_of_file];
    struct options_file f = {.use = use, .ctx = ctx, .file = path, .folder = folder};
    bool here;
    if (!find_folder(folder, &here))
        return true;
    snprintf(path, sizeof path, "%s%s%s", here ? "" : folder, here ? "" : "/", name_of_file);
    if (here)
        folder[0] = 0;
    else if (!folder[0])
        strcpy(folder, "/");
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return rd_trouble("cannot open '%s': %s (--no-config ignores it)", path, strerror(errno)), false;
    if (!may_be_used(fd, path)) {
        close(fd);
        return false;
    }
    FILE *in = fdopen(fd, "r");
    if (!in)
        abort();
    bool fine = read_lines(&f, in);
    free(f.section);
    fclose(in);
    return fine;
}
