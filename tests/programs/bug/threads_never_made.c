// RADDLE: -s dfs
// EXPECT: deadlock
// An execution that deadlocks ends before the creation of threads that other executions create. Their numbers are taken
// all the same, and the schedule file must be readable.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *first, pthread_mutex_t *second) {
    pthread_mutex_lock(first);
    pthread_mutex_lock(second); /* BUG */
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}
static void *a_then_b(void *arg) {
    take(&a, &b);
    return arg;
}
static void *b_then_a(void *arg) {
    take(&b, &a);
    return arg;
}
static void *nothing(void *arg) { return arg; }

static void run_two(void *(*first)(void *), void *(*second)(void *)) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, first, NULL);
    pthread_create(&t[1], NULL, second, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
}

int main(void) {
    run_two(a_then_b, b_then_a);
    run_two(nothing, nothing);
    return 0;
}
