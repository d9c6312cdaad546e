// RADDLE: -s dfs
// EXPECT: none
// COMPILE: gcc
// ALONE: yes
/* One mutex, and the counter that it protects, at two addresses: the same System V segment is attached twice. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
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
    pthread_t t[2];
    struct shared *at[2];
    pthread_mutexattr_t kind;
    int id = shmget(IPC_PRIVATE, sizeof *at[0], IPC_CREAT | 0600);
    for (int i = 0; i < 2; i++)
        at[i] = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL); /* takes effect when no process has it attached */
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&at[0]->lock, &kind);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, at[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(at[0]->value == 2);
    return 0;
}
