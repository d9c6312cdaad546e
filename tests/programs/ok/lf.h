/*
 * lf.h - what the lf_ programs share. Each is correct, and has one thing in it that a sibling of the same name in
 * tests/programs/bug breaks (it defines BROKEN and includes the program): a memory order, or a check.
 */
#ifndef LF_H
#define LF_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef BROKEN
#define ORDER(right, wrong) memory_order_##wrong
#define EITHER(right, wrong) (wrong)
#else
#define ORDER(right, wrong) memory_order_##right
#define EITHER(right, wrong) (right)
#endif

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

static void (*run_body)(int);

QUIET static void *run_thread(void *arg) {
    run_body((int)(intptr_t)arg);
    return NULL;
}

/* Runs it in so many threads, with their numbers from 0. */
QUIET static void run(int threads, void (*body)(int)) {
    pthread_t t[8];
    run_body = body;
    for (int i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, run_thread, (void *)(intptr_t)i);
    for (int i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
}

#endif
