/*
 * heat.c - the temperature of a plate by Jacobi iteration: each thread has a band of rows, the largest change of a
 * round is found under a lock, a barrier ends it.
 */
#include "compute.h"

#include <math.h>

enum { SIZE = 512 };

static float plate[2][SIZE][SIZE];
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static float change;
static int rounds, rounds_done;

static float sweep(float (*to)[SIZE], float (*from)[SIZE], int first, int end) {
    float most = 0;
    for (int y = first; y < end; y++)
        for (int x = 1; x < SIZE - 1; x++) {
            float v = (from[y - 1][x] + from[y + 1][x] + from[y][x - 1] + from[y][x + 1]) / 4;
            float d = fabsf(v - from[y][x]);
            most = d > most ? d : most;
            to[y][x] = v;
        }
    return most;
}

static void *work(void *arg) {
    int band = (SIZE - 2) / THREADS, first = 1 + (int)(intptr_t)arg * band;
    int end = (intptr_t)arg == THREADS - 1 ? SIZE - 1 : first + band;
    for (int i = 0; i < rounds; i++) {
        float most = sweep(plate[~i & 1], plate[i & 1], first, end);
        pthread_mutex_lock(&lock);
        change = most > change ? most : change;
        pthread_mutex_unlock(&lock);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            rounds_done++;
            if (i + 1 < rounds)
                change = 0;
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv) {
    rounds = (int)(250 * scale_of(argc, argv));
    rounds = rounds < 2 ? 2 : rounds;
    for (int x = 0; x < SIZE; x++)
        plate[0][0][x] = plate[1][0][x] = 100;
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_threads(work);
    pthread_barrier_destroy(&barrier);
    if (rounds_done != rounds)
        return 1;
    return check("change", change, 0, 100.0 / rounds);
}
