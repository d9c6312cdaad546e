/* access_mode.h - the field `order` of an operation: a memory order, or how the operation touches its object. */
#ifndef RD_TRACE_ACCESS_MODE_H
#define RD_TRACE_ACCESS_MODE_H

#include "base/base.h"

/*
 * The field `order` of operations without a memory order: how the operation touches its object (event.h). The bit
 * RD_ACCESS_WIDE is added to these values, and to a memory order, if the operation depends on every event.
 */
enum {
    RD_ACCESS_PLAIN = 0,
    RD_ACCESS_SHARED = 0x40,  /* the release of a read lock; a loop that waits for an object */
    RD_ACCESS_OWN = 0x41,     /* a lock operation on a lock that the thread has before and after it */
    RD_ACCESS_UNSEEN = 0x43,  /* a free by unseen code: synchronisation that orders it may be unseen, too */
    RD_ACCESS_EXTENTS = 0x44, /* it touches a list of extents besides its object: place2 is the list's address */
    RD_ACCESS_WIDE = 0x80,
};
static inline bool rd_access_mode_is_wide(unsigned order) { return order & RD_ACCESS_WIDE; }
/* Returns `order` without the bit RD_ACCESS_WIDE. */
static inline unsigned rd_access_mode(unsigned order) { return order & ~(unsigned)RD_ACCESS_WIDE; }
static inline bool rd_access_mode_has_extents(unsigned order) { return rd_access_mode(order) == RD_ACCESS_EXTENTS; }

/* The field `order` of a compare-and-swap has two memory orders: that of its success, and that of its failure. */
#define RD_ORDER_CAS(order, failure) ((order) | (failure) << 3)
#define RD_ORDER_OF(order) ((order)&7u)
#define RD_ORDER_FAILED(order) ((order) >> 3 & 7u)

#endif
