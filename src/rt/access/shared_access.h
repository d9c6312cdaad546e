/*
 * sharing.h - is an access one to memory that threads share (trace/sharing.h)? The first question of every access
 * in an execution that asks for points at shared memory only; most accesses end here, so it is inline.
 *
 * Accesses before the first thread is created, and while all others have been joined, are not looked up in the
 * table, and leave no trace in it: creation and join order them with everything that other threads do. So what
 * main() has initialised before it creates threads can belong to one of them, and what it reads when they are gone,
 * too.
 *
 * In a function that a library function calls (qsort) every access is a point: the library function goes on after
 * it, and what that does is seen by others between any two of them.
 *
 * The table does not see all uses of memory. Everything is shared (rd_sharing_all) once
 *   - a library function is called of which it is not known what it touches;
 *   - a thread begins in code that is not seen, or can be cancelled between any two instructions;
 *   - a signal is sent, a timer is set whose signal is handled, or a handler runs: it may come between any two
 *     accesses of the thread that it interrupts, and leave that thread in the middle of what only it uses;
 *   - a process is started: it has a copy of all memory as it is at that moment.
 * A program with compile units that have no hooks is run with every access as a point from the start.
 */
#ifndef RD_RT_ACCESS_SHARED_ACCESS_H
#define RD_RT_ACCESS_SHARED_ACCESS_H

#include "rt/layout.h"
#include "rt/rt.h"
#include "rt/access/mapped_files.h"

static inline struct rd_sharing *rd_sharing_head(void) { return (struct rd_sharing *)RD_SHARING_AT; }
static inline uint8_t *rd_sharing_cell(uint64_t addr) {
    return (uint8_t *)(RD_SHARING_AT + RD_SHARING_HEAD) + addr / RD_SHARING_GRANULE;
}

/* The table of the search, or without one a table of this process's own. False: there is no room for it. */
bool rd_sharing_attach(int fd);
/* An execution begins. */
void rd_sharing_begin(void);
/* A replay: what the schedule says is shared, as far as it is loaded by now. */
void rd_sharing_load(void);
/* A thread is new: sets what cells are called that are its own. */
void rd_sharing_thread(struct rd_vthread *v);

/* True: the access is no operation. False: it is one, or nothing is known of the memory. */
bool rd_sharing_slowly(uint64_t addr, uint64_t size, bool writes);
/* The same, of what a library function touches: it does not count towards the thread's patience. */
bool rd_sharing_quietly(uint64_t addr, uint64_t size, bool writes);
/* After a private access that stores while the thread may go round in a loop, or `patience` of them in a row. */
void rd_sharing_passed(struct rd_vthread *v, uint64_t addr, uint64_t size, bool writes, uint64_t pc);
/* Memory and objects that an operation uses which is a point in any case. */
void rd_sharing_op(const struct rd_op *op);
void rd_sharing_all(void);

/*
 * Does the access concern no other thread? Then it is no operation.
 * pre: rd_rt.sharing.version, and there are other threads
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
