/* pct.h - how deep the priorities of pct.c go: as many changes fit into the state of a picker. */
#ifndef RD_PICK_PCT_H
#define RD_PICK_PCT_H

enum { RD_PCT_DEPTH_MAX = 32 };

#endif
