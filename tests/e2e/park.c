/* Checks that a parked thread does not write to its stack below the frame that parks. */
#define _GNU_SOURCE
#include "rt/thread/ctx.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SIZE = 256 << 10, CALL = 8, MARK = 0x5a };
static _Alignas(4096) char stack[SIZE];
static char *end; /* end of the marked memory */
static uint32_t ready, never;
static long task;

static void *park(void *arg) {
    (void)arg;
    task = syscall(SYS_gettid);
#if defined __x86_64__
    __asm__ volatile("movq %%rsp, %0" : "=r"(end));
    end -= CALL; /* the place of the return address */
#else
    __asm__ volatile("mov %0, sp" : "=r"(end));
#endif
    for (volatile char *p = stack; p < end; p++)
        *p = MARK;
    rd_ctx_park(&ready, &never);
}

/* Whether the thread sleeps; no thread wakes it. */
static int is_parked(void) {
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", task);
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
        abort();
    fclose(f);
    return state == 'S';
}

int main(void) {
    pthread_t t;
    pthread_attr_t a;
    pthread_attr_init(&a);
    pthread_attr_setstack(&a, stack, sizeof stack);
    if (pthread_create(&t, &a, park, NULL) != 0)
        return 2;
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE) || !is_parked())
        ;
    long written = 0;
    for (const char *p = stack; p < end; p++)
        written += *p != MARK;
    printf("%ld bytes\n", written);
    fflush(stdout);
    _exit(written != 0 || end < stack + SIZE / 2);
}
