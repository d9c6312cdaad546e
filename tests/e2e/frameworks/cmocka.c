#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct account {
    pthread_mutex_t lock;
    int sum;
};

static int balance(struct account *a) {
    pthread_mutex_lock(&a->lock);
    int sum = a->sum;
    pthread_mutex_unlock(&a->lock);
    return sum;
}

static void *deposit(void *arg) {
    struct account *a = arg;
    pthread_mutex_lock(&a->lock);
    a->sum++;
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void *deposit_carelessly(void *arg) {
    struct account *a = arg;
    int seen = balance(a);
    pthread_mutex_lock(&a->lock);
    a->sum = seen + 1; /* BUG */
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void twice(struct account *a, void *(*work)(void *)) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, a);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
}

static int setup(void **state) {
    struct account *a = test_calloc(1, sizeof *a);
    pthread_mutex_init(&a->lock, NULL);
    *state = a;
    return 0;
}

static int teardown(void **state) {
    test_free(*state);
    return 0;
}

static void careful(void **state) {
    twice(*state, deposit);
    assert_int_equal(balance(*state), 2);
}

static void careless(void **state) {
    twice(*state, deposit_carelessly);
    assert_int_equal(balance(*state), 2);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(careful, setup, teardown),
        cmocka_unit_test_setup_teardown(careless, setup, teardown),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
