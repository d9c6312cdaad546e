// So much is freed that memory is used again: what was there before does not race with what is there now.
// RADDLE: -s random -n 5
// EXPECT: none
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 80, SIZE = 1 << 20 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static char *queue[BLOCKS];
static int count;

static void *consume(void *arg) {
    (void)arg;
    for (int i = 0; i < BLOCKS; i++) {
        pthread_mutex_lock(&lock);
        while (count <= i)
            pthread_cond_wait(&filled, &lock);
        char *p = queue[i];
        pthread_mutex_unlock(&lock);
        p[0] = 1;
        free(p);
    }
    return NULL;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, NULL, consume, NULL);
    for (int i = 0; i < BLOCKS; i++) {
        char *p = malloc(SIZE);
        p[0] = 2;
        pthread_mutex_lock(&lock);
        queue[count++] = p;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(a, NULL);
    return 0;
}
