// The attributes of a running thread: its stack contains its variables; its affinity allows some processor.
// RADDLE: -s dfs -n 200
// EXPECT: none
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

static void *worker(void *arg) {
    char here;
    void *base = NULL;
    size_t size = 0, guard = 0;
    int state = -1;
    pthread_attr_t attr;
    assert(pthread_getattr_np(pthread_self(), &attr) == 0);
    assert(pthread_attr_getstack(&attr, &base, &size) == 0 && pthread_attr_getguardsize(&attr, &guard) == 0);
    assert(guard >= 4096);
    assert(pthread_attr_getdetachstate(&attr, &state) == 0 && state == PTHREAD_CREATE_JOINABLE);
    assert(&here >= (char *)base && &here < (char *)base + size);
    pthread_attr_destroy(&attr);
    cpu_set_t set, one;
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0 && CPU_COUNT(&set) >= 1);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &set))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert(pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0);
    assert(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    assert(sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) >= 1);
    assert(sched_getcpu() >= 0 && sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
