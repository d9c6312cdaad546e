// C11: a timed wait times out while the other thread holds the mutex and is about to signal.
// EXPECT: assertion
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t cond;
static int ready;

static int produce(void *arg) {
    (void)arg;
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&cond);
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t t;
    struct timespec until;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&cond);
    timespec_get(&until, TIME_UTC);
    until.tv_sec++;
    mtx_lock(&mutex);
    thrd_create(&t, produce, NULL);
    int result = cnd_timedwait(&cond, &mutex, &until);
    assert(result != thrd_timedout || !ready); /* BUG */
    mtx_unlock(&mutex);
    thrd_join(t, NULL);
    return 0;
}
