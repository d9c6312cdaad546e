/* A block is freed while another thread waits for an object in it; the argument names the object's kind. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

struct all {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    sem_t sem;
    pthread_rwlock_t rw;
    pthread_barrier_t barrier;
};
static struct all *all;
static const char *what;

static void *wait_in_it(void *arg) {
    if (strcmp(what, "mutex") == 0) {
        pthread_mutex_lock(&all->lock);
    } else if (strcmp(what, "cond") == 0) {
        pthread_mutex_lock(&all->lock);
        pthread_cond_wait(&all->cond, &all->lock);
    } else if (strcmp(what, "sem") == 0) {
        sem_wait(&all->sem);
    } else if (strcmp(what, "rwlock") == 0) {
        pthread_rwlock_rdlock(&all->rw);
    } else {
        pthread_barrier_wait(&all->barrier);
    }
    return arg;
}

int main(int argc, char **argv) {
    pthread_t a;
    what = argc > 1 ? argv[1] : "mutex";
    all = malloc(sizeof *all);
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->cond, NULL);
    sem_init(&all->sem, 0, 0);
    pthread_rwlock_init(&all->rw, NULL);
    pthread_barrier_init(&all->barrier, NULL, 2);
    pthread_rwlock_wrlock(&all->rw);
    if (strcmp(what, "mutex") == 0)
        pthread_mutex_lock(&all->lock);
    pthread_create(&a, NULL, wait_in_it, NULL);
    free(all);
    pthread_join(a, NULL);
    return 0;
}
