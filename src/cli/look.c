/* look.c - see look.h. */
#include "cli/look.h"

#include "cli/options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { ROWS = 60, NARROWEST = 40 }; /* a terminal below that width gets lines of the default width */

struct rd_look rd_look_for(FILE *out, int colour) {
    struct winsize ws;
    bool terminal = isatty(fileno(out));
    struct rd_look look = {.rows_max = ROWS};
    if (terminal && ioctl(fileno(out), TIOCGWINSZ, &ws) == 0 && ws.ws_col >= NARROWEST)
        look.width = ws.ws_col;
    look.colour = colour == RD_WHEN_ALWAYS || (colour == RD_WHEN_AUTO && terminal && !getenv("NO_COLOR"));
    const char *locale = getenv("LC_ALL");
    locale = locale && *locale ? locale : getenv("LC_CTYPE");
    locale = locale && *locale ? locale : getenv("LANG");
    look.unicode = locale && (strstr(locale, "UTF-8") || strstr(locale, "utf8"));
    return look;
}
