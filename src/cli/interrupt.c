/*
 * interrupt.c - see interrupt.h. Only a second Ctrl-C means haste: `timeout` sends SIGTERM twice (to the process
 * and to its group), a shell repeats a hangup. A signal that was ignored when the command began stays ignored
 * (nohup, a shell's background). An output that is closed, or a file that becomes too large (ulimit -f), is an
 * error of the write, not a signal: what was found is stored all the same.
 */
#include "cli/interrupt.h"

#include "drive/process/process_group.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { LAST_S = 1 }; /* after which it ends whatever it is doing */

static volatile int wanted;
static volatile int first_sig; /* that has asked for the end */
static bool hurry;
static const char *volatile first;

static void say_first(void) {
    if (first)
        (void)!write(2, first, strlen(first));
}

/* Takes the default action of a signal whose handler this is. */
static void by_default(int sig) {
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

static void end_all(int sig) {
    say_first();
    rd_process_group_signal(SIGKILL);
    by_default(sig);
}

static void on_stop(int sig) {
    int saved = errno;
    bool again = sig == SIGINT && wanted;
    if (!wanted) {
        const struct itimerval last = {.it_value.tv_sec = LAST_S};
        first_sig = sig;
        setitimer(ITIMER_REAL, &last, NULL);
    }
    wanted = 1;
    if (hurry || again)
        end_all(sig);
    errno = saved;
}

/* The end has not come in good order: the report may be one that nobody reads. What was found is stored. */
static void on_last(int sig) {
    (void)sig;
    end_all(first_sig);
}

static void on_suspend(int sig) {
    int saved = errno;
    say_first();
    rd_process_group_signal(SIGSTOP);
    by_default(sig);
    rd_process_group_signal(SIGCONT);
    errno = saved;
}

/* A handler, and not to ignore it: that would be inherited by tested programs. */
static void on_closed(int sig) { (void)sig; }

static void handle(int sig, void (*handler)(int)) {
    struct sigaction old, new = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&new.sa_mask);
    if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        sigaction(sig, &new, NULL);
}

void rd_stop_install(bool at_once) {
    hurry = at_once;
    handle(SIGINT, on_stop);
    handle(SIGTERM, on_stop);
    handle(SIGHUP, on_stop);
    handle(SIGALRM, on_last);
    handle(SIGTSTP, on_suspend);
    handle(SIGPIPE, on_closed);
    handle(SIGXFSZ, on_closed);
}

const volatile int *rd_stop_wanted(void) { return &wanted; }

void rd_stop_first(const char *text) { first = text; }
