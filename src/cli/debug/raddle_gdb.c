/*
 * raddle_gdb.c - the command raddle-gdb, for editors: they start it in the place of gdb, with gdb's arguments and a
 * schedule file among them, or in the variable RADDLE_SCHEDULE. Without a schedule it is gdb, so an editor can ask
 * it for its version.
 */
#include "cli/commands.h"
#include "cli/debug/debug_replay.h"
#include "cli/open_schedule.h"
#include "cli/options.h"
#include "drive/process/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_schedule(const char *word) {
    size_t n = strlen(word);
    return *word != '-' && n > 6 && strcmp(word + n - 6, ".sched") == 0;
}

/*
 * Takes --program PATH, which raddle replay has, too, out of the arguments: gdb has no such option. False after a
 * message.
 */
static bool take_program(char **args, const char **program) {
    static const char name[] = "--program";
    char **to = args;
    for (; *args && strcmp(*args, "--args") != 0 && strcmp(*args, "-args") != 0; args++) {
        if (strncmp(*args, "--program=", sizeof name) == 0)
            *program = *args + sizeof name;
        else if (strcmp(*args, name) != 0)
            *to++ = *args;
        else if (!(*program = *++args))
            return rd_trouble("--program needs a value"), false;
    }
    while ((*to++ = *args++)) {
    }
    return true;
}

static bool same_file(const char *a, const char *b) {
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/*
 * Takes over gdb's arguments without the schedule, the program and what follows --args: the schedule says which
 * program runs with which arguments. False after a message.
 */
static bool take_arguments(struct rd_debug *d, char **args, const char *schedule, const char *program) {
    for (; *args && strcmp(*args, "--args") != 0 && strcmp(*args, "-args") != 0; args++) {
        if (*args == schedule || (**args != '-' && same_file(*args, program)))
            continue;
        if (d->arg_count == RD_DEBUG_ARGS)
            return rd_trouble("more than %d arguments for gdb", RD_DEBUG_ARGS), false;
        d->args[d->arg_count++] = *args;
    }
    return true;
}

int rd_cmd_gdb(char **args) {
    static struct rd_target target;
    static struct rd_debug debug;
    struct rd_schedule schedule;
    struct rd_error error;
    const char *file = getenv("RADDLE_SCHEDULE"), *program = NULL;
    for (char **a = args + 1; *a; a++)
        file = is_schedule(*a) ? *a : file;
    if (!file || !*file) {
        args[0] = (char *)"gdb";
        execvp("gdb", args);
        return rd_trouble("cannot run gdb: %s", strerror(errno));
    }
    if (!take_program(args + 1, &program))
        return RD_EXIT_TROUBLE;
    char *path = realpath(file, NULL);
    if (!path)
        return rd_trouble("cannot open '%s': %s", file, strerror(errno));
    if (rd_limits_check(&error) != 0)
        return rd_trouble("%s", error.text);
    int status = rd_open_schedule_to_run(&schedule, &target, path, program, "raddle-gdb");
    if (status)
        return status;
    debug.file = path;
    debug.no_run = true;
    if (!take_arguments(&debug, args + 1, file, target.path))
        return RD_EXIT_TROUBLE;
    return rd_debug_gdb(&debug, &target, &schedule);
}
