// Return values in registers of every kind are unchanged by the hooks between their computation and the return.
// RADDLE: -s dfs -n 20
// EXPECT: none
// FLAGS: -O0
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

struct pair { long a, b; };
struct mixed { double d; long n; };
struct two { double x, y; };
struct large { long at[5]; };
__extension__ typedef __int128 wide;
typedef float vector __attribute__((vector_size(16)));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static double part = 0.25;

static int as_int(void) { return (int)(total += 3); }
static double as_double(void) { return part + 3; }
static long double as_long_double(void) { return (long double)part * 3 + total * 0; }
static _Complex double as_complex(void) { return part + 2.0 * __extension__ 1.0i; }
static wide as_wide(void) { return ((wide)7 << 64) + (part > 0); }
static struct pair as_pair(void) { return (struct pair){5, part > 0 ? 6 : 0}; }
static struct mixed as_mixed(void) { return (struct mixed){part, 9}; }
static struct two as_two(void) { return (struct two){part, -part}; }
static struct large as_large(void) { return (struct large){{1, 2, 3, 4, part > 0 ? 5 : 0}}; }
static vector as_vector(void) { return (vector){(float)part, 1, 2, 3}; }

static void *work(void *arg) {
    pthread_mutex_lock(&lock);
    long before = total;
    assert(as_int() == before + 3);
    assert(as_double() == 3.25);
    assert(as_long_double() == 0.75L);
    assert(__real__ as_complex() == 0.25 && __imag__ as_complex() == 2);
    assert((long)(as_wide() >> 64) == 7 && (long)as_wide() == 1);
    assert(as_pair().a == 5 && as_pair().b == 6);
    assert(as_mixed().d == 0.25 && as_mixed().n == 9);
    assert(as_two().x == 0.25 && as_two().y == -0.25);
    assert(as_large().at[0] == 1 && as_large().at[4] == 5);
    vector v = as_vector();
    assert(v[0] == 0.25f && v[3] == 3);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
