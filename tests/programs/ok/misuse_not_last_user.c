// The last user of a counted object destroys its lock at once after the unlock: that is allowed.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct shared {
    pthread_mutex_t lock;
    int users;
};

static void *user(void *arg) {
    struct shared *s = arg;
    pthread_mutex_lock(&s->lock);
    int last = --s->users == 0;
    pthread_mutex_unlock(&s->lock);
    if (last) {
        assert(pthread_mutex_destroy(&s->lock) == 0);
        free(s);
    }
    return NULL;
}

int main(void) {
    pthread_t t[2];
    struct shared *s = malloc(sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->users = 3;
    pthread_create(&t[0], NULL, user, s);
    pthread_create(&t[1], NULL, user, s);
    user(s);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
