// A map with open addressing: a key is claimed once, and its value is published afterwards.
// RADDLE: -s dpor --require-complete
// EXPECT: none
// MODE: hooks
// FLAGS: -O2
#include "lf.h"

enum { SIZE = 4 };
static struct {
    atomic_int key; /* 0: free */
    _Atomic(int *) value;
} slot[SIZE];
static int values[2];

static void put(int key, int *value) {
    for (int i = key % SIZE;; i = (i + 1) % SIZE) {
        int found = 0;
        if (EITHER(atomic_compare_exchange_strong(&slot[i].key, &found, key),
                   atomic_load(&slot[i].key) == 0 && (atomic_store(&slot[i].key, key), 1)) ||
            found == key) {
            atomic_store_explicit(&slot[i].value, value, memory_order_release);
            return;
        }
    }
}

static int *get(int key) {
    for (int i = key % SIZE, n = 0; n < SIZE; i = (i + 1) % SIZE, n++) {
        int found = atomic_load(&slot[i].key);
        if (found == key)
            return atomic_load_explicit(&slot[i].value, memory_order_acquire);
        if (!found)
            break;
    }
    return NULL;
}

static void work(int me) {
    int key = me ? 5 : 1; /* both begin at the same slot */
    values[me] = key;
    put(key, &values[me]);
    int *other = get(me ? 1 : 5);
    assert(!other || *other == (me ? 1 : 5)); /* BUG */
    int *mine = get(key);
    assert(mine == &values[me]); /* BUG */
}

int main(void) {
    run(2, work);
    return 0;
}
