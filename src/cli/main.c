/* main.c - the command line: calls a subcommand; a word that is no subcommand is a compiler, or a program to run.
 */
#include "cli/commands.h"
#include "cli/compiler_names.h"
#include "cli/options.h"
#include "drive/process/process_group.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int usage(void) {
    puts("Raddle finds concurrency bugs: it runs your program again and again, each time under another thread\n"
         "schedule that it chooses, and reports each bug with the schedule that shows it.\n"
         "\n"
         "  raddle run [options] [--] PROGRAM [ARGS...]   find bugs ('raddle PROGRAM' is the same)\n"
         "  raddle replay FILE [--gdb]                    run one recorded schedule again, on real threads\n"
         "  raddle show FILE [--html OUT]                 print a recorded execution, thread by thread\n"
         "  raddle cc ... | raddle c++ ...                compile so that every memory access is under control;\n"
         "                                                'raddle gcc-12 ...', 'raddle ccache clang ...' do, too\n"
         "  raddle list [strategies|detectors|findings|operations]  a line about each\n"
         "  raddle list variables [options] PROGRAM       which variables threads share, and what protects them\n"
         "  raddle bench PROGRAM                          measure executions a second\n"
         "  raddle help COMMAND | time                    the options of a command; how time is treated\n"
         "\n"
         "Start with: raddle run ./your-test        Exit status: 0 no bug, 1 a bug, 2 trouble.");
    return 0;
}

static void help_time(void) {
    puts(
        "Time is virtual. It stands still while the program computes; a sleep moves it by its whole duration,\n"
        "a reading of a clock or a yield by a microsecond, and by more and more for a thread that does nothing\n"
        "else. No test ever waits.\n"
        "\n"
        "A wait with a deadline that cannot complete may time out; whether it does is a choice of the schedule:\n"
        "  early, although other threads could go on: the first N timeouts of a thread (--timeouts N, default 3);\n"
        "  always, when its deadline has come on the virtual clock;\n"
        "  when no other thread can go on: then time passes to the first deadline.\n"
        "A timer that sends a signal (alarm, setitimer, timer_create) goes off in the last two of these cases.\n"
        "\n"
        "The program's clocks start at the same moment in every run: 2026-01-01, 00:00 UTC.\n"
        "\n"
        "Real time counts for executions that do not end: after --max-seconds they are hangs. The default is\n"
        "10. Without --max-seconds two kinds of executions are hangs already after 2 s: one whose running thread\n"
        "has computed for that long without any operation, if no earlier execution took a 50th of that, and one\n"
        "that has been blocked for that long, together with every process that could end the block.");
}

static int help(char **args);

/* The subcommands and the pages of `raddle help`. run NULL: it is only a page; help NULL: it has no page. */
static const struct {
    const char *name;
    int (*run)(char **);
    void (*help)(void);
} commands[] = {{"run", rd_cmd_run, rd_help_run},
                {"replay", rd_cmd_replay, rd_help_replay},
                {"show", rd_cmd_show, rd_help_show},
                {"list", rd_cmd_list, rd_help_list},
                {"bench", rd_cmd_bench, rd_help_bench},
                {"time", NULL, help_time},
                {"--launch", rd_cmd_launch, NULL},
                {"help", help, NULL},
                {"--help", help, NULL},
                {"-h", help, NULL}};

static int help(char **args) {
    if (!args[0])
        return usage();
    for (unsigned i = 0; i < RD_COUNT(commands); i++) {
        if (commands[i].help && strcmp(args[0], commands[i].name) == 0) {
            commands[i].help();
            return 0;
        }
    }
    if (strcmp(args[0], "cc") == 0 || strcmp(args[0], "c++") == 0)
        return usage();
    return rd_trouble("no help for '%s'", args[0]);
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
    signal(SIGCHLD, SIG_DFL); /* where it is ignored, the kernel reaps child processes, and waitpid finds none */
    const char *self = base_name(argv[0]);
    if (strcmp(self, "raddle-cc") == 0 || strcmp(self, "raddle-c++") == 0) {
        argv[0] = (char *)self + 7;
        return rd_cmd_cc(argv);
    }
    if (!argv[1]) {
        usage();
        return RD_EXIT_TROUBLE;
    }
    const char *word = argv[1];
    char **rest = argv + 2;
    for (unsigned i = 0; i < RD_COUNT(commands); i++)
        if (commands[i].run && strcmp(word, commands[i].name) == 0)
            return finish(commands[i].run(rest));
    if (rd_compiler_words(argv + 1) || rd_compiler_launches(word))
        return rd_cmd_cc(argv + 1);
    if (strcmp(word, "--version") == 0) {
        puts("raddle " RADDLE_VERSION);
        return finish(0);
    }
    return finish(rd_cmd_run(argv + 1));
}
