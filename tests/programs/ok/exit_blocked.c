// main returns while other threads wait for ever, at each kind of object: the end of the program, not a deadlock.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <unistd.h>

enum { N = 5 };
static pthread_t t[N];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t none;
static int end[2];

static void *blocked(void *arg) {
    char c;
    switch ((intptr_t)arg) {
    case 0:
        pthread_mutex_lock(&held);
        sem_wait(&none);
        break;
    case 1:
        pthread_mutex_lock(&lock);
        for (;;)
            pthread_cond_wait(&never, &lock);
    case 2:
        pthread_mutex_lock(&held);
        pthread_mutex_unlock(&held);
        break;
    case 3:
        pthread_join(t[0], NULL);
        break;
    default:
        (void)!read(end[0], &c, 1);
    }
    return NULL;
}

int main(void) {
    sem_init(&none, 0, 0);
    if (pipe(end))
        return 1;
    for (intptr_t i = 0; i < N; i++)
        pthread_create(&t[i], NULL, blocked, (void *)i);
    pthread_detach(t[4]);
    return 0;
}
