/* team_member.h - this process as one of several workers (search/team/team.h): where it maps the hub. */
#ifndef RD_RT_ISOLATE_TEAM_MEMBER_H
#define RD_RT_ISOLATE_TEAM_MEMBER_H

#include "search/team/team.h"

/* Maps the hub. Called once, before the program begins. Returns false if that cannot be done. */
bool rd_team_member_attach(int fd);
/* Returns the table of thread numbers that all workers share; NULL: the process is no worker of a team. */
uint64_t *rd_team_member_paths(void);
/* Returns a sum over the parts of the hub that never change: a different one shows that the program wrote there. */
uint64_t rd_team_member_shape(void);
/* Fills in this worker's side of the team. Returns false if the process is no worker of a team. */
bool rd_team_member_team(struct rd_team *t, uint32_t seat, uint64_t (*now_ns)(void *ctx));
/* Returns the core for this worker, which is on core `now`: one for each worker, as long as there are enough. */
int rd_team_member_cpu(uint32_t seat, int now);

#endif
