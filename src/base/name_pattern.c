/* name_pattern.c - see name_pattern.h. */
#include "base/name_pattern.h"

#include <fnmatch.h>
#include <string.h>

static bool matches_part(const char *pattern, const char *text) {
    bool anywhere = *pattern != '^';
    const char *p = anywhere ? pattern : pattern + 1, *end = p;
    while (*end)
        end++;
    bool to_end = end > p && end[-1] == '$';
    end -= to_end;
    /* after the last *, or the beginning of a pattern that may begin anywhere: where a mismatch goes back to */
    const char *star = anywhere ? p : NULL, *from = text, *t = text;
    for (;;) {
        if (p == end && (!to_end || !*t))
            return true;
        if (p < end && *p == '*') {
            star = ++p;
            from = t;
        } else if (p < end && *t && (*p == *t || *p == '?')) {
            p++;
            t++;
        } else if (!star || !*from) {
            return false;
        } else {
            p = star;
            t = ++from;
        }
    }
}

bool rd_name_pattern_matches(const char *pattern, const char *text) {
    if (!text)
        return false;
    return matches_part(pattern, text) || (strchr(pattern, '[') && fnmatch(pattern, text, 0) == 0);
}

bool rd_path_pattern_matches(const char *pattern, const char *path) {
    if (!path)
        return false;
    if (!strchr(pattern, '/')) {
        const char *slash = strrchr(path, '/');
        return rd_name_pattern_matches(pattern, slash ? slash + 1 : path);
    }
    if (rd_name_pattern_matches(pattern, path))
        return true;
    for (const char *p = strchr(path, '/'); p; p = strchr(p, '/'))
        if (rd_name_pattern_matches(pattern, ++p))
            return true;
    return false;
}
