/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as strips of letters: each column is an equal part of the window, its letter the state that lasted longest in it.
 * Few words for a terminal; the page draws every span.
 *
 *	worker (1201)  ##LLLLLLLL##DDDDDD.........##
 *	# oncpu  L lock/mutex  D disk/read  . idle
 */
#include "base/memory.h"
#include "base/quantity.h"
#include "result/timeline.h"
#include "view/ink.h"
#include "view/text_cell.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 28, STRIP_LEAST = 20, LANES_MOST = 40, STATES_MOST = 64 };

struct strip {
	const struct timeline *timeline;
	char letters[STATES_MOST];
	bool used[STATES_MOST];
	unsigned width;
	double *lengths;                     /* by column and state */
};

static char letter_of_kind(const struct timeline_state *state)
{
	static const struct { const char *kind; char letter; } rows[] = {
		{ "running", '#' }, { "ready", '=' }, { "idle", '.' }, { "correct", '+' }, { "request", '+' } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(state->kind, rows[i].kind))
			return rows[i].letter;
	return strcmp(state->state, "unknown") ? 0 : '?';
}

static bool is_taken(const struct strip *strip, size_t before, char letter)
{
	for (size_t i = 0; i < before; i++)
		if (strip->letters[i] == letter)
			return true;
	return false;
}

/* Parts of one state share its letter; another state gets the next that is free in its name, or in the alphabet. */
static void give_letters(struct strip *strip)
{
	const struct timeline *timeline = strip->timeline;

	for (size_t i = 0; i < timeline->state_count && i < STATES_MOST; i++) {
		const struct timeline_state *state = &timeline->states[i];

		strip->letters[i] = letter_of_kind(state);
		for (size_t k = 0; k < i && !strip->letters[i]; k++)
			if (!strcmp(timeline->states[k].state, state->state))
				strip->letters[i] = strip->letters[k];
		for (const char *at = state->state; *at && !strip->letters[i]; at++)
			if (isalpha((unsigned char)*at) && !is_taken(strip, i, (char)toupper(*at)))
				strip->letters[i] = (char)toupper(*at);
		for (char at = 'A'; at <= 'Z' && !strip->letters[i]; at++)
			strip->letters[i] = is_taken(strip, i, at) ? 0 : at;
		strip->letters[i] = strip->letters[i] ? strip->letters[i] : '*';
	}
}

static void add_span(struct strip *strip, const struct timeline_span *span)
{
	const struct timeline *timeline = strip->timeline;
	double grain = (double)(timeline->end - timeline->start) / strip->width;
	double from = (double)(span->start - timeline->start), to = (double)(span->end - timeline->start);

	for (unsigned column = (unsigned)(from / grain); column < strip->width && column * grain < to; column++) {
		double low = column * grain > from ? column * grain : from, high = (column + 1) * grain < to ? (column + 1) * grain : to;

		if (high > low && span->state < STATES_MOST)
			strip->lengths[column * STATES_MOST + span->state] += high - low;
	}
}

/* Takes the spans of one lane from *at on. */
static void draw_lane(struct strip *strip, struct ink *ink, uint32_t lane, size_t *at)
{
	const struct timeline *timeline = strip->timeline;
	char line[512];
	unsigned column;

	memset(strip->lengths, 0, (size_t)strip->width * STATES_MOST * sizeof(double));
	for (; *at < timeline->span_count && timeline->spans[*at].lane == lane; ++*at)
		add_span(strip, &timeline->spans[*at]);
	for (column = 0; column < strip->width; column++) {
		double most = 0;

		line[column] = ' ';
		for (unsigned state = 0; state < STATES_MOST; state++)
			if (strip->lengths[column * STATES_MOST + state] > most) {
				most = strip->lengths[column * STATES_MOST + state];
				line[column] = strip->letters[state];
				strip->used[state] = true;
			}
	}
	for (column = strip->width; column && line[column - 1] == ' ';)
		column--;
	line[column] = '\0';
	ink_text(ink, INK_PLAIN, line);
	ink_line(ink);
}

static void draw_legend(const struct strip *strip, struct ink *ink, unsigned indent)
{
	char text[4096] = "", length[QUANTITY_SIZE];
	size_t size = 0;

	for (size_t i = 0; i < strip->timeline->state_count && i < STATES_MOST; i++)
		if (strip->used[i] && size < sizeof(text) - 256)
			size += (size_t)snprintf(text + size, sizeof(text) - size, "%c %.200s   ", strip->letters[i],
						 strip->timeline->states[i].name);
	ink_blank(ink, indent);
	ink_wrap(ink, INK_QUIET, text);
	quantity_print(length, (double)(strip->timeline->end - strip->timeline->start) / strip->width, "ns");
	(void)snprintf(text, sizeof(text), "one letter is %s: the state that lasted longest in it", length);
	ink_blank(ink, indent);
	ink_wrap(ink, INK_QUIET, text);
}

void text_draw_timeline(struct ink *ink, const struct timeline *timeline, unsigned indent)
{
	struct strip strip = { .timeline = timeline };
	size_t at = 0, lanes = timeline->lane_count < LANES_MOST ? timeline->lane_count : LANES_MOST;
	char text[96];

	strip.width = ink->width > indent + NAME_MOST + 1 + STRIP_LEAST ? ink->width - indent - NAME_MOST - 1 : STRIP_LEAST;
	strip.width = strip.width < 500 ? strip.width : 500;
	strip.lengths = xcalloc((size_t)strip.width * STATES_MOST, sizeof(double));
	give_letters(&strip);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		ink_blank(ink, indent);
		ink_left(ink, INK_PLAIN, timeline->lanes[lane].name, NAME_MOST);
		ink_blank(ink, 1);
		draw_lane(&strip, ink, lane, &at);
	}
	draw_legend(&strip, ink, indent);
	if (lanes < timeline->lane_count || timeline->left_out) {
		(void)snprintf(text, sizeof(text), "%zu lanes are not shown, %llu are not in the answer", timeline->lane_count - lanes,
			       (unsigned long long)timeline->left_out);
		ink_blank(ink, indent);
		ink_wrap(ink, INK_QUIET, text);
	}
	free(strip.lengths);
}
