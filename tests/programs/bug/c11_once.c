// The function of call_once waits for a thread that comes to the same call_once.
// RADDLE: -s dfs
// EXPECT: deadlock
#include <stddef.h>
#include <threads.h>

static once_flag flag = ONCE_FLAG_INIT;
static thrd_t helper;
static void prepare(void);

static int help(void *arg) {
    call_once(&flag, prepare); /* BUG */
    return arg != NULL;
}

static void prepare(void) {
    thrd_create(&helper, help, NULL);
    thrd_join(helper, NULL); /* BUG */
}

int main(void) {
    call_once(&flag, prepare); /* BUG */
    return 0;
}
