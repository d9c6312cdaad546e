// The modelled accesses of library functions are exact: precision, early ends, upper bounds, failed calls.
// RADDLE: -s dpor --detect races,heap
// EXPECT: none
// MODE: hooks
// FLAGS: -O1
#define _GNU_SOURCE
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

static char fields[16] = "12,cd;ef";
static wchar_t wide_fields[16] = L"12,cd;ef";

static void *reads(void *arg) {
    char text[64], *block = malloc(3), *end = strdup("a");
    memcpy(block, "abc", 3);
    snprintf(text, sizeof text, "%.3s %-10.2s %.*s", block, block, 3, block);
    snprintf(block, 3, "%d", 4);
    swab(block, text, -2);
    free(end);
    char *rest = fields;
    long sum = strtol(fields, &end, 10) + atoi(fields) + (long)strtod(fields, NULL) + wcstol(wide_fields, NULL, 10);
    sum += fnmatch("1*", fields, 0) + strcasecmp(fields, "13") + strverscmp(fields, "2") + strcoll(fields, "2");
    sum += (long)strspn(fields, "12") + (long)wcsspn(wide_fields, L"12") + (strcasestr(fields, "12") != NULL);
    sum += strsep(&rest, ",") != NULL;
    free(block);
    return sum ? NULL : arg;
}

static void *writes(void *arg) {
    fields[6] = 'g'; /* behind the bytes that the other thread reads */
    wide_fields[6] = L'g';
    return arg;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, reads, NULL);
    pthread_create(&b, NULL, writes, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
