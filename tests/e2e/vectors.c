/*
 * vectors.c - calls with vectors of 32 and 64 bytes as arguments. Before the function is called other threads run,
 * which use the same registers: the arguments must be unchanged. The functions are compiled without hooks
 * (-DLIBRARY); both parts with -mavx or -mavx512f, as the machine supports.
 */
#include <immintrin.h>

double sum_of_four(__m256d v);
#ifdef __AVX512F__
double sum_of_eight(__m512d v);
#endif

#ifdef LIBRARY

double sum_of_four(__m256d v) { return v[0] + v[1] + v[2] + v[3]; }
#ifdef __AVX512F__
double sum_of_eight(__m512d v) { return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]; }
#endif

#else

#include <assert.h>
#include <pthread.h>
#include <string.h>

static char from[256], to[256];

static void *work(void *arg) {
    double n = (double)*(const int *)arg;
    __m256d v = {n, n + 1, n + 2, n + 3};
    memcpy(to, from, sizeof to);
    assert(sum_of_four(v) == 4 * n + 6);
#ifdef __AVX512F__
    __m512d w = {n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7};
    memcpy(to, from, sizeof to);
    assert(sum_of_eight(w) == 8 * n + 28);
#endif
    return NULL;
}

int main(void) {
    static int numbers[2] = {100, 2000};
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &numbers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}

#endif
