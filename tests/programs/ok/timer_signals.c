// Timers that send a signal: one guards the test, others are waited for with pause, sigwait and in a loop.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
// OUTPUT: not controlled: the program has a timer that sends a signal
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };
static int ticks, before;

static void tick(int number, siginfo_t *info, void *context) {
    (void)context;
    assert(number == SIGRTMIN && info->si_code == SI_TIMER && info->si_value.sival_int == 42);
    __atomic_add_fetch(&ticks, 1, __ATOMIC_SEQ_CST);
}

static void early(int number) { before += number == SIGALRM; }

static timer_t make(int number) {
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = number;
    event.sigev_value.sival_int = 42;
    assert(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    return timer;
}

static void *waiter(void *arg) {
    while (__atomic_load_n(&ticks, __ATOMIC_SEQ_CST) < 2) /* a handler may run in any thread */
        usleep(500);
    return arg;
}

int main(void) {
    pthread_t t;
    sigset_t usual;
    struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct itimerval soon = {{0, 0}, {0, 1000}};
    signal(SIGALRM, early);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (!before) /* there is one thread: the kernel delivers this signal */
        usleep(100);
    signal(SIGALRM, SIG_DFL);
    alarm(100);
    sigaction(SIGRTMIN, &action, NULL);
    sigemptyset(&usual);
    sigaddset(&usual, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usual, NULL);
    timer_t often = make(SIGRTMIN), once = make(SIGUSR1);
    struct itimerspec every = {{0, MS}, {0, MS}}, then = {{0, 0}, {0, 3 * MS}}, left;
    assert(timer_settime(often, 0, &every, NULL) == 0);
    pthread_create(&t, NULL, waiter, NULL);
    assert(timer_settime(once, 0, &then, NULL) == 0);
    int number = 0;
    assert(sigwait(&usual, &number) == 0 && number == SIGUSR1);
    assert(timer_gettime(once, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    pthread_join(t, NULL);
    assert(timer_delete(often) == 0 && timer_delete(once) == 0);
    assert(alarm(0) > 0);
    return 0;
}
