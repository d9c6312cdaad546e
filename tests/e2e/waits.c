/*
 * waits.c - condition waits as data, for test_waits.py. The first argument chooses the interface (posix or c11),
 * each further one is the code of a thread, one letter for each instruction:
 *
 *   L U   lock, unlock                +     adds one to x
 *   w t   wait, timed wait            ?     logs x
 *   s b   signal, broadcast           k     cancels the first thread
 *
 * A wait logs how it ended: 0 (woken), T (timed out), C (cancelled; the thread unlocks and ends). At the end the
 * program prints x and every thread's log.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>
#include <time.h>

enum { THREADS = 4, LOG = 16 };

static struct thread {
    const char *code;
    char log[LOG];
    int length;
    pthread_t id;
} threads[THREADS];
static int x, c11;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static mtx_t mutex11;
static cnd_t cond11;
static struct timespec soon;

static void note(struct thread *t, char c) { t->log[t->length++] = c; }

static void unlock(void) {
    if (c11)
        mtx_unlock(&mutex11);
    else
        pthread_mutex_unlock(&mutex);
}

static void cancelled(void *arg) {
    note(arg, 'C');
    unlock();
}

static int wait(int timed) {
    if (c11)
        return (timed ? cnd_timedwait(&cond11, &mutex11, &soon) : cnd_wait(&cond11, &mutex11)) == thrd_timedout;
    return (timed ? pthread_cond_timedwait(&cond, &mutex, &soon) : pthread_cond_wait(&cond, &mutex)) == ETIMEDOUT;
}

static void step(struct thread *t, char code) {
    switch (code) {
    case 'L':
        c11 ? (void)mtx_lock(&mutex11) : (void)pthread_mutex_lock(&mutex);
        break;
    case 'U':
        unlock();
        break;
    case '+':
        x++;
        break;
    case '?':
        note(t, (char)('a' + x));
        break;
    case 's':
        c11 ? (void)cnd_signal(&cond11) : (void)pthread_cond_signal(&cond);
        break;
    case 'b':
        c11 ? (void)cnd_broadcast(&cond11) : (void)pthread_cond_broadcast(&cond);
        break;
    case 'k':
        pthread_cancel(threads[0].id);
        break;
    default:
        pthread_cleanup_push(cancelled, t);
        note(t, wait(code == 't') ? 'T' : '0');
        pthread_cleanup_pop(0);
    }
}

static void *body(void *arg) {
    struct thread *t = arg;
    for (const char *c = t->code; *c; c++)
        step(t, *c);
    return NULL;
}

int main(int argc, char **argv) {
    int count = argc - 2;
    c11 = strcmp(argv[1], "c11") == 0;
    mtx_init(&mutex11, mtx_plain);
    cnd_init(&cond11);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec++;
    for (int i = 0; i < count; i++) {
        threads[i].code = argv[i + 2];
        pthread_create(&threads[i].id, NULL, body, &threads[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i].id, NULL);
    printf("%d", x);
    for (int i = 0; i < count; i++)
        printf(" %s", threads[i].log);
    printf("\n");
    return 0;
}
