/*
 * Block cipher on slices: each thread encrypts its slice of a text and then decrypts the next thread's; the digests
 * of the results are merged. The cipher is of IDEA's kind: additions, exclusive ors and multiplications of 16-bit
 * words.
 *
 * Suite: rapos, rank
 * Published: "crypt" of Java Grande; the computing programs of RankChecker Tables 3 and 4
 * Size: THREADS=2 BLOCKS=4
 * Bug 1: the digests are merged without the lock, and one is lost; a race, too (assertion) (1,1,2)
 * Bug 2: the barrier is opened first and its count set to zero later; an arrival is lost (livelock) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef BLOCKS
#define BLOCKS 4
#endif

_Static_assert(BLOCKS % THREADS == 0, "every thread has the same number of blocks");

enum { WORDS = 4, ROUNDS = 8, SLICE = BLOCKS / THREADS };

typedef uint16_t block[WORDS];

static uint16_t key[ROUNDS][WORDS];
static block plain[BLOCKS], cipher[BLOCKS], result[BLOCKS];
static pthread_mutex_t digest_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned digest;

/* A barrier for many phases, of the threads that have arrived and the number of times that it was opened. */
static atomic_int arrived, opened;

static void wait_for_all(void) {
    int phase = opened;
    if (atomic_fetch_add(&arrived, 1) + 1 == THREADS) {
#if BUG == 2
        opened = phase + 1; /* seeded bug: a thread may arrive for the next phase before the count is zero */
        arrived = 0;
#else
        arrived = 0;
        opened = phase + 1;
#endif
    }
    while (opened == phase) {
        sched_yield();
    }
}

/* A round changes one half by a function of the other half and the key, so that the same function takes it back. */
static uint16_t mix(uint16_t a, uint16_t b, const uint16_t *k) {
    uint32_t product = (uint32_t)(a ^ k[0]) * (uint32_t)(k[1] | 1) + k[2];
    return (uint16_t)((product >> 7) + (b ^ k[3]));
}

static void encrypt(const uint16_t *from, uint16_t *to) {
    memcpy(to, from, sizeof(block));
    for (int r = 0; r < ROUNDS; r++) {
        int left = r % 2 * 2, right = 2 - left;
        to[left] ^= mix(to[right], to[right + 1], key[r]);
        to[left + 1] += mix(to[right + 1], to[right], key[r]);
    }
}

static void decrypt(const uint16_t *from, uint16_t *to) {
    memcpy(to, from, sizeof(block));
    for (int r = ROUNDS - 1; r >= 0; r--) {
        int left = r % 2 * 2, right = 2 - left;
        to[left] ^= mix(to[right], to[right + 1], key[r]);
        to[left + 1] -= mix(to[right + 1], to[right], key[r]);
    }
}

static unsigned digest_of(const uint16_t *b) {
    unsigned d = 7;
    for (int i = 0; i < WORDS; i++) {
        d = d * 31 + b[i];
    }
    return d;
}

static void merge(unsigned sum) {
    const bool locks = BUG != 1; /* seeded bug: no lock */
    if (locks) {
        pthread_mutex_lock(&digest_lock);
    }
    digest += sum;
    if (locks) {
        pthread_mutex_unlock(&digest_lock);
    }
}

static void *work(void *arg) {
    int self = (int)(intptr_t)arg, first = self * SLICE, next = (self + 1) % THREADS * SLICE;
    unsigned sum = 0;
    for (int i = first; i < first + SLICE; i++) {
        encrypt(plain[i], cipher[i]);
    }
    wait_for_all();
    for (int i = next; i < next + SLICE; i++) {
        decrypt(cipher[i], result[i]);
        sum += digest_of(result[i]);
    }
    merge(sum);
    wait_for_all();
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    unsigned expected = 0;
    for (int i = 0; i < ROUNDS * WORDS; i++) {
        key[i / WORDS][i % WORDS] = (uint16_t)(i * 2654435761u >> 9);
    }
    for (int i = 0; i < BLOCKS; i++) {
        for (int w = 0; w < WORDS; w++) {
            plain[i][w] = (uint16_t)(i * 40503u + w * 977u);
        }
        expected += digest_of(plain[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    assert(memcmp(plain, result, sizeof(plain)) == 0);
    assert(memcmp(plain, cipher, sizeof(plain)) != 0);
    assert(digest == expected);
    return 0;
}
