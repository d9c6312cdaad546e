/*
 * process_detectors.c - the functions of the detectors that run inside the tested process, by the numbers of the
 * table of detectors (detect/table.c). That table is pure, and the driver has it as well; so the functions that
 * need the runtime stand in a table of their own here. Both tables must agree on which detectors these are.
 */
#include "rt/heap/process_detectors.h"

#include "rt/address/place_of_address.h"
#include "rt/heap/heap.h"
#include "rt/thread/failure_point.h"

struct process_detector {
    void (*begin)(void);  /* switches the detector on */
    void (*at_end)(void); /* looks at the end of an execution; NULL: it reads hooks only */
};

/* The hooks of accesses, operations and frees look at the shadow of the heap and report by themselves. */
static void begin_heap(void) { rd_rt.heap_checks = rd_rt.heap_marks = true; }

/* The search for leaks reads in the shadow which blocks there are. */
static void begin_leaks(void) { rd_rt.heap_marks = true; }

static const struct process_detector rows[RD_DETECTORS] = {
    [RD_DETECT_LEAKS] = {.begin = begin_leaks, .at_end = rd_leak_check},
    [RD_DETECT_HEAP] = {.begin = begin_heap},
};

void rd_process_detectors_begin(uint32_t bits) {
    rd_rt.heap_stacks = rd_rt.detail || rd_heap_knows();
    rd_rt.heap_marks = rd_rt.detail; /* the report names the blocks that operations use */
    for (uint32_t i = 0; i < RD_DETECTORS; i++) {
        RD_CHECK((rd_detectors[i].reads == RD_READS_RECORD) == !rows[i].begin);
        RD_CHECK((rd_detectors[i].reads == RD_READS_END) == (rows[i].at_end != NULL));
        if (rd_detector_is_on(bits, i) && rows[i].begin)
            rows[i].begin();
    }
}

void rd_process_detectors_end(uint32_t bits) {
    /* an execution that ended with a wrong status has that as its finding */
    if (rd_rt.engine.rec.out->exit_status != rd_rt.channel->config.expect_status)
        return;
    for (uint32_t i = 0; i < RD_DETECTORS; i++)
        if (rd_detector_is_on(bits, i) && rows[i].at_end)
            rows[i].at_end();
}

void rd_process_detector_found(enum rd_detector_id id, const struct rd_finding *f) {
    RD_CHECK(rd_detector_finds(id, f->kind));
    RD_CHECK(rd_detectors[id].reads != RD_READS_RECORD);
    if (rd_heap_is_known(f))
        return;
    if (rd_detectors[id].reads != RD_READS_END) /* at the end no thread takes another step */
        rd_failure_point(rd_place_address(f->pc));
    rd_rt_found(f);
}
