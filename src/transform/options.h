/*
 * options.h - what rows need for their options.
 *
 * An option that a row declares is a ws_option, what callers see of it; for WS_OPTION_TEXT, _RANGE
 * and _LIST it begins a wsi_text, which also has how its text is taken apart and put together.
 */
#ifndef WSI_TRANSFORM_OPTIONS_H
#define WSI_TRANSFORM_OPTIONS_H

#include <stdbool.h>

#include "base/line.h"
#include "wavesift/wavesift.h"

/* How an option of several fields is set from text, and told. */
typedef struct wsi_text {
	ws_option option;       /* first */
	/* WS_E_ARG: the detail says what is needed. */
	ws_status (*set)(const ws_option *option, void *opts, const char *text);
	/* Puts nothing at its default. */
	void (*tell)(const ws_option *option, const void *opts, wsi_line *to);
} wsi_text;

/* Of kind WS_OPTION_RANGE or _LIST. */
typedef struct wsi_list {
	wsi_text text;          /* first */
	size_t list, count;     /* offsets of the pointer to a list that set() makes, and of how
	                           many it has; 0: it makes none */
} wsi_list;

static inline const wsi_list *
wsi_list_of(const ws_option *option)
{
	return (const wsi_list *)option;
}

/* Of an option of kind WS_OPTION_TEXT, _RANGE or _LIST. */
static inline const wsi_text *
wsi_text_of(const ws_option *option)
{
	return (const wsi_text *)option;
}

/* The choice that text[length] names.  WS_E_ARG names them all. */
ws_status wsi_choice_take(const ws_choice **choice, const ws_choice *choices, const char *text,
                          size_t length);
/* The same; or NULL. */
const ws_choice *wsi_choice_of(const ws_choice *choices, const char *text, size_t length);
/* "" where none has the value. */
const char *wsi_choice_name(const ws_choice *choices, int value);

/* The file that an option was read from; or NULL. */
const ws_option_file *wsi_option_file(const ws_option_file *files, const char *option);

/* Takes text apart at each separator, into at most `most` parts; how many there are.  0: one is
 * longer than any number or name, or there are more. */
#define WSI_PART 64
int wsi_take_apart(const char *text, char separator, char (*parts)[WSI_PART], int most);

/* As set and tell of wsi_text: a ws_range, LO:HI[:COUNT][:log|lin]; LO or HI that is left out is 0.
 * option->low: the least LO; option->high: the largest COUNT; option->zero: values an octave where
 * there is no COUNT, and log is told; 0: COUNT and log are left at 0, and only lin is told. */
/* So many values an octave, in a range above 0. */
size_t wsi_range_count(const ws_range *range, double an_octave);
ws_status wsi_range_set(const ws_option *option, void *opts, const char *text);
void wsi_range_tell(const ws_option *option, const void *opts, wsi_line *to);
/* Its spacings. */
extern const ws_choice wsi_spacings[];

/* Likewise: an int, the sum of some of option->choices, NAME[,NAME..]. */
ws_status wsi_names_set(const ws_option *option, void *opts, const char *text);
void wsi_names_tell(const ws_option *option, const void *opts, wsi_line *to);

/* The numbers behind a name, NAME[:P[,P..]], p[most]; how many there are, -1: one is none, or
 * most + 1: more. */
int wsi_take_params(const char *text, double *p, int most);
/* NAME[:P[,P..]], up to the first p that is 0. */
void wsi_params_tell(const ws_choice *choices, int value, const double *p, int n, wsi_line *to);

/* Puts a list into its fields, which has `count` elements; it replaces the one that is there. */
void wsi_list_put(const wsi_list *option, void *opts, void *list, size_t count);
/* As set and tell of wsi_text: numbers above 0, such as 4,8,12.5; of option->high above 0
 * frequencies, which may be by the year. */
ws_status wsi_list_set(const ws_option *option, void *opts, const char *text);
void wsi_list_tell(const ws_option *option, const void *opts, wsi_line *to);

/* The whole text must be a finite number. */
bool wsi_parse_real(const char *text, double *value);
/* The same of a frequency, which may be one for each of another time than a second: "0.09/y", of
 * min, h, d (day) and y (year).  The value is in Hz. */
bool wsi_parse_frequency(const char *text, double *value);
/* A frequency of a signal at such a rate as it may be given, "12 Hz", of slow ones "0.09/y". */
#define WSI_FREQUENCY_TEXT 32
const char *wsi_tell_frequency(double f, double fs, char text[WSI_FREQUENCY_TEXT]);

#endif
