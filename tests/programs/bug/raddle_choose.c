// Every value of raddle_choose is tried, before and after the first thread is created.
// RADDLE: -s dpor
// EXPECT: assertion
// OUTPUT: -> 2 of 0..2
#include <pthread.h>
#include <raddle.h>

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *arg) {
    int value = raddle_choose(3);
    pthread_mutex_lock(&lock);
    sum += value;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t a, b;
    int strict = raddle_choose(2);
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    raddle_assert(!strict || sum < 4); /* BUG */
    return 0;
}
