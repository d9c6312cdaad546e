/*
 * sim_programs.h - the small programs of the literature whose numbers of schedules, outcomes and happens-before
 * classes are known exactly. Each function fills in a program; the parameters n and k make families. All are bare
 * (see sim.h) except sim_lost_update_main; sim_with_main makes the variants with a main thread.
 */
#ifndef RD_TEST_SIM_PROGRAMS_H
#define RD_TEST_SIM_PROGRAMS_H

#include "sim.h"

struct sim_arg {
    int n, k;
};
typedef void (*sim_build)(struct sim_program *p, struct sim_arg a);
#define SIM_PROGRAM(name) void name(struct sim_program *p, struct sim_arg a)

SIM_PROGRAM(sim_independent);  /* n threads x k writes, each to a variable of its own */
SIM_PROGRAM(sim_all_conflict); /* n threads x k writes to one variable */
SIM_PROGRAM(sim_rapos1);       /* RAPOS, figure 1 */
SIM_PROGRAM(sim_rank1);        /* RankChecker, figure 1; the following ones are further figures of it */
SIM_PROGRAM(sim_rank2);
SIM_PROGRAM(sim_rank3);
SIM_PROGRAM(sim_rank4);
SIM_PROGRAM(sim_rank8);
SIM_PROGRAM(sim_rank9_printed); /* as printed: never fails */
SIM_PROGRAM(sim_rank9);         /* corrected */
SIM_PROGRAM(sim_rank10);
SIM_PROGRAM(sim_rank12); /* AllocationVector with one block */
SIM_PROGRAM(sim_split_sync);
SIM_PROGRAM(sim_lost_update);
SIM_PROGRAM(sim_lost_update_main); /* main creates, joins and checks */
SIM_PROGRAM(sim_abba);
SIM_PROGRAM(sim_philosophers); /* n */
SIM_PROGRAM(sim_readers);      /* one writer, n readers */
SIM_PROGRAM(sim_last_zero);    /* n + 1 threads */
SIM_PROGRAM(sim_ring);         /* n threads: each writes its own variable and reads its neighbour's */
SIM_PROGRAM(sim_store_buffer);
SIM_PROGRAM(sim_reorder);     /* n setters, one checker */
SIM_PROGRAM(sim_reorder_sct); /* sim_reorder with the condition read with short circuits */
SIM_PROGRAM(sim_two_stage);   /* n + 1 threads */
SIM_PROGRAM(sim_critical);    /* n threads x k critical sections of one mutex, private data */
SIM_PROGRAM(sim_bluetooth);   /* one adder, one stopper */
SIM_PROGRAM(sim_consumers);   /* 2 consumers, 1 producer, broadcast; k = 1: `while`, else `if` */
SIM_PROGRAM(sim_slot);        /* one slot, n producers, n consumers, one condition; k = 1: broadcast */
SIM_PROGRAM(sim_spin_flag);   /* while (!flag) yield(); against flag = 1 */
SIM_PROGRAM(sim_yield_once);  /* 2 threads: k yields in a row, at places of their own, then a write */
SIM_PROGRAM(sim_hidden_read); /* W x, W y then R x, R x: one class is easily lost by a reduction */

static inline struct sim_program sim_make(sim_build build, int n, int k) {
    struct sim_program p = {0};
    build(&p, (struct sim_arg){n, k});
    return p;
}

#endif
