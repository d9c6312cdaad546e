/* Two tellers deposit into one account without a lock: an update is lost. */
#include <assert.h>
#include <pthread.h>

struct account {
    const char *owner;
    long balance;
};

static void *deposit(void *arg) {
    struct account *account = arg;
    account->balance += 100;
    return NULL;
}

int main(void) {
    struct account account = {"Ada", 0};
    pthread_t tellers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&tellers[i], NULL, deposit, &account);
    for (int i = 0; i < 2; i++)
        pthread_join(tellers[i], NULL);
    assert(account.balance == 200);
    return 0;
}
