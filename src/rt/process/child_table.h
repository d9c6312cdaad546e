/*
 * child.h - the processes that the program starts. They are not controlled, but their numbers are the same in every
 * execution: made of the thread that started the process and which of its processes it was. The kernel's own number
 * is used only to ask the kernel. All made-up numbers are above the kernel's largest.
 */
#ifndef RD_RT_PROCESS_CHILD_TABLE_H
#define RD_RT_PROCESS_CHILD_TABLE_H

#include "rt/io/open_file.h"

#include <sys/types.h>

enum {
    RD_PID_SESSION = 4197000,
    RD_PID_GROUP = 4198000,
    RD_PID_PARENT = 4199000,
    RD_PID = 4200000, /* the program's own; its threads are this + number of the thread */
    RD_PID_CHILD = 5000000,
    RD_PID_CHILDREN = 4096 /* numbers of one thread's children, which are used again after so many */
};

struct rd_child {
    pid_t number;
    pid_t real; /* 0: it does not run (yet, or any more) */
    pid_t was;  /* what it was when it did */
    struct rd_io_file file;
    uint64_t patience_ns, busy_ns; /* how long a call waits for it to end before it is taken to go on */
    struct rd_child *next;
};

/* The running thread's next process. */
struct rd_child *rd_child_new(void);
void rd_child_began(struct rd_child *c, pid_t real);
/* Its end was told to the program: its number means nothing any more. */
void rd_child_reaped(pid_t real);
struct rd_child *rd_child_find(pid_t number);
bool rd_child_any(void);
bool rd_child_runs(void); /* one that has not ended */
void rd_child_kill_all(void);
void rd_child_signal_group(int sig); /* those in the program's own process group */

/* From the program's numbers to the kernel's and back; numbers of others are the same in both. < -1: a group. */
pid_t rd_pid_real(pid_t number);
pid_t rd_pid_virtual(pid_t real);
/* The same for a process that may have been forgotten since. */
pid_t rd_pid_remembered(pid_t real);
/* This process is a copy that has left control: what it is called, and who started it. */
void rd_pid_copied(pid_t number, pid_t parent_real);
/* In such a copy, and in copies of it: the process's own number and its parent's, as the kernel's are replaced. */
pid_t rd_pid_of_copy(void);
pid_t rd_pid_of_parent(void);

/* An operation on this child (NULL: on any); waits for nothing. */
void rd_child_touch(unsigned kind, const struct rd_child *c, uint64_t pc);
/* What an operation on it waits for; NULL: any. */
struct rd_io_file *rd_child_file(struct rd_child *c);

#endif
