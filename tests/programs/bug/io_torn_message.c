// A message is written in two calls: another thread's message may come in between.
// RADDLE: -s random --seed 1 -n 300
// EXPECT: assertion
// TIMES: 20
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static int ends[2];

static void *writer(void *arg) {
    (void)!write(ends[1], arg, 1);
    (void)!write(ends[1], arg, 1);
    return NULL;
}

int main(void) {
    pthread_t t[2];
    char names[2] = {'a', 'b'};
    if (pipe(ends))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, &names[i]);
    for (int i = 0; i < 2; i++) {
        char m[2];
        (void)!read(ends[0], &m[0], 1);
        (void)!read(ends[0], &m[1], 1);
        assert(m[0] == m[1]); /* BUG */
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
