// A buffer with two places: one semaphore counts the free ones, one the filled ones.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t space, items;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int buffer[2], head, tail, sum;

static void *producer(void *arg) {
    for (int i = 1; i <= 2; i++) {
        sem_wait(&space);
        pthread_mutex_lock(&lock);
        buffer[head++ % 2] = i;
        pthread_mutex_unlock(&lock);
        sem_post(&items);
    }
    return arg;
}

static void *consumer(void *arg) {
    for (int i = 0; i < 2; i++) {
        sem_wait(&items);
        pthread_mutex_lock(&lock);
        assert(head - tail > 0 && head - tail <= 2);
        sum += buffer[tail++ % 2];
        pthread_mutex_unlock(&lock);
        sem_post(&space);
    }
    return arg;
}

int main(void) {
    pthread_t t[4];
    sem_init(&space, 0, 2);
    sem_init(&items, 0, 0);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, i % 2 ? producer : consumer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    int left = -1;
    assert(sum == 6 && sem_getvalue(&space, &left) == 0 && left == 2);
    assert(sem_getvalue(&items, &left) == 0 && left == 0);
    return 0;
}
