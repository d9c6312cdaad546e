// Threads that are blocked in one cancellation point each: a semaphore, a pipe, poll, a sleep, a join, a test.
// RADDLE: -s random --seed 1 -n 100
// EXPECT: none
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <unistd.h>

enum { N = 6 };
static pthread_t t[N];
static sem_t none;
static int end[2];

static void *blocked(void *arg) {
    char c;
    struct pollfd in = {end[0], POLLIN, 0};
    for (;;)
        switch ((intptr_t)arg) {
        case 0:
            sem_wait(&none);
            break;
        case 1:
            (void)!read(end[0], &c, 1);
            break;
        case 2:
            poll(&in, 1, -1);
            break;
        case 3:
            sleep(1);
            break;
        case 4:
            pthread_join(t[0], NULL);
            assert(0);
            break;
        default:
            pthread_testcancel();
            sched_yield();
        }
    return NULL;
}

int main(void) {
    sem_init(&none, 0, 0);
    assert(pipe(end) == 0);
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, blocked, (void *)i);
    for (int i = N - 1; i >= 0; i--) {
        void *result = NULL;
        assert(pthread_cancel(t[i]) == 0);
        assert(pthread_join(t[i], &result) == 0 && result == PTHREAD_CANCELED);
    }
    return 0;
}
