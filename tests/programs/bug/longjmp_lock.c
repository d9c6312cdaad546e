// A longjmp skips the unlock.
// RADDLE: -s random --seed 1 -n 2000
// EXPECT: deadlock
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static void take(jmp_buf back) {
    pthread_mutex_lock(&lock); /* BUG */
    if (stock == 0)
        longjmp(back, 1);
    stock--;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg) {
    jmp_buf back;
    if (setjmp(back) == 0) /* BUG */
        take(back);
    else
        take(back);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, worker, NULL);
    pthread_create(&t[1], NULL, worker, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
