/*
 * Successive over-relaxation on a grid: red and black points in turn; a thread waits for the rows next to its own.
 *
 * Suite: rapos, rank
 * Published: RAPOS Table 1, "sor" (Java Grande); the computing programs of RankChecker Tables 3 and 4
 * Size: THREADS=2 ROWS=8 COLUMNS=12 ROUNDS=2
 * Bug 1: a thread waits for the one above it only before it relaxes red points; a race, too (assertion) (0,0,2)
 * Bug 2: a thread says that its rows are done before its last row is; a race, too (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef ROWS
#define ROWS 8
#endif
#ifndef COLUMNS
#define COLUMNS 12
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

_Static_assert(ROWS % THREADS == 0, "every thread has the same number of rows");

enum { BAND = ROWS / THREADS };

/* Row 0 and the last one are the border, which nobody changes. */
static double grid[ROWS + 2][COLUMNS + 2];

/* The number of half rounds (red or black) that each thread has ended. */
static atomic_int done[THREADS];

static void relax_row(double (*g)[COLUMNS + 2], int row, int colour) {
    const double omega = 1.25;
    for (int column = 1 + (row + colour) % 2; column <= COLUMNS; column += 2) {
        double mean = (g[row - 1][column] + g[row + 1][column] + g[row][column - 1] + g[row][column + 1]) / 4;
        g[row][column] += omega * (mean - g[row][column]);
    }
}

static void wait_for(int thread, int half_rounds) {
    while (thread >= 0 && thread < THREADS && done[thread] < half_rounds) {
        sched_yield();
    }
}

static void *relax(void *arg) {
    int self = (int)(intptr_t)arg, first = 1 + self * BAND;
    for (int half = 0; half < 2 * ROUNDS; half++) {
#if BUG == 1
        if (half % 2 == 0) { /* seeded bug: the row above may be half a round behind */
            wait_for(self - 1, half);
        }
#else
        wait_for(self - 1, half);
#endif
        wait_for(self + 1, half);
        for (int row = first; row < first + BAND; row++) {
#if BUG == 2
            if (row == first + BAND - 1) {
                done[self] = half + 1; /* seeded bug: this row is still to come */
            }
#endif
            relax_row(grid, row, half % 2);
        }
        done[self] = half + 1;
    }
    return NULL;
}

static void fill(double (*g)[COLUMNS + 2]) {
    for (int row = 0; row < ROWS + 2; row++) {
        for (int column = 0; column < COLUMNS + 2; column++) {
            g[row][column] = (row * 31 + column * 17) % 23;
        }
    }
}

/* The points of one colour depend only on those of the other: the order within a half round does not matter. */
static void relax_alone(double (*g)[COLUMNS + 2]) {
    fill(g);
    for (int half = 0; half < 2 * ROUNDS; half++) {
        for (int row = 1; row <= ROWS; row++) {
            relax_row(g, row, half % 2);
        }
    }
}

int main(void) {
    static double expected[ROWS + 2][COLUMNS + 2];
    pthread_t thread[THREADS];
    fill(grid);
    relax_alone(expected);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, relax, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(memcmp(grid, expected, sizeof(grid)) == 0);
    return 0;
}
