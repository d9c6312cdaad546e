/* rank_claim.c - the claim of a search by ranks. */
#include "search/rank/rank_stages.h"

#include "base/text.h"
#include "search/bounded/bound.h"

static void count_words(struct rd_text *t, uint64_t n, const char *one) {
    rd_bound_count(t, n);
    rd_text_char(t, ' ');
    rd_text_str(t, one);
    rd_text_str(t, n == 1 ? "" : "s");
}

static void say_variables(const struct rd_rank *s, struct rd_text *t) {
    const struct rd_rank_vars *vars = &s->course->known.vars;
    rd_text_str(t, " with at most ");
    count_words(t, s->bounds.changes, "preemption");
    rd_text_str(t, " at any ");
    if (!s->bounds.all && s->course->size_done < s->course->tried) {
        rd_text_dec(t, s->course->size_done);
        rd_text_str(t, " of ");
    } else {
        rd_text_str(t, "of ");
    }
    count_words(t, s->course->tried, vars->private_too ? "variable" : "shared variable");
    if (vars->left_out == 0)
        return;
    rd_text_str(t, " (of each allocation the first ");
    count_words(t, vars->ordinal_max + 1, "block");
    rd_text_char(t, ')');
}

static void say(const struct rd_rank *s, struct rd_claim *c) {
    const struct rd_rank_course *k = s->course;
    *c = rd_claim_none();
    rd_text_copy(c->phase, sizeof c->phase, "the orders of threads and of their changes");
    struct rd_text t;
    rd_text_init(&t, c->voids, sizeof c->voids);
    if (rd_rank_threads_full(&k->known.threads))
        rd_text_str(&t, "there are more threads than can be ordered");
    else if (s->team ? rd_rank_nondeterministic(s) : s->tree.nondeterministic)
        rd_text_str(&t, "the program is not deterministic");
    else if (s->seen.vars.lost || k->known.vars.lost)
        rd_text_str(&t, "there are more variables than can be profiled");
    else if (s->seen.too_many || k->known.too_many)
        rd_text_str(&t, "there are more variables than can be tracked at once");
    rd_text_init(&t, c->proved, sizeof c->proved);
    if (!k->ordered_done)
        return;
    bool changes = k->size_done && k->tried;
    struct rd_permutations p =
        rd_permutations_of(k->known.threads.count, changes ? s->bounds.changes : 0, s->ordered, s->missed, s->seed);
    c->likely = p.kind == RD_PERMUTATION_RANDOM;
    rd_text_str(&t, "every order of ");
    rd_text_str(&t, s->ordered < k->known.threads.count ? "any " : "the ");
    count_words(&t, RD_MIN(s->ordered, k->known.threads.count), "thread");
    if (changes)
        say_variables(s, &t);
    else
        rd_text_str(&t, " without a preemption");
    rd_text_str(&t, " was run");
    if (c->likely) {
        rd_text_str(&t, ", with a probability of at least ");
        rd_text_dec(&t, 100 - s->percent);
        rd_text_str(&t, " %");
    }
    rd_text_str(&t, " (");
    count_words(&t, k->covered, "execution");
    rd_text_char(&t, ')');
}

/* Reads the course under the lock: another worker may go on to the next stage meanwhile. */
void rd_rank_claim(const void *state, struct rd_claim *c) {
    const struct rd_rank *s = state;
    if (s->team)
        rd_team_lock(s->team);
    say(s, c);
    if (s->team)
        rd_team_unlock(s->team);
}
