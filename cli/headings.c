/* headings.c - headings and letters of options.  Those of the program stand in options.c. */
#include "headings.h"

#include <stdbool.h>
#include <string.h>

/* The first row counts that has the option's name and is of its transform or family. */
static const struct {
	const char *whose;      /* NULL: any */
	const char *heading;
	const char *names;
} headings[] = {
	{ "memd", "Multivariate", " seed " },
	{ "conv", "Masks",
	  " masks mask-formula mask-expression mask-imaginary mask-constants scales "
	  "mask-rounding seed " },
	{ "conv", "Instrument", " amplitude-error timing-error timing-jitter oversample "
	  "interpolation interpolation-kernel " },
	{ "conv", "Convolution", " flip extent decimate sums accumulators narrow method " },
	{ "cwt", "Wavelet", " reference wavelet norm padding cycles fwhm order set " },
	{ "cwt", "Frequencies", " freqs scales voices " },
	{ "cwt", "Result", " quantity decimate octave-arrays significance level bands averages "
	  "baseline against smooth-time smooth-octaves noise-signals seed clusters " },
	{ "hht", "Hilbert analysis",
	  " frequency-method ends smooth-phase smooth-frequency exclude outlier-ratio " },
	{ "hht", "Spectrum", " freqs modulation-freqs time-bin quantity parts confidence "
	  "noise-signals significance sparse-cells limits averages baseline " },
	{ NULL, "Decomposition", " decomposition reference modes sifts stop-rule max-sifts "
	  "check-every boundary spline " },
	{ NULL, "Ensemble", " realizations pairs noise snr seed noise-file channel-noise " },
	{ NULL, "Multivariate", " directions direction-set noise-channels noise-power standardize "
	  },
};

static const struct {
	const char *name;
	char letter;
} letters[] = { { "freqs", 'f' }, { "wavelet", 'w' }, { "sifts", 's' }, { "realizations", 'n' } };

/* A transform that has it. */
static const ws_transform *
transform_of(const ws_option *o)
{
	const ws_transform *t;
	for (int i = 0; (t = ws_transform_at(i)); i++) {
		const ws_option *its;
		for (int k = 0; (its = ws_transform_option(t, k)); k++)
			if (its == o)
				return t;
	}
	return NULL;
}

/* words: " freqs scales ". */
static bool
has_word(const char *words, const char *word)
{
	const size_t n = strlen(word);
	for (const char *at = words; (at = strstr(at, word)); at += n)
		if (at > words && at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

const char *
cli_option_heading(const ws_option *o)
{
	const cli_own *own = cli_option_own(o);
	if (own)
		return own->heading;
	const ws_transform *t = transform_of(o);
	for (size_t i = 0; i < sizeof headings / sizeof *headings; i++) {
		const char *whose = headings[i].whose;
		if ((!whose || strcmp(whose, t->name) == 0 ||
		     (t->family && strcmp(whose, t->family) == 0)) &&
		    has_word(headings[i].names, o->name))
			return headings[i].heading;
	}
	return t->title;
}

char
cli_option_letter(const ws_option *o)
{
	const cli_own *own = cli_option_own(o);
	if (own)
		return own->letter;
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (strcmp(letters[i].name, o->name) == 0)
			return letters[i].letter;
	return 0;
}
