/* open_schedule.c - see open_schedule.h. */
#include "cli/open_schedule.h"

#include "cli/options.h"
#include "cli/program_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Does `path` name the current directory? */
static bool is_current_directory(const char *path) {
    struct stat named, here;
    return path && stat(path, &named) == 0 && stat(".", &here) == 0 && named.st_dev == here.st_dev &&
           named.st_ino == here.st_ino;
}

/*
 * Changes the current directory and PWD, the variable in which a shell keeps it: the program was recorded with
 * both. A PWD that was wrong before stays as it is.
 */
static int change_directory(const char *cwd) {
    bool had_pwd = is_current_directory(getenv("PWD"));
    if (chdir(cwd) != 0)
        return -1;
    if (had_pwd && !is_current_directory(getenv("PWD")))
        setenv("PWD", cwd, 1);
    return 0;
}

int rd_open_schedule(struct rd_schedule *s, struct rd_target *t, const char *file) {
    struct rd_error error;
    if (rd_schedule_read(s, file, &error) != 0)
        return rd_trouble("%s", error.text);
    if (change_directory(s->cwd) != 0)
        return rd_trouble("cannot go to '%s', where '%s' was recorded: %s", s->cwd, file, strerror(errno));
    char *args[] = {s->program, NULL};
    if (rd_program_symbols_open_target(t, args, &error) != 0)
        return rd_trouble("%s", error.text);
    t->args = s->args;
    t->arg_count = s->arg_count;
    if (t->build_id_size != s->build_id_size || memcmp(t->build_id, s->build_id, s->build_id_size) != 0)
        return rd_trouble(
            "'%s' was recorded with another build of '%s'; build that again, or record anew with 'raddle run'",
            file, s->program);
    if (rd_is_predicted(s->finding.kind))
        rd_program_symbols_for_races(t);
    return 0;
}
