/* plain.c - a library that is built without hooks. */
int plain_sum(const char *from, int size);

int plain_sum(const char *from, int size) {
    int sum = 0;
    for (int i = 0; i < size; i++)
        sum += from[i];
    return sum;
}
