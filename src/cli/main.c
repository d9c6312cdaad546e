/* main.c - the command line: calls a subcommand; a word that is no subcommand is a compiler, or a program to run.
 */
#include "base/guess.h"
#include "cli/commands.h"
#include "cli/compiler_names.h"
#include "cli/options.h"
#include "drive/process/launch.h"
#include "drive/process/process_group.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The list of commands. */
static int usage(void) {
    puts("Raddle finds concurrency bugs: it runs your program again and again, each time under another thread\n"
         "schedule that it chooses, and reports each bug with the schedule that shows it.\n");
    for (uint32_t i = 0; i < rd_command_count; i++) {
        const struct rd_command *c = rd_commands[i];
        char left[128];
        if (!c->summary || !c->arguments)
            continue;
        const char *options = "[options] [--] ", *rest = strstr(c->arguments, options);
        snprintf(left, sizeof left, "raddle %s %s", c->name, rest ? rest + strlen(options) : c->arguments);
        rd_options_row(left, c->summary);
    }
    rd_options_row("raddle help COMMAND", "a page about a command");
    for (uint32_t i = 0; i < rd_command_count; i++) {
        char left[128];
        if (!rd_commands[i]->summary || rd_commands[i]->arguments)
            continue;
        snprintf(left, sizeof left, "raddle help %s", rd_commands[i]->name);
        rd_options_row(left, rd_commands[i]->summary);
    }
    puts("\nStart with: raddle run ./your-test        Exit status: 0 no bug, 1 a bug, 2 trouble.");
    return 0;
}

static bool is_help(const char *word) {
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Says what is near to a word that is the name of no command, or, with `pages`, of no page. Returns `to`. */
static const char *guess(const char *word, bool pages, char to[RD_GUESS_TEXT]) {
    struct rd_guess g;
    rd_guess_begin(&g, word, strlen(word));
    for (uint32_t i = 0; i < rd_command_count; i++)
        if (rd_commands[i]->summary && (pages || rd_commands[i]->arguments))
            rd_guess_try(&g, rd_commands[i]->name, strlen(rd_commands[i]->name));
    rd_guess_try(&g, "help", 4);
    return rd_guess_words(&g, pages ? "raddle help " : "raddle ", to);
}

/* raddle help [PAGE]: the words of the page's name may be several ("list variables"). */
static int help(char **args) {
    char name[64], words[RD_GUESS_TEXT];
    if (!args[0])
        return usage();
    snprintf(name, sizeof name, "%s%s%s", args[0], args[1] ? " " : "", args[1] ? args[1] : "");
    const struct rd_command *c = rd_command_find(name);
    if (!c || !c->description)
        return rd_trouble("no help for '%s'%s (see 'raddle help')", name, guess(args[0], true, words));
    rd_command_help(c);
    return RD_EXIT_CLEAN;
}

/* A word that is no command and no path should be a program in PATH. Returns 0, or the exit status after a message.
 */
static int check_program(const char *word) {
    char path[PATH_MAX], words[RD_GUESS_TEXT];
    if (word[0] == '-' || strchr(word, '/') || rd_find_in_path(word, path, sizeof path))
        return 0;
    if (access(word, X_OK) == 0)
        return rd_trouble(
            "no command '%s', and no such program in PATH; for the one in this directory type: raddle run "
            "./%s",
            word, word);
    return rd_trouble("no command '%s', and no such program in PATH%s (see 'raddle help')", word,
                      guess(word, false, words));
}

/*
 * The name by which a reader can call this program again: "raddle" if a shell finds it by that, else as it was
 * called.
 */
static const char *name_for_commands(const char *called) {
    char found[PATH_MAX];
    struct stat here, there;
    bool same = rd_find_in_path("raddle", found, sizeof found) && stat(found, &there) == 0 &&
                stat("/proc/self/exe", &here) == 0 && here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    return same ? "raddle" : called;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/*
 * Opens the standard streams that are closed: a channel must not get the number of one. They are opened for the
 * wrong direction, so that reading the input and writing the outputs still fail.
 */
static void fill_closed_streams(void) {
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* Returns the exit status of the process: trouble if the report could not be written. */
static int finish(int status) {
    rd_process_group_end(); /* processes that tested programs have left behind */
    if (status == RD_EXIT_TROUBLE || (!ferror(stdout) && fflush(stdout) == 0))
        return status;
    return rd_trouble("cannot write to the standard output");
}

int main(int argc, char **argv) {
    (void)argc;
    fill_closed_streams();
    rd_launch_note_descriptors();
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, the kernel reaps child processes, and waitpid finds none */
    const char *self = base_name(argv[0]);
    rd_called_as = name_for_commands(argv[0]);
    if (strcmp(self, "raddle-cc") == 0 || strcmp(self, "raddle-c++") == 0) {
        argv[0] = (char *)self + 7;
        return rd_cmd_cc(argv);
    }
    if (strcmp(self, "raddle-gdb") == 0)
        return finish(rd_cmd_gdb(argv));
    if (!argv[1]) {
        usage();
        return RD_EXIT_TROUBLE;
    }
    const char *word = argv[1];
    char **rest = argv + 2;
    const struct rd_command *command = rd_command_find(word);
    if (is_help(word))
        return finish(help(rest));
    if (command && command->run)
        return finish(command->run(rest));
    if (rd_compiler_words(argv + 1) || rd_compiler_launches(word))
        return rd_cmd_cc(argv + 1);
    if (strcmp(word, "--version") == 0) {
        puts("raddle " RADDLE_VERSION);
        return finish(0);
    }
    int status = check_program(word);
    return status ? status : finish(rd_cmd_run(argv + 1));
}
