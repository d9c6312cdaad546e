// Blocks of every kind; the last user of each frees it.
// RADDLE: -s dpor --detect races,leaks,heap
// EXPECT: none
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct shared {
    pthread_mutex_t lock;
    int users;
    char *text;
};

static void leave(struct shared *s) {
    pthread_mutex_lock(&s->lock);
    int left = --s->users;
    pthread_mutex_unlock(&s->lock);
    if (left)
        return;
    pthread_mutex_destroy(&s->lock);
    free(s->text);
    free(s);
}

static void *use(void *arg) {
    struct shared *s = arg;
    pthread_mutex_lock(&s->lock);
    size_t n = strlen(s->text);
    s->text = realloc(s->text, n + 2);
    s->text[n] = 'x';
    s->text[n + 1] = 0;
    pthread_mutex_unlock(&s->lock);
    leave(s);
    return malloc(0);
}

int main(void) {
    pthread_t a, b;
    void *p, *q;
    struct shared *s = aligned_alloc(64, 64);
    pthread_mutex_init(&s->lock, NULL);
    s->users = 2;
    s->text = strdup("ab");
    if (malloc_usable_size(s->text) < 3)
        return 1;
    pthread_create(&a, NULL, use, s);
    pthread_create(&b, NULL, use, s);
    pthread_join(a, &p);
    pthread_join(b, &q);
    free(p);
    free(q);
    return 0;
}
