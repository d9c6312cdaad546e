/*
 * Fourier series: threads take the index of a coefficient, integrate, and add the coefficient to a shared sum.
 *
 * Suite: rapos, rank
 * Published: "series" of Java Grande; the computing programs of RankChecker Tables 3 and 4
 * Size: THREADS=2 COEFFICIENTS=6 POINTS=60
 * Bug 1: an index is taken by a read and a write; two threads compute the same coefficient (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef COEFFICIENTS
#define COEFFICIENTS 6
#endif
#ifndef POINTS
#define POINTS 60
#endif

static atomic_int next_index;
static double value[THREADS][POINTS + 1]; /* of the function that a thread integrates */
static atomic_long sum;                   /* in millionths, so that the order of the additions does not matter */

/* cos(x) and sin(x) of a small angle, by their series: the program needs no library for them. */
static void small_angle(double x, double *cosine, double *sine) {
    double term = 1;
    *cosine = *sine = 0;
    for (int n = 0; n < 16; n += 2) {
        *cosine += n % 4 ? -term : term;
        term *= x / (n + 1);
        *sine += n % 4 ? -term : term;
        term *= x / (n + 2);
    }
}

/* The coefficient of cos(pi k x) in (x + 1)^2 on [0, 2], by the trapezoidal rule; the values go to f. */
static long coefficient(int k, double *f) {
    const double pi = 3.14159265358979;
    double c = 1, s = 0, step_c, step_s;
    small_angle(2 * pi * k / POINTS, &step_c, &step_s);
    for (int i = 0; i <= POINTS; i++) {
        double x = 2.0 * i / POINTS, turned = c * step_c - s * step_s;
        f[i] = (x + 1) * (x + 1) * c;
        s = s * step_c + c * step_s;
        c = turned;
    }
    double area = (f[0] + f[POINTS]) / 2;
    for (int i = 1; i < POINTS; i++) {
        area += f[i];
    }
    return (long)(area * 2 / POINTS * 1000000);
}

static int take_index(void) {
#if BUG == 1
    int index = next_index; /* seeded bug: two steps */
    next_index = index + 1;
    return index;
#else
    return atomic_fetch_add(&next_index, 1);
#endif
}

static void *work(void *arg) {
    int self = (int)(intptr_t)arg;
    long own = 0;
    for (int k = take_index(); k < COEFFICIENTS; k = take_index()) {
        own += coefficient(k, value[self]);
    }
    atomic_fetch_add(&sum, own);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    long expected = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    for (int k = 0; k < COEFFICIENTS; k++) {
        expected += coefficient(k, value[0]);
    }
    assert(sum == expected);
    return 0;
}
