// pthread_self returns the handle that pthread_create has returned, and no other thread's.
// RADDLE: -s dfs -n 500
// EXPECT: none
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_t main_thread;

static void *worker(void *arg) {
    pthread_t *me = arg;
    *me = pthread_self();
    assert(!pthread_equal(*me, main_thread));
    return me;
}

int main(void) {
    pthread_t made[2], seen[2];
    main_thread = pthread_self();
    for (int i = 0; i < 2; i++)
        pthread_create(&made[i], NULL, worker, &seen[i]);
    assert(!pthread_equal(made[0], made[1]));
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(made[i], &result);
        assert(result == &seen[i] && pthread_equal(made[i], seen[i]));
    }
    assert(pthread_equal(pthread_self(), main_thread));
    return 0;
}
