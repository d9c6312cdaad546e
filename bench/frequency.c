/*
 * frequency.c - a bug at one variable among M accesses to another one. Two threads read `noise` M times each; then
 * one reads `value` twice and expects the same, and the other writes it. The bug needs one preemption, between the
 * two reads.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int noise, value; /* not static: an unexported variable that is never written would be a constant */

/* Keeps the compiler from merging accesses. */
#define BARRIER() __asm__ volatile("" ::: "memory")

static void make_noise(intptr_t times) {
    for (intptr_t i = 0; i < times; i++) {
        int unused = noise;
        __asm__ volatile("" : : "r"(unused) : "memory");
    }
}

static void *reader(void *times) {
    make_noise((intptr_t)times);
    int before = value;
    BARRIER();
    int after = value;
    assert(before == after);
    return NULL;
}

static void *writer(void *times) {
    make_noise((intptr_t)times);
    value = 1;
    return NULL;
}

__attribute__((no_sanitize("thread"))) int main(int argc, char **argv) {
    void *times = (void *)(intptr_t)(argc > 1 ? atoi(argv[1]) : 1);
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, times);
    pthread_create(&t[1], NULL, writer, times);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
