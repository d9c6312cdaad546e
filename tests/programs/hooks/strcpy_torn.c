// RADDLE: -s random -n 100 --seed 1
// EXPECT: assertion
// COMPILE: gcc clang
// FLAGS: -O2 -std=gnu17 -pthread -fno-builtin
//
// A name is written in two steps by libc, strcpy and strcat, and read by strcmp in between. One schedule in 2.4
// shows it (mean of 100 seeds), so 100 miss it with less than 1e-9.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char name[16] = "old name";

static void *rename_it(void *arg) {
    strcpy(name, "new");
    strcat(name, " name");
    return arg;
}

static void *look(void *arg) {
    char copy[sizeof name];
    strncpy(copy, name, sizeof copy);
    assert(strcmp(copy, "old name") == 0 || strcmp(copy, "new name") == 0);
    return arg;
}

int main(void) {
    pthread_t t[2];
    pthread_create(&t[0], NULL, rename_it, NULL);
    pthread_create(&t[1], NULL, look, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
