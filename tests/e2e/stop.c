// stop.c - for test_stop.py and test_status.py. The second argument is a descriptor to write to.
//   many   has too many executions for any test; each writes when it ends
//   loop   writes, and loops for ever without an operation
//   spin   the same, after it has started a child that waits for ever
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, fd, starts;
static volatile int forever = 1;

static void say(void) {
    if (fd && write(fd, "x", 1) != 1)
        abort();
}

static void *many(void *arg) {
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *spin(void *arg) {
    if (starts && fork() == 0)
        for (;;)
            pause();
    say();
    while (forever) {
    }
    return arg;
}

int main(int argc, char **argv) {
    int spins = argc > 1 && strcmp(argv[1], "many") != 0, n = spins ? 1 : 3;
    fd = argc > 2 ? atoi(argv[2]) : 0;
    starts = argc > 1 && strcmp(argv[1], "spin") == 0;
    pthread_t t[3];
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, spins ? spin : many, NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    say();
    return 0;
}
