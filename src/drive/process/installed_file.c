/* installed_file.c - paths that are relative to the driver's executable; no path of a build or of a prefix is
 * compiled in. */
#include "drive/process/installed_file.h"
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rd_installed_file(const char *built, const char *installed, char to[PATH_MAX]) {
    char self[PATH_MAX], candidate[2 * PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    const char *const places[] = {built, installed};
    for (unsigned i = 0; i < RD_COUNT(places); i++) {
        snprintf(candidate, sizeof candidate, "%s/%s", self, places[i]);
        if (access(candidate, R_OK) == 0 && realpath(candidate, to))
            return true;
    }
    return false;
}
