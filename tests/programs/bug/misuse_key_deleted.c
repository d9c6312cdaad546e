// A key is deleted while another thread still puts values into it.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: misuse
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

static pthread_key_t key;
static int value;

static void *worker(void *arg) {
    sched_yield();
    pthread_setspecific(key, &value); /* BUG */
    return arg;
}

int main(void) {
    pthread_t t;
    pthread_key_create(&key, NULL);
    pthread_create(&t, NULL, worker, NULL);
    sched_yield();
    pthread_key_delete(key);
    pthread_join(t, NULL);
    return 0;
}
