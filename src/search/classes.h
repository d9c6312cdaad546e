/*
 * classes.h - the happens-before classes of all prefixes of an execution, for searches that remember which they
 * have been to.
 */
#ifndef RD_CLASSES_H
#define RD_CLASSES_H

#include "trace/order.h"

struct rd_classes {
    RD_VEC(uint64_t); /* by step: the class of the prefix that ends with it; 0: inside an operation */
};

/* `scratch` is reset first. */
void rd_classes_of(struct rd_classes *c, struct rd_arena *a, struct rd_arena *scratch, const struct rd_record *r);
/* The step as an event of its own; what names too few objects for its effects depends on everything. */
struct rd_event rd_classes_event(const struct rd_step *s);
/* A part of the arena's address space, for what is needed during one call: costs what it touches. */
struct rd_arena rd_scratch_open(struct rd_arena *a);

#endif
