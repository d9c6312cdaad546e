// A mutex in a segment that is attached twice stays locked, and the same mutex, when the first attachment is detached.
// RADDLE: -s dpor
// EXPECT: none
// COMPILE: gcc
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/ipc.h>
#include <sys/shm.h>

struct shared {
    pthread_mutex_t lock;
    int value;
};

static void *add(void *arg) {
    struct shared *s = arg;
    pthread_mutex_lock(&s->lock);
    s->value++;
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int main(void) {
    pthread_t t;
    struct shared *at[2];
    int id = shmget(IPC_PRIVATE, sizeof *at[0], IPC_CREAT | 0600);
    for (int i = 0; i < 2; i++)
        at[i] = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    pthread_mutex_init(&at[0]->lock, NULL);
    pthread_mutex_lock(&at[1]->lock);
    pthread_create(&t, NULL, add, at[1]);
    shmdt(at[0]);
    at[1]->value++;
    pthread_mutex_unlock(&at[1]->lock);
    pthread_join(t, NULL);
    assert(at[1]->value == 2);
    return 0;
}
