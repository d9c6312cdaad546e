/* table.c - all detectors. */
#include "detect/detect.h"

#include <string.h>

const struct rd_detector rd_detectors[RD_DETECTORS] = {
    [RD_DETECT_RACES] = {"races", "two threads use the same memory, one writes, and nothing orders them",
                         RD_DATA_RACE, true, rd_detect_race},
    [RD_DETECT_LOCKS] = {"lock-discipline", "shared memory without a lock that protects all its uses",
                         RD_LOCK_DISCIPLINE, false, rd_detect_lockset},
    [RD_DETECT_DEADLOCKS] = {"deadlocks",
                             "threads that take locks in an order that leads in a circle; tries to run into it",
                             RD_PREDICTED_DEADLOCK, true, rd_detect_lockorder},
    [RD_DETECT_LEAKS] = {"leaks", "blocks of the heap that nothing leads to when the program ends", RD_LEAK, false,
                         NULL},
    [RD_DETECT_HEAP] = {"heap", "uses of blocks that were freed, and beyond their ends; a free is an operation",
                        RD_USE_AFTER_FREE, true, NULL},
};

uint32_t rd_detect_usual(void) {
    uint32_t bits = 0;
    for (uint32_t i = 0; i < RD_DETECTORS; i++)
        bits |= (uint32_t)rd_detectors[i].usual << i;
    return bits;
}

bool rd_detect_parse(const char *text, uint32_t *bits, struct rd_error *error) {
    *bits = strcmp(text, "all") == 0 ? (1u << RD_DETECTORS) - 1 : 0;
    if (*bits || strcmp(text, "none") == 0)
        return true;
    for (;;) {
        size_t n = strcspn(text, ",");
        uint32_t i = 0;
        while (i < RD_DETECTORS &&
               (strlen(rd_detectors[i].name) != n || memcmp(rd_detectors[i].name, text, n) != 0))
            i++;
        if (i == RD_DETECTORS) {
            struct rd_text t = rd_error_text(error);
            rd_text_str(&t, "no detector '");
            rd_text_part(&t, text, n);
            rd_text_str(&t, "' (see 'raddle list detectors')");
            return false;
        }
        *bits |= 1u << i;
        if (!text[n])
            return true;
        text += n + 1;
    }
}
