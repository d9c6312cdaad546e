/* look.h - how reports are to look on a stream: width, colours, characters. */
#ifndef RD_CLI_LOOK_H
#define RD_CLI_LOOK_H

#include "report/report.h"

/* `colour` is the value of --color (enum rd_when). AUTO: on a terminal, unless NO_COLOR is set. */
struct rd_look rd_look_for(FILE *out, int colour);

#endif
