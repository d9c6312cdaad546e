// The read comes before the free in the first execution, but no synchronisation orders them: a predicted use after
// free.
// RADDLE: -s dpor -n 1 --detect races,heap
// EXPECT: data-race
// MODE: hooks
// OUTPUT:   T2 frees 16 bytes in drop at
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct box {
    long pad;
    int value;
};
static struct box *box;

static void *look(void *arg) {
    (void)arg;
    int value = box->value;
    return (void *)(long)value;
}

static void *drop(void *arg) {
    (void)arg;
    free(box); /* BUG */
    return NULL;
}

int main(void) {
    pthread_t a, b;
    void *seen;
    box = malloc(sizeof *box);
    box->value = 1;
    pthread_create(&a, NULL, look, NULL);
    pthread_create(&b, NULL, drop, NULL);
    pthread_join(a, &seen);
    pthread_join(b, NULL);
    printf("%ld\n", (long)seen);
    return 0;
}
