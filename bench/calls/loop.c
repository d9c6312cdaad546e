/* loop.c - two threads; each calls one kind of function a few times, and then counts under a lock. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int plain_sum(const char *from, int size); /* plain.c, built without hooks */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, rounds;
enum { NONE, PURE, KNOWN, COPY, OPAQUE };
static int kind;
static char text[2][64], copy[2][64];
static volatile double number = 2;

static int call(int me, int round) {
    switch (kind) {
    case PURE:
        return (int)sqrt(number + round);
    case KNOWN:
        return snprintf(text[me], sizeof text[me], "%d %d", me, round);
    case COPY:
        return memcpy(copy[me], text[me], sizeof copy[me]) != NULL;
    case OPAQUE:
        return plain_sum(text[me], round);
    default:
        return 0;
    }
}

static void *work(void *arg) {
    int me = arg != NULL;
    for (int i = 0; i < rounds; i++)
        call(me, i);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t t[2];
    static const char *const names[] = {"none", "pure", "known", "memcpy", "opaque"};
    for (int i = 0; argc > 1 && i < 5; i++)
        kind = strcmp(argv[1], names[i]) == 0 ? i : kind;
    rounds = argc > 2 ? atoi(argv[2]) : 3;
    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &t);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return count != 2;
}
