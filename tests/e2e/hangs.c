/* Threads that never end, or end late; the first argument chooses the case. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static const char *what;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool late;

/* Computes for some seconds, or for ever. */
static void compute(bool ends_some_time) {
    for (unsigned long i = 0; i < 9000000000ul; i += ends_some_time)
        __asm__ volatile("" : "+r"(i));
}

static void *work(void *arg) {
    char c;
    pthread_mutex_lock(&lock);
    bool go = !late;
    pthread_mutex_unlock(&lock);
    if (strcmp(what, "silent") == 0 || strcmp(what, "slow") == 0 || strcmp(what, "alarm") == 0)
        (void)!read(ends[0], &c, 1);
    else if (strcmp(what, "computes") == 0 || go)
        compute(strcmp(what, "computes") == 0);
    return arg;
}

static void on_alarm(int sig) {
    (void)sig;
    (void)!write(ends[1], "x", 1);
}

/* The child keeps the pipe open, and is not controlled. */
static void start_child(void) {
    if (pipe(ends) != 0 || fork() != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct timespec some = {2, 600000000};
    if (strcmp(what, "slow") == 0) {
        nanosleep(&some, NULL);
        (void)!write(ends[1], "x", 1);
    }
    if (strcmp(what, "alarm") == 0) {
        signal(SIGALRM, on_alarm);
        alarm(3);
    }
    for (;;)
        pause();
}

int main(int argc, char **argv) {
    pthread_t t;
    what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "loops") != 0 && strcmp(what, "computes") != 0)
        start_child();
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    late = true;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
