/* json_options.c - see json_options.h. */
#include "report/json/json_options.h"

void rd_json_given_options(struct rd_json *j, const struct rd_given_option *list, uint32_t count) {
    rd_json_open(j, "options", '[');
    for (uint32_t i = 0; i < count; i++) {
        rd_json_open(j, NULL, '{');
        rd_json_string(j, "option", list[i].name);
        rd_json_string(j, "value", list[i].value);
        rd_json_string(j, "from", list[i].from);
        if (list[i].line)
            rd_json_number(j, "line", list[i].line);
        rd_json_close(j, '}');
    }
    rd_json_close(j, ']');
}
