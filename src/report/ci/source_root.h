/*
 * source_root.h - paths relative to the root of the repository: CI systems show a finding at its line of source
 * only if its path is relative to that directory.
 */
#ifndef RD_REPORT_CI_SOURCE_ROOT_H
#define RD_REPORT_CI_SOURCE_ROOT_H

#include "base/base.h"

#include <limits.h>

/*
 * The root: the directory that GITHUB_WORKSPACE names, if the current directory is in it; otherwise the nearest
 * directory above the current one, or itself, that has a `.git`; otherwise the current directory. Absolute, without
 * symbolic links and without a slash at the end ("" is "/").
 */
void rd_source_root(char to[PATH_MAX]);

/*
 * Writes the path of a source file: relative to `root` if the file is in there, which returns true; otherwise
 * absolute. `cwd`: the directory for a relative path. "." and ".." are resolved.
 */
bool rd_source_path(const char *root, const char *cwd, const char *path, char to[PATH_MAX]);

/* Writes the path as the path of a URI: bytes other than letters, digits and -._~/ become %XX. */
void rd_source_uri(const char *path, char *to, size_t room);

#endif
