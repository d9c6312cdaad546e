// A destructor that always sets the value again is called PTHREAD_DESTRUCTOR_ITERATIONS times.
// RADDLE: -s random --seed 1 -n 200
// EXPECT: none
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>

static pthread_key_t stubborn, late;
static int rounds[2], lates[2];

static void again(void *value) {
    ++*(int *)value;
    pthread_setspecific(stubborn, value);
    if (*(int *)value == 2) /* set the other key only in the second round */
        pthread_setspecific(late, &lates[(int *)value - rounds]);
}

static void once(void *value) { ++*(int *)value; }

static void *worker(void *arg) {
    assert(pthread_getspecific(stubborn) == NULL);
    pthread_setspecific(stubborn, arg);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_key_create(&stubborn, again);
    pthread_key_create(&late, once);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &rounds[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int i = 0; i < 2; i++)
        assert(rounds[i] == PTHREAD_DESTRUCTOR_ITERATIONS && lates[i] == 1);
    return 0;
}
