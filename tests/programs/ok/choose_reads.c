// The value that a thread chooses is part of the order: for each of three values, two reads of x come before or after a
// write.
// RADDLE: -s dpor:optimal --detect none
// EXPECT: none
// EXECUTIONS: 12
// MODE: hooks
#include <pthread.h>
#include <raddle.h>
#include <stddef.h>

static int x;

static void *reads(void *arg) {
    *(int *)arg = x;
    return NULL;
}

static void *writes(void *arg) {
    (void)arg;
    x = 1;
    return NULL;
}

static void *chooses(void *arg) {
    int way = raddle_choose(3);
    *(int *)arg = way * 2 + x;
    return NULL;
}

int main(void) {
    pthread_t t[3];
    int seen[2] = {0, 0};
    pthread_create(&t[0], NULL, reads, &seen[0]);
    pthread_create(&t[1], NULL, writes, NULL);
    pthread_create(&t[2], NULL, chooses, &seen[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return seen[0] > 1 || seen[1] > 5;
}
