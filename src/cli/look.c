/* look.c - see look.h. */
#include "cli/look.h"

#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS = 32, NARROWEST = 20 }; /* a terminal that says that it is narrower is not believed */

/* Is the variable of the environment set, and not empty? */
static bool set(const char *name) {
    const char *value = getenv(name);
    return value && *value;
}

struct rd_look rd_look_for(FILE *out, int colour) {
    struct winsize ws;
    const char *term = getenv("TERM");
    bool terminal = isatty(fileno(out)), paints = terminal && (!term || strcmp(term, "dumb") != 0);
    struct rd_look look = {.rows_max = ROWS};
    if (terminal && ioctl(fileno(out), TIOCGWINSZ, &ws) == 0 && ws.ws_col >= NARROWEST)
        look.width = ws.ws_col;
    look.colour = colour == RD_WHEN_ALWAYS || (colour == RD_WHEN_AUTO && paints && !set("NO_COLOR"));
    const char *locale = getenv("LC_ALL");
    locale = locale && *locale ? locale : getenv("LC_CTYPE");
    locale = locale && *locale ? locale : getenv("LANG");
    look.unicode = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
    return look;
}
