/*
 * child_table.h - the child processes of the program. They are not controlled, but the program sees numbers for
 * them (pids) that are the same in every execution: a number is made of the thread that started the process and of
 * the count of processes that this thread had started. The kernel's number is used only in system calls. All
 * made-up numbers are above the kernel's largest number.
 */
#ifndef RD_RT_PROCESS_CHILD_TABLE_H
#define RD_RT_PROCESS_CHILD_TABLE_H

#include "rt/io/open_file.h"

#include <sys/types.h>

/* The numbers that the program sees. */
enum {
    RD_PID_SESSION = 4197000,
    RD_PID_GROUP = 4198000,
    RD_PID_PARENT = 4199000,
    RD_PID = 4200000, /* of the program; a thread's number is RD_PID + its thread number */
    RD_PID_CHILD = 5000000,
    RD_PID_CHILDREN = 4096 /* different numbers for the children of one thread; then they are used again */
};
static_assert(RD_PID_SESSION > 4194304, "above the kernel's largest number, PID_MAX_LIMIT");
static_assert((int)RD_PID + (int)RD_TID_MAX <= (int)RD_PID_CHILD, "no thread has the number of a child");

struct rd_child {
    pid_t number;           /* the number that the program sees */
    pid_t real;             /* the kernel's number; 0: it has not started, or the program has waited for it */
    pid_t was;              /* the kernel's number, kept after that; 0: it has not started */
    struct rd_io_file file; /* the object of operations on it */
    uint64_t patience_ns, busy_ns; /* time that calls still give it to end: while it waits; while it computes */
    struct rd_child *next;
};

/* Makes an entry for the next child process of the calling thread. */
struct rd_child *rd_child_new(void);
/* The child has started, and has this number in the kernel. */
void rd_child_began(struct rd_child *c, pid_t real);
/* The program has learned that this child has ended: the child's number is no longer valid. */
void rd_child_reaped(pid_t real);
/* Returns the child with this number that the program has not waited for yet, or NULL. */
struct rd_child *rd_child_find(pid_t number);
/* Returns whether the program has children that it has not waited for. */
bool rd_child_any(void);
/* Returns whether one of them has not ended. */
bool rd_child_runs(void);
void rd_child_kill_all(void);
/* Sends a signal to all children in the program's own process group. */
void rd_child_signal_group(int sig);

/*
 * Translates the program's numbers to the kernel's and back. Numbers of unrelated processes are the same in both;
 * numbers below -1 are process groups.
 */
pid_t rd_pid_real(pid_t number);
pid_t rd_pid_virtual(pid_t real);
/* As rd_pid_virtual, also for a child that the program has waited for. */
pid_t rd_pid_remembered(pid_t real);
/* This process is a copy of the program that has left control: notes its number and the process that copied itself.
 */
void rd_pid_copied(pid_t number, pid_t parent_real);
/* In such a copy, and in copies of it: the numbers of this process and of its parent that the program is to see. */
pid_t rd_pid_of_copy(void);
pid_t rd_pid_of_parent(void);

/* Performs an operation on this child (NULL: on all children) that does not wait. */
void rd_child_touch(unsigned kind, const struct rd_child *c, uint64_t pc);
/* The object of operations that wait for this child; NULL: for any child. */
struct rd_io_file *rd_child_file(struct rd_child *c);

#endif
