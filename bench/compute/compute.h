/*
 * compute.h - shared by the computing programs: threads, a generator of random numbers, the check of the result.
 * Each program works mostly on private or read-only data, and updates a few shared variables under locks or
 * atomically.
 */
#ifndef COMPUTE_H
#define COMPUTE_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static inline uint64_t next_random(uint64_t *s) {
    uint64_t z = (*s += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A number in [0, 1). */
static inline double next_uniform(uint64_t *s) { return (double)(next_random(s) >> 11) * 0x1p-53; }

static inline void run_threads(void *(*work)(void *)) {
    pthread_t thread[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, work, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* The amount of computation, relative to the default. */
static inline double scale_of(int argc, char **argv) { return argc > 1 ? atof(argv[1]) : 1; }

static inline int check(const char *what, double got, double least, double most) {
    printf("%s %.6g\n", what, got);
    if (got >= least && got <= most)
        return 0;
    fprintf(stderr, "%s is not between %g and %g\n", what, least, most);
    return 1;
}

#endif
