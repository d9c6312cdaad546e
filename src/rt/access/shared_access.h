/*
 * shared_access.h - decides whether an access touches memory that threads share (trace/sharing.h). In an execution
 * with points at shared memory only, every access begins with this test. For most accesses the test is also the
 * end: so it is inline.
 *
 * Accesses before the first thread is created, and while all other threads have been joined, are not looked up in
 * the table and do not change it: creation and join order them with all operations of other threads. So memory that
 * main() initialises before it creates threads, or reads after it has joined them, can be memory of one of these
 * threads.
 *
 * In a function of the program that a library function calls (qsort) every access is a point: the library function
 * goes on after this access, and other threads can see its work between any two accesses.
 *
 * The table does not see all uses of memory. All memory becomes shared (rd_sharing_all) once
 *   - the program calls a library function of which the runtime does not know which memory it touches;
 *   - a thread begins in unseen code, or can be cancelled between any two instructions;
 *   - a signal is sent, a timer with a handled signal is set, or a handler runs: the handler may run between any
 * two accesses of the thread that it interrupts, while memory that only this thread uses is inconsistent;
 *   - a process is started: it has a copy of all memory as it is at that moment.
 * In a program with compile units without hooks every access is a point from the start.
 */
#ifndef RD_RT_ACCESS_SHARED_ACCESS_H
#define RD_RT_ACCESS_SHARED_ACCESS_H

#include "rt/layout.h"
#include "rt/rt.h"
#include "rt/access/mapped_files.h"

static inline struct rd_sharing *rd_sharing_head(void) { return (struct rd_sharing *)RD_SHARING_AT; }
/* The cell of the granule at the address. pre: addr >> RD_SHARING_BITS == 0 */
static inline uint8_t *rd_sharing_cell(uint64_t addr) {
    RD_ASSERT(addr >> RD_SHARING_BITS == 0);
    return (uint8_t *)(RD_SHARING_AT + RD_SHARING_HEAD) + addr / RD_SHARING_GRANULE;
}

/* Maps the table of the search; fd -1: a table of this process's own. False: the address is taken. */
bool rd_sharing_attach(int fd);
/* An execution begins: sets rd_rt.sharing. */
void rd_sharing_begin(void);
/* In a replay: marks the memory that the schedule lists as shared, as far as its modules are loaded by now. */
void rd_sharing_load(void);
/* A thread is new: sets the values of cells that say that the memory is its own. */
void rd_sharing_thread(struct rd_vthread *v);

/* Looks up all granules of an access, and moves their cells on. True: the access is no operation. False: it is an
 * operation, or the memory has no cells. */
bool rd_sharing_slowly(uint64_t addr, uint64_t size, bool writes);
/* The same for memory that a library function touches: the access does not count towards the thread's patience. */
bool rd_sharing_quietly(uint64_t addr, uint64_t size, bool writes);
/*
 * The same for a free of the whole memory, and for an atomic access, which is an operation in any case.
 * pre (rd_sharing_atomic): rd_rt.only_raced
 */
bool rd_sharing_free(uint64_t addr, uint64_t size);
void rd_sharing_atomic(uint64_t addr, uint64_t size, bool writes);
/* An access to the granule races with an earlier one: it becomes a point, from the next version on. */
void rd_sharing_race(uint64_t granule);
/* This thread waits in a loop for a silent access to read another value (rd_spin.polls): that memory becomes
 * points. */
void rd_sharing_polls(void);
/*
 * The same for all threads: an execution ends in which a loop may have waited for a silent access to read another
 * value: the fairness rule or the fair tail came in, or it reached the limit of steps.
 */
void rd_sharing_polled(void);
/* After a private access that stores while the thread may be in a loop that waits, and after `patience` private
 * accesses in a row. */
void rd_sharing_passed(struct rd_vthread *v, uint64_t addr, uint64_t size, bool writes, uint64_t pc);
/* An operation that is a point in any case: moves the cells of its memory, and of its objects, on. */
void rd_sharing_op(const struct rd_op *op);
/* All memory becomes shared. */
void rd_sharing_all(void);

/*
 * Returns whether the access concerns no other thread; then it is no operation.
 * pre: rd_rt.sharing.version is not 0, and there are other threads
 */
static inline bool rd_sharing_private(uint64_t addr, uint64_t size, bool writes, uint64_t pc) {
    struct rd_vthread *v = rd_self;
    bool one = addr >> RD_SHARING_BITS == 0 && addr % RD_SHARING_GRANULE + size <= RD_SHARING_GRANULE;
    unsigned cell = RD_LIKELY(one && !rd_mapped_files_twice && !v->nested) ? *rd_sharing_cell(addr)
                                                                           : (unsigned)RD_SHARING_UNUSED;
    if (cell - 1u < rd_rt.sharing.version) /* shared */
        return false;
    bool known = cell == v->write_cell || cell == v->handed_cell ||
                 (!writes && (cell == v->read_cell || cell == RD_SHARING_READ_ALL));
    if (RD_UNLIKELY(!known) && !rd_sharing_slowly(addr, size, writes))
        return false;
    v->passed_pc = pc;
    bool matters = writes && rd_spin_reads(&rd_rt.engine.spin, v->tid);
    if (RD_UNLIKELY(++v->passed >= rd_rt.sharing.patience) || matters)
        rd_sharing_passed(v, addr, size, writes, pc);
    return true;
}

#endif
