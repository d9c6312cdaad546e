// A lost update in memory of the heap, among many other operations: the block is named by the line that allocates it.
// RADDLE: -s "best:var=malloc at best_block.c:30,pb" --points all -n 3
// EXPECT: assertion
// MODE: hooks
// FLAGS: -O0 -g
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct account {
    int balance;
};

static struct account *account, *other;

static void *customer(void *arg) {
    for (int i = 0; i < 10; i++) {
        other->balance++;
        (void)arg;
    }
    int now = account->balance;
    account->balance = now - 10;
    return arg;
}

int main(void) {
    pthread_t t[2];
    /* the next two blocks */
    other = calloc(1, sizeof *other);
    account = calloc(1, sizeof *account);
    account->balance = 100;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(account->balance == 80); /* BUG */
    free(other);
    free(account);
    return 0;
}
