/* make_folder.h - the folder for results. */
#ifndef RD_CLI_RUN_MAKE_FOLDER_H
#define RD_CLI_RUN_MAKE_FOLDER_H

#include <stdbool.h>

/*
 * Makes the folder, and those that it is in, unless it is there. False, with errno, if that fails or if nothing can
 * be written to it. `made`: it was not there.
 */
bool rd_make_folder(const char *path, bool *made);

struct rd_schedule;
struct rd_error;

/*
 * Stores a schedule in the folder, which is made again if it is gone: another command that has made it removes it
 * at its end if it is empty. Returns 0, or -1 with the reason.
 */
int rd_make_folder_and_store(const struct rd_schedule *s, const char *folder, const char *path,
                             struct rd_error *error);

#endif
