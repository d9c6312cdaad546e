/* best_reduced.h - the search of best_reduced.c, which has no name of its own: `best:reduce`. */
#ifndef RD_SEARCH_BOUNDED_BEST_REDUCED_H
#define RD_SEARCH_BOUNDED_BEST_REDUCED_H

#include "search/search.h"

extern const struct rd_search rd_search_best_reduced;

#endif
