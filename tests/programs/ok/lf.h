/*
 * lf.h - the lf_ programs share it: each runs one function in several threads. Each is correct, and a sibling of the
 * same name in tests/programs/bug breaks a memory order or a check of it (pair.h).
 */
#ifndef LF_H
#define LF_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "pair.h"

static void (*run_body)(int);

QUIET static void *run_thread(void *arg) {
    run_body((int)(intptr_t)arg);
    return NULL;
}

/* Runs `body` in `threads` threads, with their numbers from 0. */
QUIET static void run(int threads, void (*body)(int)) {
    pthread_t t[8];
    run_body = body;
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, run_thread, (void *)(intptr_t)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
}

#endif
