// A thread gets the stack size, or the stack, that its attributes name.
// RADDLE: -s dfs -n 300
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>

enum { SIZE = 256 * 1024 };
static char mine[SIZE] __attribute__((aligned(4096)));

static void *on_my_stack(void *arg) {
    char local[4096];
    memset(local, 1, sizeof local);
    sched_yield();
    assert(&local[0] >= &mine[0] && &local[4095] < &mine[SIZE]);
    assert(local[4095] == 1);
    return arg;
}

static void *big_stack(void *arg) {
    pthread_attr_t attr;
    size_t size = 0;
    volatile char local[3 << 20];
    local[0] = local[sizeof local - 1] = 2;
    sched_yield();
    assert(pthread_getattr_np(pthread_self(), &attr) == 0);
    assert(pthread_attr_getstacksize(&attr, &size) == 0 && size >= (size_t)4 << 20);
    pthread_attr_destroy(&attr);
    return local[0] + local[sizeof local - 1] == 4 ? arg : NULL;
}

int main(void) {
    pthread_t t[2];
    pthread_attr_t attr;
    void *result, *token = &result;
    pthread_attr_init(&attr);
    assert(pthread_attr_setstack(&attr, mine, SIZE) == 0);
    assert(pthread_create(&t[0], &attr, on_my_stack, NULL) == 0);
    pthread_attr_destroy(&attr);
    pthread_attr_init(&attr);
    assert(pthread_attr_setstacksize(&attr, 4 << 20) == 0);
    assert(pthread_create(&t[1], &attr, big_stack, token) == 0);
    pthread_join(t[0], NULL);
    pthread_join(t[1], &result);
    return result == token ? 0 : 1;
}
