/*
 * bank.c - a small bank with a real bug.
 *
 * Two clerks work at the same time: one pays the salaries, the other collects the rents. Each transfer takes the
 * locks of both accounts, in a fixed order, so there is no deadlock. The bank also keeps a count of all its
 * transfers, without a lock, because it is only a number.
 *
 * Run natively, the books agree practically always. Let Raddle check:
 *
 *     raddle cc -g bank.c -o bank
 *     raddle run ./bank
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

struct account {
    const char *owner;
    pthread_mutex_t lock;
    long cents;
};

static struct account company = {"company", PTHREAD_MUTEX_INITIALIZER, 500000};
static struct account ada = {"ada", PTHREAD_MUTEX_INITIALIZER, 20000};
static struct account landlord = {"landlord", PTHREAD_MUTEX_INITIALIZER, 100000};
static int transfers; /* how many there were today */

static void transfer(struct account *from, struct account *to, long cents) {
    struct account *first = from < to ? from : to; /* always in this order */
    struct account *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->cents -= cents;
    to->cents += cents;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
    transfers++;
}

static void *pay_salaries(void *arg) {
    transfer(&company, &ada, 300000);
    return arg;
}

static void *collect_rents(void *arg) {
    transfer(&ada, &landlord, 90000);
    return arg;
}

int main(void) {
    pthread_t clerk[2];
    pthread_create(&clerk[0], NULL, pay_salaries, NULL);
    pthread_create(&clerk[1], NULL, collect_rents, NULL);
    pthread_join(clerk[0], NULL);
    pthread_join(clerk[1], NULL);
    printf("%s has %ld cents after %d transfers\n", ada.owner, ada.cents, transfers);
    assert(company.cents + ada.cents + landlord.cents == 620000); /* no money is lost ... */
    assert(transfers == 2);                                       /* ... but is every transfer in the books? */
    return 0;
}
