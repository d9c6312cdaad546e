// A reader has the pointer while the other thread frees the block.
// RADDLE: -s dpor
// EXPECT: use-after-free
// MODE: hooks
// OUTPUT:   allocated by T0 (main) in main at
// OUTPUT:   freed by T2 in drop at
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
    int value = box->value; /* BUG */
    return (void *)(long)value;
}

static void *drop(void *arg) {
    (void)arg;
    free(box);
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
