// A forked child finds the locks held that were held at the fork, by its own thread and by others.
// RADDLE: -s random --seed 1 -n 20
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t theirs = PTHREAD_MUTEX_INITIALIZER, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t twice = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP, nobodys = PTHREAD_MUTEX_INITIALIZER,
                       own = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t read_locked = PTHREAD_RWLOCK_INITIALIZER, write_locked = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t held, copied;

static void *holder(void *arg) {
    pthread_mutex_lock(&theirs);
    pthread_rwlock_rdlock(&read_locked);
    sem_post(&held);
    sem_wait(&copied);
    pthread_rwlock_unlock(&read_locked);
    pthread_mutex_unlock(&theirs);
    return arg;
}

static int in_child(void) {
    if (pthread_mutex_trylock(&theirs) != EBUSY || pthread_mutex_trylock(&nobodys) != 0)
        return 1;
    if (pthread_mutex_trylock(&own) != EBUSY || pthread_mutex_unlock(&own) || pthread_mutex_lock(&own))
        return 2;
    if (pthread_mutex_trylock(&checked) != EBUSY || pthread_mutex_trylock(&twice) != EBUSY)
        return 3;
    if (pthread_rwlock_trywrlock(&read_locked) != EBUSY || pthread_rwlock_tryrdlock(&read_locked) != 0)
        return 4;
    if (pthread_rwlock_tryrdlock(&write_locked) != EBUSY || pthread_rwlock_trywrlock(&write_locked) != EBUSY)
        return 5;
    if (pthread_spin_trylock(&spin) != EBUSY || pthread_spin_unlock(&spin) || pthread_spin_lock(&spin))
        return 6;
    return sem_trywait(&held) == -1 ? 0 : 7;
}

int main(void) {
    pthread_t t;
    int status = -1;
    sem_init(&held, 0, 0);
    sem_init(&copied, 0, 0);
    pthread_spin_init(&spin, 0);
    pthread_create(&t, NULL, holder, NULL);
    sem_wait(&held);
    pthread_mutex_lock(&own);
    pthread_mutex_lock(&checked);
    pthread_mutex_lock(&twice);
    pthread_mutex_lock(&twice);
    pthread_rwlock_wrlock(&write_locked);
    pthread_spin_lock(&spin);
    pid_t child = fork();
    if (child == 0)
        _exit(in_child());
    pthread_spin_unlock(&spin);
    pthread_rwlock_unlock(&write_locked);
    pthread_mutex_unlock(&twice);
    pthread_mutex_unlock(&twice);
    pthread_mutex_unlock(&checked);
    pthread_mutex_unlock(&own);
    sem_post(&copied);
    assert(waitpid(child, &status, 0) == child && status == 0);
    pthread_join(t, NULL);
    return 0;
}
