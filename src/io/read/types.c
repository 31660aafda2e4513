/* types.c - what channels measure: words, and places on the head, that tell it. */
#include "io/read/types.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Words and the type they name; the first of a type is its own name. */
static const char *const words[][7] = {
	{ "eeg" }, { "eog", "veog", "heog" }, { "ecg", "ekg", "cardiac" }, { "emg", "chin" },
	{ "seeg", "dbs" }, { "ecog" }, { "meg", "megmag", "meggradaxial", "meggradplanar" },
	{ "resp", "thor", "abdo", "airflow", "respiration" }, { "ppg", "pleth", "spo2", "sao2" },
	{ "gsr", "eda" }, { "temp" }, { "misc" }, { "ref", "refmag" },
	{ "status", "trig", "trigger", "stim", "sti", "event" },
};
#define TYPES (sizeof words / sizeof *words)
#define WORDS (sizeof *words / sizeof **words)

const char *
wsi_type_of_word(const char *word, size_t length)
{
	for (size_t t = 0; t < TYPES; ++t)
		for (size_t w = 0; w < WORDS && words[t][w]; ++w)
			if (strlen(words[t][w]) == length
			    && strncasecmp(words[t][w], word, length) == 0)
				return words[t][0];
	return NULL;
}

bool
wsi_is_type(const char *text)
{
	const char *type = wsi_type_of_word(text, strlen(text));
	return type && strcasecmp(type, text) == 0;
}

bool
wsi_type_is_referenced(const char *type)
{
	return type && (strcmp(type, "eeg") == 0 || strcmp(type, "seeg") == 0
	                || strcmp(type, "ecog") == 0);
}

/* The length of a place at the head of text, "Fp1", "Cz", "AF7", "FCC5h"; 0: there is none. */
static size_t
place_length(const char *text)
{
	static const char *const rows[] = { "Fp", "AFp", "AF", "AFF", "F", "FFT", "FFC", "FT", "FC",
		"FTT", "FCC", "T", "C", "TTP", "CCP", "TP", "CP", "TPP", "CPP", "P", "PPO", "PO",
		"POO", "O", "OI", "I", "N", "A", "M" };
	size_t letters = 0, n;
	while (isalpha((unsigned char)text[letters])
	       && tolower((unsigned char)text[letters]) != 'z')
		++letters;
	bool known = false;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
		known |= strlen(rows[i]) == letters && strncasecmp(rows[i], text, letters) == 0;
	n = letters;
	if (!known)
		return 0;
	if (tolower((unsigned char)text[n]) == 'z')
		return n + 1;
	/* A and M are ears: one on either side. */
	const size_t digits = strspn(text + n, "0123456789");
	if (digits == 0 || digits > 2 || (strchr("aAmM", text[0]) && letters == 1
	                                  && strspn(text + n, "12") != digits))
		return 0;
	n += digits;
	return n + (text[n] == 'h');
}

/* One place, or the difference of two. */
static bool
is_placed(const char *text)
{
	size_t n = place_length(text);
	if (n == 0)
		return false;
	text += n;
	if (*text == '-' || *text == ':')
		text += 1 + (place_length(text + 1) ? place_length(text + 1)
		             : wsi_type_of_word(text + 1, strlen(text + 1)) ? strlen(text + 1)
		             : strncasecmp(text + 1, "LE", 2) == 0 && !text[3] ? 2 : 0);
	/* PhysioNet writes "Fc5.", MATLAB's may end in blanks. */
	return text[strspn(text, ". ")] == '\0';
}

/* Of "EOG horizontal", "EOG1" or "EEG Fpz-Cz" the word, of "POL VEOG" the second. */
const char *
wsi_type_of_text(const char *text)
{
	for (const char *at = text; *at;) {
		size_t n = 0;
		while (isalpha((unsigned char)at[n]))
			++n;
		const char *type = n ? wsi_type_of_word(at, n) : NULL;
		if (type)
			return type;
		at += n + (n == 0);
	}
	return NULL;
}

static const char *
type_of_name(const char *name)
{
	const char *type = wsi_type_of_text(name);
	return type ? type : is_placed(name) ? words[0][0] : NULL;
}

/* BioSemi's "A1" to "H32". */
static bool
is_biosemi(const char *name)
{
	const size_t digits = strspn(name + (*name != '\0'), "0123456789");
	return *name >= 'A' && *name <= 'H' && digits >= 1 && digits <= 2 && !name[1 + digits];
}

void
wsi_recording_find_types(wsi_recording *rec)
{
	const bool bdf = strncmp(rec->format, "BDF", 3) == 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		wsi_channel *c = &rec->channels[i];
		if (!c->type)
			c->type = bdf && is_biosemi(c->name) ? words[0][0] : type_of_name(c->name);
	}
}
