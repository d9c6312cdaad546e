/* plain_tests.c - programs that cannot list their tests: each is one test. */
#include "cli/test/framework.h"

const struct rd_framework rd_framework_cmocka = {
    .name = "cmocka",
    .word = "cmocka",
    .marks = {"libcmocka.so", "CMOCKA_MESSAGE_OUTPUT"},
    .variables = {"CMOCKA_*"},
    .failed = {": error: Failure!"},
};

const struct rd_framework rd_framework_plain = {.name = "plain program", .word = "plain"};
