// call_once runs the function once, and returns after it is done.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: none
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static int runs, table;

static void prepare(void) {
    runs++;
    thrd_yield();
    table = 42;
}

static int worker(void *arg) {
    call_once(&flag, prepare);
    assert(runs == 1 && table == 42);
    return arg != NULL;
}

int main(void) {
    thrd_t t[2];
    thrd_create(&t[0], worker, NULL);
    thrd_create(&t[1], worker, NULL);
    worker(NULL);
    thrd_join(t[0], NULL);
    thrd_join(t[1], NULL);
    return 0;
}
