// RADDLE: -s rank:c=0
// EXPECT: assertion
// MODE: hooks
// No preemption: a post enables a thread with a higher priority, which runs before the write after the post.
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int value;

static void *reads(void *arg) {
    sem_wait(&ready);
    assert(value == 1); /* BUG */
    return arg;
}

static void *writes(void *arg) {
    sem_post(&ready); /* too early */
    value = 1;
    return arg;
}

int main(void) {
    pthread_t t[2];
    sem_init(&ready, 0, 0);
    pthread_create(&t[0], NULL, reads, NULL);
    pthread_create(&t[1], NULL, writes, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
