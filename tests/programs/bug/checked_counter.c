// The assertion fails only if a thread is preempted between its read and its write, which are no points at first: the
// check finds the race, and both become points.
// RADDLE: -s dfs -k --points sync --detect races,heap
// EXPECT: data-race assertion
// MODE: hooks
// FLAGS: -O0
// OUTPUT: 1 variable is a point, too, because accesses there race or a loop waits for them: counter
// OUTPUT: Musuvathi and Qadeer, PLDI 2007, section 4
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static long locked;

static void *work(void *arg) {
    counter++;
    pthread_mutex_lock(&lock);
    locked++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(locked == 2);
    assert(counter == 2);
    return 0;
}
