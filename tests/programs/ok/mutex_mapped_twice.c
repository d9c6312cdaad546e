// RADDLE: -s dfs
// EXPECT: none
// COMPILE: gcc
// ALONE: yes
/* One mutex, and the counter that it protects, at two addresses: the same file is mapped twice. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

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
    int fd = memfd_create("shared", 0);
    assert(ftruncate(fd, sizeof *at[0]) == 0);
    for (int i = 0; i < 2; i++)
        at[i] = mmap(NULL, sizeof *at[i], PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
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
