/* bpor.h - the searches of bpor.c that have no name of their own: `dpor:classic` and `icb:sleep`. */
#ifndef RD_SEARCH_POR_BPOR_H
#define RD_SEARCH_POR_BPOR_H

#include "search/search.h"

extern const struct rd_search rd_search_classic, rd_search_bounded_sleep;

#endif
