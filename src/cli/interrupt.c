/*
 * interrupt.c - see interrupt.h. Only a second Ctrl-C is taken as haste: `timeout` sends SIGTERM twice (to the
 * process and to its group), and shells repeat a SIGHUP. A signal that was ignored when the command began stays
 * ignored (nohup, a shell's background job). SIGPIPE and SIGXFSZ do not end the command: the write then fails with
 * an error, and the findings are stored all the same.
 */
#include "cli/interrupt.h"

#include "drive/process/process_group.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Seconds from the first signal until the command is killed if it still runs; also when it waits for commands. */
enum { LAST_S = 1, LAST_OF_COMMANDS_S = 4 };

static volatile int requested;
static volatile int requested_by; /* the signal that asked first */
static bool kill_at_once, runs_commands;
static const char *volatile first_text;

static void write_first_text(void) {
    const char *text = first_text;
    if (text)
        (void)!write(2, text, strlen(text));
}

/* Takes the default action of a signal; called in its handler. Returns if the action was to stop the process. */
static void take_default_action(int sig) {
    struct sigaction mine, standard = {.sa_handler = SIG_DFL};
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, sig);
    sigaction(sig, &standard, &mine);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &one, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(sig, &mine, NULL);
}

/* Kills the tested processes, then this one by the signal, so that a shell sees which signal ended the command. */
static void kill_everything(int sig) {
    write_first_text();
    rd_process_group_signal(SIGKILL);
    take_default_action(sig);
}

static void on_stop(int sig) {
    int saved = errno;
    bool second_ctrl_c = sig == SIGINT && requested;
    if (!requested) {
        const struct itimerval last = {.it_value.tv_sec = runs_commands ? LAST_OF_COMMANDS_S : LAST_S};
        requested_by = sig;
        setitimer(ITIMER_REAL, &last, NULL);
    }
    requested = 1;
    if (kill_at_once || second_ctrl_c)
        kill_everything(sig);
    errno = saved;
}

/*
 * The command has not ended in good order in time: it may be blocked while it writes the report, for example
 * into a pipe that is not read. The findings are stored already.
 */
static void on_last(int sig) {
    (void)sig;
    kill_everything(requested_by);
}

static void on_suspend(int sig) {
    int saved = errno;
    write_first_text();
    rd_process_group_signal(runs_commands ? SIGTSTP : SIGSTOP);
    take_default_action(sig);
    rd_process_group_signal(SIGCONT);
    errno = saved;
}

/* Does nothing, but is a handler: tested programs would inherit SIG_IGN. */
static void on_failed_write(int sig) { (void)sig; }

static void handle(int sig, void (*handler)(int)) {
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&new.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(sig, &new, NULL);
}

void rd_interrupt_install(bool at_once) {
    kill_at_once = at_once;
    handle(SIGINT, on_stop);
    handle(SIGTERM, on_stop);
    handle(SIGHUP, on_stop);
    handle(SIGALRM, on_last);
    handle(SIGTSTP, on_suspend);
    handle(SIGPIPE, on_failed_write);
    handle(SIGXFSZ, on_failed_write);
}

void rd_interrupt_for_commands(void) { runs_commands = true; }

const volatile int *rd_interrupt_requested(void) { return &requested; }

void rd_interrupt_write_first(const char *text) { first_text = text; }
