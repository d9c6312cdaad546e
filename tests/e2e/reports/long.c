/* A lost update in the middle of 24,000 steps: too long for an explanation within the time for it. */
#include <assert.h>
#include <pthread.h>
enum { ROUNDS = 2000 };
static int table[16], total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *arg) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        table[(i * 7 + (arg != 0)) % 16] += 1;
        pthread_mutex_unlock(&lock);
        if (i % 500 == 499)
            total += 1;
    }
    return arg;
}
int main(void) {
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(total == 12);
    return 0;
}
