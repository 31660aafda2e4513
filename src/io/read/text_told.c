/*
 * text_told.c - what comments and titles before a table tell: its rate, its start, names; see
 * text_table.h.
 */
#define _GNU_SOURCE /* strcasestr, asprintf */
#include "io/read/text_table.h"
#include "io/read/time_units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Behind any of the words in text, past marks such as ":", "=" and quotes; NULL: none is there. */
static const char *
behind_words(const char *text, const char *const *words)
{
	for (size_t i = 0; words[i]; ++i)
		for (const char *at = text; (at = strcasestr(at, words[i])); ++at) {
			const size_t n = strlen(words[i]);
			if ((at > text && isalnum((unsigned char)at[-1])) ||
			    isalpha((unsigned char)at[n]))
				continue;
			return at + n;
		}
	return NULL;
}

/* The number that follows, at once but for marks and a unit in brackets, and the unit of it. */
static bool
number_behind(const char *at, double *value, char unit[16])
{
	const char *bracket = NULL;
	at += strspn(at, " \t_");
	if (strncasecmp(at, "hz", 2) == 0) {
		bracket = "hz";
		at += 2;
	} else if (*at == '(' || *at == '[') {
		bracket = at + 1;
		at += strcspn(at, ")]");
	}
	at += strspn(at, " \t:=\"')],;is");
	const char *digits = at + (*at == '[');
	char *end;
	if (!isdigit((unsigned char)*digits) && *digits != '.')
		return false;
	*value = strtod(digits, &end);
	/* "2,5 kHz" might be 2500 or 25 000. */
	if (*end == ',' && isdigit((unsigned char)end[1]))
		return false;
	end += strspn(end, " \t\"]");
	const char *name = isalpha((unsigned char)*end) ? end : bracket ? bracket : "";
	size_t n = 0;
	for (; n < 15 && (isalpha((unsigned char)name[n]) || name[n] == '/'); ++n)
		unit[n] = (char)tolower((unsigned char)name[n]);
	unit[n] = '\0';
	return *value > 0 && isfinite(*value);
}

/* 0: of "samples/min". */
static double
rate_in(double value, const char *unit)
{
	const char *slash = strchr(unit, '/');
	const double period = text_unit_seconds(unit);
	if (period > 0)
		return 1 / (value * period);
	if (slash && slash[1] != 's')
		return 0;
	return strcmp(unit, "khz") == 0 ? 1e3 * value : strcmp(unit, "mhz") == 0
	        ? 1e6 * value : value;
}

static void
learn_rate(text_told *told, double rate)
{
	if (!(rate > 0))
		return;
	if (told->rate > 0 && fabs(told->rate - rate) > 1e-6 * rate)
		told->differ = true;
	told->rate = rate;
}

/* OpenSignals: {"..": {.. "column": ["nSeq", "I1"], ..}}, of several devices one after another. */
static ws_status
learn_names(wsi_recording *rec, const char *line)
{
	text_state *s = rec->state;
	for (const char *at = line; (at = strstr(at, "\"column\":"));) {
		at += strcspn(at, "[") + 1;
		const size_t n = at[-1] == '[' ? strcspn(at, "]") : 0;
		if (n == 0)
			return WS_OK;
		char *all;
		if (asprintf(&all, "%s%s%.*s", s->told.names ? s->told.names : "",
		             s->told.names ? "," : "", (int)(n < 65536 ? n : 0), at) < 0)
			return WSI_FAIL(WS_E_NOMEM, "%s: no memory for its columns", rec->path);
		free(s->told.names);
		s->told.names = all;
	}
	return WS_OK;
}

static void
listen(text_state *s, const char *line)
{
	static const char *const rates[] = {
		"sampling rate", "sample rate", "sampling_rate", "sample_rate", "samplingrate",
		"samplerate", "sampling frequency", "sample frequency", "sampling_frequency",
		"samplingfrequency", "sampling freq", "sampling_freq", "sample_freq", "sfreq",
		"srate", "samp_rate", "fs", "abtastrate", "abtastfrequenz", "sample_rate_hz", NULL,
	};
	static const char *const periods[] = {
		"sampling interval", "sample interval", "sampling_interval", "sample_interval",
		"samplinginterval", "sampling period", "sample period", "sampling_period",
		"delta_x", "dt", "delta t", "time step", "timestep", NULL,
	};
	static const char *const starts[] = { "start_time", "start time", "starttime", "start",
	                                      NULL };
	char unit[16];
	double value;
	const char *at = behind_words(line, rates);
	if (at && number_behind(at, &value, unit))
		learn_rate(&s->told, rate_in(value, unit));
	at = behind_words(line, periods);
	if (at && number_behind(at, &value, unit)) {
		const double seconds = text_unit_seconds(unit);
		if (seconds > 0 || *unit == '\0')
			learn_rate(&s->told, 1 / (value * (seconds > 0 ? seconds : 1)));
	}
	/* AcqKnowledge. */
	char *behind;
	value = strtod(line, &behind);
	if (value > 0 && isfinite(value) && strcmp(behind, " msec/sample") == 0)
		learn_rate(&s->told, 1000 / value);
	else if (value > 0 && isfinite(value) && strcmp(behind, " samples/second") == 0)
		learn_rate(&s->told, value);
	/* What ObsPy writes. */
	const char *sps = strncmp(line, "TIMESERIES ", 11) == 0 ? strstr(line, " sps, ") : NULL;
	if (sps) {
		s->told.rows_of_samples = strstr(sps, " SLIST") != NULL;
		while (sps > line && sps[-1] != ' ')
			--sps;
		learn_rate(&s->told, strtod(sps, NULL));
	}
	at = behind_words(line, starts);
	if (at && s->told.start[0] == '\0') {
		at += strspn(at, " \t:=\"'");
		text_date date;
		snprintf(s->told.start, sizeof s->told.start, "%.*s", (int)strcspn(at, "\",;\t"),
		         at);
		if (!text_parse_date(s->told.start, false, &date) || date.open)
			s->told.start[0] = '\0';
	}
}

ws_status
text_listen(wsi_recording *rec, const char *line, bool comment)
{
	listen(rec->state, line);
	return comment ? learn_names(rec, line) : WS_OK;
}
