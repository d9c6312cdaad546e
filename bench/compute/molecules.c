/*
 * molecules.c - molecular dynamics: particles in a box with a Lennard-Jones force and velocity Verlet steps. Each
 * thread computes the forces on its own particles from the positions of all particles; the energy is added under a
 * lock, and a barrier ends each half of a step.
 */
#include "compute.h"

#include <math.h>
#include <string.h>

enum { SIDE = 8, COUNT = SIDE * SIDE * SIDE };

static const double DT = 0.002, CUT2 = 6.25, BOX = SIDE * 1.2;

static double position[COUNT][3], velocity[COUNT][3], force[COUNT][3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static double potential, kinetic, first_energy, last_energy;
static int steps;

static double forces_on(int i) {
    double f[3] = {0}, energy = 0;
    for (int j = 0; j < COUNT; j++) {
        if (j == i)
            continue;
        double d[3], r2 = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = position[i][k] - position[j][k];
            if (d[k] > BOX / 2)
                d[k] -= BOX;
            else if (d[k] < -BOX / 2)
                d[k] += BOX;
            r2 += d[k] * d[k];
        }
        if (r2 > CUT2)
            continue;
        double inverse = 1 / r2, six = inverse * inverse * inverse;
        double strength = 24 * inverse * six * (2 * six - 1);
        energy += 2 * six * (six - 1);
        for (int k = 0; k < 3; k++)
            f[k] += strength * d[k];
    }
    memcpy(force[i], f, sizeof f);
    return energy;
}

static double kick(int i) {
    double energy = 0;
    for (int k = 0; k < 3; k++) {
        velocity[i][k] += force[i][k] * DT / 2;
        energy += velocity[i][k] * velocity[i][k] / 2;
    }
    return energy;
}

static void move(int i) {
    for (int k = 0; k < 3; k++) {
        double x = position[i][k] + velocity[i][k] * DT;
        position[i][k] = x < 0 ? x + BOX : x >= BOX ? x - BOX : x;
    }
}

static void add(double p, double k) {
    pthread_mutex_lock(&lock);
    potential += p;
    kinetic += k;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
    int first = (int)(intptr_t)arg * (COUNT / THREADS), end = first + COUNT / THREADS;
    for (int step = 0; step < steps; step++) {
        double p = 0, k = 0;
        for (int i = first; step && i < end; i++) {
            kick(i);
            move(i);
        }
        pthread_barrier_wait(&barrier);
        for (int i = first; i < end; i++) {
            p += forces_on(i);
            if (step)
                k += kick(i);
        }
        add(p, k);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            last_energy = potential + kinetic;
            if (step == 1)
                first_energy = last_energy;
            potential = kinetic = 0;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t seed = 1;
    steps = (int)(60 * scale_of(argc, argv));
    steps = steps < 3 ? 3 : steps;
    for (int i = 0; i < COUNT; i++) {
        int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        for (int k = 0; k < 3; k++) {
            position[i][k] = at[k] * 1.2;
            velocity[i][k] = next_uniform(&seed) - 0.5;
        }
    }
    pthread_barrier_init(&barrier, NULL, THREADS);
    run_threads(work);
    pthread_barrier_destroy(&barrier);
    return check("drift of the energy", fabs(last_energy - first_energy) / fabs(first_energy), 0, 0.01);
}
