/* pct.h - the largest depth of pct.c: so many changes fit into the state of a picker. */
#ifndef RD_PICK_PCT_H
#define RD_PICK_PCT_H

enum { RD_PCT_DEPTH_MAX = 32 };

#endif
