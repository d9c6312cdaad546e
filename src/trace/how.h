/* how.h - the field `order` of an operation: a memory order, or how the operation touches its object. */
#ifndef RD_HOW_H
#define RD_HOW_H

#include "base/base.h"

/*
 * rd_op.order where there is no memory order: how the operation touches its object (event.h). To that, and to a
 * memory order, RD_HOW_WIDE is added where the operation depends on everything.
 */
enum {
    RD_HOW_PLAIN = 0,
    RD_HOW_SHARED = 0x40,  /* the release of a read lock; a loop that waits for an object */
    RD_HOW_OWN = 0x41,     /* a lock that the thread has already, or goes on having */
    RD_HOW_UNSEEN = 0x43,  /* a free by code whose accesses are not seen: nor is all that orders it */
    RD_HOW_EXTENTS = 0x44, /* besides its object it touches a list of extents (extents.h): place2 is its address */
    RD_HOW_WIDE = 0x80,
};
static inline bool rd_how_is_wide(unsigned order) { return order & RD_HOW_WIDE; }
/* Without that bit. */
static inline unsigned rd_how(unsigned order) { return order & ~(unsigned)RD_HOW_WIDE; }
static inline bool rd_how_has_extents(unsigned order) { return rd_how(order) == RD_HOW_EXTENTS; }

/* rd_op.order of a compare-and-swap has two memory orders: when it succeeds, and when it fails. */
#define RD_ORDER_CAS(order, failure) ((order) | (failure) << 3)
#define RD_ORDER_OF(order) ((order)&7u)
#define RD_ORDER_FAILED(order) ((order) >> 3 & 7u)

#endif
