/* make_folder.h - the folder for results. */
#ifndef RD_CLI_RUN_MAKE_FOLDER_H
#define RD_CLI_RUN_MAKE_FOLDER_H

#include <stdbool.h>

/*
 * Makes the folder, and those that it is in, unless it is there. False, with errno, if that fails or if nothing can
 * be written to it. `made`: it was not there.
 */
bool rd_make_folder(const char *path, bool *made);

#endif
