/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three significant digits everywhere, so that columns stay narrow and no figure claims more than it knows.
 */
#include "base/quantity.h"

#include "base/cleanup.h"
#include "base/error.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scale {
	double from;             /* used for magnitudes from here on */
	double divide;
	const char *unit;
};

static const struct scale scale_ns[] = {
	{ 3600e9 * 2, 3600e9, "h" }, { 60e9 * 2, 60e9, "min" }, { 1e9, 1e9, "s" }, { 1e6, 1e6, "ms" }, { 1e3, 1e3, "us" }, { 0, 1, "ns" },
};
static const struct scale scale_bytes[] = {
	{ 0x1p40, 0x1p40, "TiB" }, { 0x1p30, 0x1p30, "GiB" }, { 0x1p20, 0x1p20, "MiB" }, { 0x1p10, 0x1p10, "KiB" }, { 0, 1, "B" },
};
static const struct scale scale_count[] = {
	{ 1e9, 1e9, "G" }, { 1e6, 1e6, "M" }, { 1e4, 1e3, "k" }, { 0, 1, "" },
};

#define SMALL 0.0995                         /* below, two decimals are less than two digits */

static const char *print_scaled(char *text, double value, const struct scale *scale)
{
	double size = fabs(value);
	double shown;
	int digits;

	while (scale->from > size && scale->from > 0)
		scale++;
	shown = value / scale->divide;
	digits = fabs(shown) >= 99.95 || shown == floor(shown) ? 0 : fabs(shown) >= 9.995 ? 1 : 2;
	if (shown != 0 && fabs(shown) < SMALL)
		(void)snprintf(text, QUANTITY_SIZE, "%.3g%s%s", shown, *scale->unit ? " " : "", scale->unit);
	else
		(void)snprintf(text, QUANTITY_SIZE, "%.*f%s%s", digits, shown, *scale->unit ? " " : "", scale->unit);
	return text;
}

/* What is not nothing never reads as nothing. */
static const char *print_percent(char *text, double percent)
{
	if (percent != 0 && fabs(percent) < 0.005)
		(void)snprintf(text, QUANTITY_SIZE, percent > 0 ? "< 0.01 %%" : "> -0.01 %%");
	else
		(void)snprintf(text, QUANTITY_SIZE, "%.*f %%", fabs(percent) < 9.995 && percent != 0 ? 2 : 1, percent);
	return text;
}

const char *quantity_print(char text[QUANTITY_SIZE], double value, const char *unit)
{
	if (!isfinite(value))
		(void)snprintf(text, QUANTITY_SIZE, "-");
	else if (!strcmp(unit, "ns"))
		return print_scaled(text, value, scale_ns);
	else if (!strcmp(unit, "bytes"))
		return print_scaled(text, value, scale_bytes);
	else if (!strcmp(unit, "count") || !strcmp(unit, "samples") || !*unit)
		return print_scaled(text, value, scale_count);
	else if (!strcmp(unit, "fraction"))
		return print_percent(text, value * 100);
	else
		(void)snprintf(text, QUANTITY_SIZE, "%.3g %.12s", value, unit);
	return text;
}

struct suffix {
	const char *name;
	double factor;
};

static int parse_suffixed(const char *text, const struct suffix *suffixes, size_t count, double *ret)
{
	char *end;
	double value;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.')
		return -EINVAL;
	errno = 0;
	value = strtod(text, &end);
	if (errno || end == text || !isfinite(value) || value < 0)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		if (!strcasecmp(end, suffixes[i].name)) {
			*ret = value * suffixes[i].factor;
			return *ret < 0x1p63 ? 0 : -ERANGE;
		}
	}
	return -EINVAL;
}

int quantity_parse_duration(const char *text, uint64_t *ret_ns, struct error *err)
{
	static const struct suffix suffixes[] = {
		{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
		{ "d", 86400e9 },
	};
	double value;

	if (parse_suffixed(text, suffixes, ARRAY_LENGTH(suffixes), &value) < 0) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no length of time", text);
		error_because(err, "it takes a number and s, ms, us, m, h or d");
		return error_try(err, "10s");
	}
	*ret_ns = (uint64_t)value;
	return 0;
}

int quantity_parse_bytes(const char *text, uint64_t *ret_bytes, struct error *err)
{
	static const struct suffix suffixes[] = {
		{ "", 1 }, { "B", 1 }, { "K", 0x1p10 }, { "KiB", 0x1p10 }, { "M", 0x1p20 }, { "MiB", 0x1p20 }, { "G", 0x1p30 }, { "GiB", 0x1p30 },
	};
	double value;

	if (parse_suffixed(text, suffixes, ARRAY_LENGTH(suffixes), &value) < 0) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no size", text);
		error_because(err, "it takes a number and K, M or G");
		return error_try(err, "64M");
	}
	*ret_bytes = (uint64_t)value;
	return 0;
}

int quantity_parse_share(const char *text, double one_percent, double *ret, struct error *err)
{
	char *end;

	*ret = strtod(text, &end);
	if (end != text && isfinite(*ret) && !*end)
		return 0;
	if (end != text && isfinite(*ret) && !strcmp(end, "%")) {
		*ret *= one_percent;
		return 0;
	}
	fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no number", text);
	return error_because(err, "it takes a number, or one with %%");
}

int quantity_parse_count(const char *text, uint64_t *ret, struct error *err)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)text[0]) || errno || *end) {
		fail(err, FAILURE_USAGE, -EINVAL, "'%s' is no whole number", text);
		return error_because(err, "digits only, below 2^64");
	}
	*ret = value;
	return 0;
}
