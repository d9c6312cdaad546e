// The program frees so much that memory is used again: accesses to the old block do not race with accesses to the new
// one.
// RADDLE: -s random -n 2
// EXPECT: none
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 67, SIZE = 4 << 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static char *given;
static int turn;

static void await(int number) {
    pthread_mutex_lock(&lock);
    while (turn != number)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void pass(void) {
    pthread_mutex_lock(&lock);
    turn++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void *fill(void *arg) {
    (void)arg;
    for (int i = 0; i < BLOCKS; i++) {
        await(2 * i + 1);
        given[SIZE / 2] = 1;
        pass();
    }
    return NULL;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, fill, NULL);
    for (int i = 0; i < BLOCKS; i++) {
        char *p = malloc(SIZE);
        p[SIZE / 2] = 2;
        given = p;
        pass();
        await(2 * i + 2);
        free(p);
    }
    pthread_join(a, NULL);
    return 0;
}
