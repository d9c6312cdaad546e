/*
 * place_of_address.h - translates addresses to places (trace/place.h) and back, and tells properties of the module
 * that an address is in.
 */
#ifndef RD_RT_ADDRESS_PLACE_OF_ADDRESS_H
#define RD_RT_ADDRESS_PLACE_OF_ADDRESS_H

#include "rt/state.h"

/* Sets the top of the main thread's stack. Called once, at the start. */
void rd_place_main_stack(uint64_t top);
/* The bounds of the main thread's stack. pre: rd_place_main_stack has been called */
void rd_place_main_bounds(void **low, void **top);
/* Enters modules that were loaded since the last call into the channel's table. */
void rd_place_refresh(void);

/* Returns the module of this library; NULL: it is not in the table. */
const struct rd_module *rd_place_own(void);
/* Returns whether the address is in this library. */
bool rd_place_is_own(uint64_t addr);

/* Returns the place of any address; one of region RD_PLACE_OTHER where the address has no stable name. */
rd_place rd_place_of(uint64_t addr);
/* Returns the place of a code location. If it is in no module of the table, looks for newly loaded modules first.
 */
rd_place rd_place_code(uint64_t pc);
/* Returns the place of an operation's object; 0 for objects of the runtime's own, which have no name. */
rd_place rd_place_object(uint64_t addr);
/* Returns the address of a place; 0: the place has none in this process. */
uint64_t rd_place_address(rd_place p);
/* Returns a value in a form that is the same in every execution: a pointer into a stack, the heap,
 * a module or mapped memory becomes its place. */
uint64_t rd_place_value(uint64_t value);

/* As rd_place_object and rd_place_code, but try the module of the last look-up first. */
static inline rd_place rd_place_near_object(uint64_t addr) {
    const struct rd_place_near *n = &rd_rt.near;
    return RD_LIKELY(addr - n->start < n->size) ? n->first + (addr - n->base) : rd_place_object(addr);
}
static inline rd_place rd_place_near_code(uint64_t pc) {
    const struct rd_place_near *n = &rd_rt.near;
    return RD_LIKELY(pc - n->start < n->size) ? n->first + (pc - n->base) : rd_place_code(pc);
}

/* Notes that the compiler has instrumented the module of this code. */
void rd_place_instrumented(uint64_t pc);
/* Returns whether the module of this code is instrumented. */
bool rd_place_is_instrumented(uint64_t pc);
/* Returns whether the code is in an instrumented module, or in a library of known functions
 * (foreign/functions.def). */
bool rd_place_is_seen(uint64_t pc);
/* Returns whether any module is instrumented. */
bool rd_place_any_instrumented(void);

#endif
