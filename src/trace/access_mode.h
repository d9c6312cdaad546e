/* access_mode.h - the field `order` of an operation: a memory order, or how the operation touches its object. */
#ifndef RD_TRACE_ACCESS_MODE_H
#define RD_TRACE_ACCESS_MODE_H

#include "base/base.h"

/*
 * rd_op.order where there is no memory order: how the operation touches its object (event.h). To that, and to a
 * memory order, RD_ACCESS_WIDE is added where the operation depends on everything.
 */
enum {
    RD_ACCESS_PLAIN = 0,
    RD_ACCESS_SHARED = 0x40, /* the release of a read lock; a loop that waits for an object */
    RD_ACCESS_OWN = 0x41,    /* a lock that the thread has already, or goes on having */
    RD_ACCESS_UNSEEN = 0x43, /* a free by code whose accesses are not seen: nor is all that orders it */
    RD_ACCESS_EXTENTS =
        0x44, /* besides its object it touches a list of extents (extents.h): place2 is its address */
    RD_ACCESS_WIDE = 0x80,
};
static inline bool rd_access_mode_is_wide(unsigned order) { return order & RD_ACCESS_WIDE; }
/* Without that bit. */
static inline unsigned rd_access_mode(unsigned order) { return order & ~(unsigned)RD_ACCESS_WIDE; }
static inline bool rd_access_mode_has_extents(unsigned order) { return rd_access_mode(order) == RD_ACCESS_EXTENTS; }

/* rd_op.order of a compare-and-swap has two memory orders: when it succeeds, and when it fails. */
#define RD_ORDER_CAS(order, failure) ((order) | (failure) << 3)
#define RD_ORDER_OF(order) ((order)&7u)
#define RD_ORDER_FAILED(order) ((order) >> 3 & 7u)

#endif
