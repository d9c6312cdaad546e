/*
 * place_of_address.h - from addresses to places (trace/place.h) and back, and what is known of the module that an
 * address is in.
 */
#ifndef RD_RT_ADDRESS_PLACE_OF_ADDRESS_H
#define RD_RT_ADDRESS_PLACE_OF_ADDRESS_H

#include "rt/state.h"

/* Where the main thread's stack begins; called once, at the start. */
void rd_place_main_stack(uint64_t top);
/* The bounds of the main thread's stack. */
void rd_place_main_bounds(void **low, void **top);
/* Enters modules that were loaded since the last call into the channel's table. */
void rd_place_refresh(void);

/* Returns the module of this library; NULL: not known. */
const struct rd_module *rd_place_own(void);
/* Returns whether the address is in this library. */
bool rd_place_is_own(uint64_t addr);

/* Returns the place of any address; one of region RD_PLACE_OTHER where the address has no stable name. */
rd_place rd_place_of(uint64_t addr);
/* Returns the place of a code location; looks for modules that were loaded since, if it is in none that is known.
 */
rd_place rd_place_code(uint64_t pc);
/* Returns the place of an operation's object; 0 for objects of the runtime's own, which have no name. */
rd_place rd_place_object(uint64_t addr);
/* Returns the address of a place; 0: not known in this process. */
uint64_t rd_place_address(rd_place p);
/* Returns a value so that it is the same in every execution: a pointer into a stack becomes its place. */
uint64_t rd_place_value(uint64_t value);

/* rd_place_object and rd_place_code, with the module of the last look-up tried first. */
static inline rd_place rd_place_near_object(uint64_t addr) {
    const struct rd_place_near *n = &rd_rt.near;
    return RD_LIKELY(addr - n->start < n->size) ? n->first + (addr - n->base) : rd_place_object(addr);
}
static inline rd_place rd_place_near_code(uint64_t pc) {
    const struct rd_place_near *n = &rd_rt.near;
    return RD_LIKELY(pc - n->start < n->size) ? n->first + (pc - n->base) : rd_place_code(pc);
}

/* Notes that the module of this code has hooks of the compiler's. */
void rd_place_instrumented(uint64_t pc);
/* Returns whether the module of this code has such hooks. */
bool rd_place_is_instrumented(uint64_t pc);
/* Returns whether the code is in such a module, or in a library whose functions are known (foreign/functions.def).
 */
bool rd_place_is_seen(uint64_t pc);
/* Returns whether any module has such hooks. */
bool rd_place_any_instrumented(void);

#endif
