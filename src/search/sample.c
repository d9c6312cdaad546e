/* sample.c - see sample.h. */
#include "search/sample.h"

enum { FEWEST = 30 }; /* below a tenth: less is not worth a sentence */

bool rd_sampled_add(struct rd_sampled *s, const struct rd_record *r) {
    s->failed |= r->out->verdict == RD_FOUND;
    if (r->out->verdict == RD_CUT)
        return false;
    s->drawn++;
    return true;
}

double rd_sampled_missed(const struct rd_sampled *s, double found) {
    double all = 1, one = 1 - found;
    for (uint64_t n = s->drawn; n; n >>= 1) {
        all *= n & 1 ? one : 1;
        one *= one;
    }
    return all;
}

void rd_sampled_share(struct rd_text *t, double share) {
    uint32_t parts = 100, digits = 2;
    while (share * parts < 10 && digits < 9) {
        parts *= 10;
        digits++;
    }
    uint32_t whole = (uint32_t)(share * parts);
    whole += whole < share * parts;
    rd_text_dec(t, whole / parts);
    rd_text_char(t, '.');
    for (uint32_t p = parts / 10; p; p /= 10)
        rd_text_char(t, (char)('0' + whole / p % 10));
}

void rd_sampled_claim(const struct rd_sampled *s, struct rd_text *t) {
    if (s->failed || s->drawn < FEWEST)
        return;
    rd_text_str(t, t->used ? "; an" : "an");
    rd_text_str(t, " execution of this strategy fails with a probability below ");
    rd_sampled_share(t, 3 / (double)s->drawn);
    rd_text_str(t, " (confidence 95 %: none of ");
    rd_text_dec(t, (int64_t)s->drawn);
    rd_text_str(t, " did)");
}
