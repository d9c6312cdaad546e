/* open_schedule.c - see open_schedule.h. */
#include "cli/open_schedule.h"

#include "base/text.h"
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

/* Opens the program of the schedule in its directory, and checks the build. */
static int open_program(struct rd_schedule *s, struct rd_target *t, const char *file, bool elsewhere) {
    struct rd_error error;
    if (change_directory(s->cwd) != 0 && !elsewhere)
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

int rd_open_schedule(struct rd_schedule *s, struct rd_target *t, const char *file) {
    struct rd_error error;
    if (rd_schedule_read(s, file, &error) != 0)
        return rd_trouble("%s", error.text);
    return open_program(s, t, file, false);
}

/* Says what the replay of a file from elsewhere would run, and what to type. Returns the exit status. */
static int refuse(const struct rd_schedule *s, const char *file, const char *call) {
    char word[PATH_MAX], command[3 * PATH_MAX];
    struct rd_text t;
    rd_text_init(&t, command, sizeof command);
    for (uint32_t i = 1; i < s->arg_count; i++) {
        rd_text_char(&t, ' ');
        rd_text_str(&t, rd_shell_word(s->args[i], word, sizeof word));
    }
    char program[PATH_MAX], settings[RD_REPLAY_SETTINGS], path[PATH_MAX];
    rd_shell_word(s->program, program, sizeof program);
    rd_replay_settings(settings, sizeof settings);
    rd_trouble("'%s' was not recorded by you on this machine, so the program that it names is not run unasked",
               file);
    rd_trouble("  it would run  %s%s", program, command);
    rd_trouble("  in            %s", rd_shell_word(s->cwd, word, sizeof word));
    rd_trouble("  with the environment of this shell%s%s", settings[0] ? ", among it " : "", settings);
    rd_trouble("files from CI or a colleague are like that: 'raddle show' prints them; to run one, name your own "
               "program of "
               "the same build:");
    rd_trouble("  %s --program %s %s", call, program, rd_shell_word(file, path, sizeof path));
    return RD_EXIT_TROUBLE;
}

/* Makes `path` the program of the schedule, and the file in which the names of its places are looked up. */
static void replace_program(struct rd_schedule *s, const char *path) {
    for (uint32_t i = 0; i < s->module_count; i++)
        if (strcmp(s->modules[i].path, s->program) == 0)
            rd_text_copy(s->modules[i].path, sizeof s->modules[i].path, path);
    char *name = strdup(path);
    if (!name)
        abort();
    free(s->program);
    s->program = name;
}

int rd_open_schedule_to_run(struct rd_schedule *s, struct rd_target *t, const char *file, const char *program,
                            const char *call) {
    struct rd_error error;
    char path[PATH_MAX];
    if (rd_schedule_read(s, file, &error) != 0)
        return rd_trouble("%s", error.text);
    if (!program)
        return s->authentic ? open_program(s, t, file, false) : refuse(s, file, call);
    if (!realpath(program, path))
        return rd_trouble("cannot open '%s': %s", program, strerror(errno));
    replace_program(s, path);
    return open_program(s, t, file, true);
}
