/*
 * Bluetooth driver: requests are counted, and a stop waits until none is in progress before it releases the device.
 *
 * Suite: icb, rank
 * Published: ICB Table 1 and 2, "Bluetooth"; RankChecker's examples
 * Size: THREADS=3 (THREADS-1 requests and one stop; the paper also has THREADS=2)
 * Bug 1: a request looks at the stopping flag before it is counted; it runs on a stopped device (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 3
#endif

static struct {
    atomic_int pending; // requests in progress, and one for the driver itself
    atomic_bool stopping;
    atomic_bool stopped; // the device is released: no request may touch it any more
    sem_t no_pending;    // the event that the last request sets
} device;

static void end_request(void) {
    if (atomic_fetch_sub(&device.pending, 1) == 1)
        sem_post(&device.no_pending);
}

static bool begin_request(void) {
#if BUG == 1
    if (device.stopping) // BUG: a stop that comes between this line and the next does not see the request
        return false;
    atomic_fetch_add(&device.pending, 1);
#else
    // Counted first: either this request sees the flag, or the stop sees that it is pending.
    atomic_fetch_add(&device.pending, 1);
    if (device.stopping) {
        end_request();
        return false;
    }
#endif
    return true;
}

static void *request(void *unused) {
    if (begin_request()) {
        assert(!device.stopped);
        end_request();
    }
    return unused;
}

static void *stop(void *unused) {
    device.stopping = true;
    end_request(); // the driver's own
    sem_wait(&device.no_pending);
    device.stopped = true;
    return unused;
}

int main(void) {
    pthread_t threads[THREADS];
    device.pending = 1;
    sem_init(&device.no_pending, 0, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i < THREADS - 1 ? request : stop, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
