#include <criterion/criterion.h>
#include <pthread.h>

static void *increment(void *arg) {
    ++*(int *)arg;
    return NULL;
}

Test(bank, careful) {
    int n = 0;
    pthread_t t;
    pthread_create(&t, NULL, increment, &n);
    pthread_join(t, NULL);
    cr_assert(n == 1);
}

Test(bank, off, .disabled = true) { cr_assert(0); }
