/* installed_file.h - finds the files that belong to the driver: in a build tree, and wherever it was installed. */
#ifndef RD_DRIVE_INSTALLED_FILE_H
#define RD_DRIVE_INSTALLED_FILE_H

#include <limits.h>
#include <stdbool.h>

/*
 * The path of a file or folder: `built` if it exists, else `installed`. Both are relative to the folder of the
 * driver's own executable, so a tree of installed files can be moved as a whole. False if neither exists.
 */
bool rd_installed_file(const char *built, const char *installed, char to[PATH_MAX]);

#endif
