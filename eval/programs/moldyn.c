/*
 * Molecular dynamics: particles on a ring of cells; threads compute forces into tables of their own, add them up
 * after a barrier, and move their particles after another.
 *
 * Suite: rapos, rank
 * Published: "moldyn" of Java Grande; the computing programs of RankChecker Tables 3 and 4
 * Size: THREADS=2 PARTICLES=16 ROUNDS=2
 * Bug 1: the potential energy is added without the lock, and a sum is lost; a race, too (assertion) (1,1,2)
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifndef BUG
#define BUG 0
#endif
#ifndef THREADS
#define THREADS 2
#endif
#ifndef PARTICLES
#define PARTICLES 16
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif

_Static_assert(PARTICLES % THREADS == 0, "every thread has the same number of particles");

/* All numbers are integers (thousandths), so that the order of additions does not matter. */
enum { BOX = 1000 * PARTICLES, REACH = 2500, SHARE = PARTICLES / THREADS };

struct system {
    long position[PARTICLES], velocity[PARTICLES];
    long force[THREADS][PARTICLES]; /* of the pairs that a thread has computed */
    long energy;
};

static struct system shared;
static pthread_mutex_t energy_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

/* The distance from a to b the short way round the ring. */
static long distance(long a, long b) {
    long d = b - a;
    return d > BOX / 2 ? d - BOX : d < -BOX / 2 ? d + BOX : d;
}

/* The forces between the share's particles and all with a higher number; returns their energy. */
static long compute_forces(struct system *s, int share) {
    long energy = 0, *force = s->force[share];
    memset(force, 0, sizeof(s->force[share]));
    for (int i = share; i < PARTICLES; i += THREADS) {
        for (int j = i + 1; j < PARTICLES; j++) {
            long d = distance(s->position[i], s->position[j]), away = d < 0 ? -d : d;
            if (away < REACH) {
                long f = (REACH - away) / 10;
                energy += f * (REACH - away) / 2000;
                force[i] -= d < 0 ? -f : f;
                force[j] += d < 0 ? -f : f;
            }
        }
    }
    return energy;
}

/* The velocities of the share's particles change by the forces that all threads have computed. */
static void accelerate(struct system *s, int share) {
    for (int i = share * SHARE; i < (share + 1) * SHARE; i++) {
        for (int t = 0; t < THREADS; t++) {
            s->velocity[i] += s->force[t][i];
        }
    }
}

static void move(struct system *s, int share) {
    for (int i = share * SHARE; i < (share + 1) * SHARE; i++) {
        s->position[i] = (s->position[i] + s->velocity[i] / 10 + BOX) % BOX;
    }
}

static void add_energy(long energy) {
    const bool locks = BUG != 1; /* seeded bug: no lock */
    if (locks) {
        pthread_mutex_lock(&energy_lock);
    }
    shared.energy += energy;
    if (locks) {
        pthread_mutex_unlock(&energy_lock);
    }
}

static void *simulate(void *arg) {
    int share = (int)(intptr_t)arg;
    for (int round = 0; round < ROUNDS; round++) {
        long energy = compute_forces(&shared, share);
        add_energy(energy);
        pthread_barrier_wait(&barrier);
        accelerate(&shared, share);
        move(&shared, share);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void simulate_alone(struct system *s) {
    for (int round = 0; round < ROUNDS; round++) {
        for (int share = 0; share < THREADS; share++) {
            s->energy += compute_forces(s, share);
        }
        for (int share = 0; share < THREADS; share++) {
            accelerate(s, share);
            move(s, share);
        }
    }
}

int main(void) {
    static struct system expected;
    pthread_t thread[THREADS];
    for (int i = 0; i < PARTICLES; i++) {
        shared.position[i] = 1000 * i + 370 * i % 500;
        shared.velocity[i] = 130 * i % 300;
    }
    expected = shared;
    simulate_alone(&expected);
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread[i], NULL, simulate, (void *)(intptr_t)i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
    }
    pthread_barrier_destroy(&barrier);
    assert(shared.energy == expected.energy);
    assert(memcmp(shared.position, expected.position, sizeof(shared.position)) == 0);
    return 0;
}
