/* table.c - the pickers, by their number in a plan. */
#include "pick/pick.h"

const struct rd_picker *const rd_pickers[RD_PICKERS] = {
    [RD_PICK_STAY] = &rd_pick_stay,     [RD_PICK_RANDOM] = &rd_pick_random, [RD_PICK_FIRST] = &rd_pick_first,
    [RD_PICK_ROUND] = &rd_pick_round,   [RD_PICK_BLOCK] = &rd_pick_block,   [RD_PICK_PCT] = &rd_pick_pct,
    [RD_PICK_POS] = &rd_pick_pos,       [RD_PICK_RAPOS] = &rd_pick_rapos,   [RD_PICK_URW] = &rd_pick_urw,
    [RD_PICK_SURW] = &rd_pick_surw,     [RD_PICK_RFF] = &rd_pick_rff,       [RD_PICK_RANK] = &rd_pick_rank,
    [RD_PICK_CIRCLE] = &rd_pick_circle, [RD_PICK_TURNS] = &rd_pick_turns,   [RD_PICK_GUIDE] = &rd_pick_guide,
    [RD_PICK_LAST] = &rd_pick_last,     [RD_PICK_FOLLOW] = &rd_pick_follow, [RD_PICK_ORDER] = &rd_pick_order,
};
