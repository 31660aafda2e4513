/*
 * raw.c - plain binary samples, as the user describes them:
 *     TYPE,channels=N,order=channel|sample[,skip=BYTES][,endian=little|big]
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/layout.h"
#include "io/read/readers.h"

typedef struct raw_state {
	wsi_file file;
	wsi_sample_type type;
	bool big_endian;
	bool by_sample;   /* interleaved */
	bool order_told;
	size_t channels;
	uint64_t skip;
} raw_state;

static const struct {
	const char *name;
	wsi_sample_type type;
} types[] = {
	{ "i8", WSI_I8 },   { "i16", WSI_I16 }, { "i32", WSI_I32 }, { "u8", WSI_U8 },
	{ "u16", WSI_U16 }, { "u32", WSI_U32 }, { "f32", WSI_F32 }, { "f64", WSI_F64 },
};

static bool
parse_count(const char *text, uint64_t least, uint64_t *out)
{
	char *end;
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' && *out >= least && *out <= INT64_MAX;
}

static bool
parse_type(raw_state *s, const char *word)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
		if (strcmp(word, types[i].name) == 0) {
			s->type = types[i].type;
			return true;
		}
	return false;
}

/* One "key=value" of the description. */
static bool
parse_pair(raw_state *s, const char *word)
{
	uint64_t channels;
	if (strncmp(word, "channels=", 9) == 0) {
		if (!parse_count(word + 9, 1, &channels) || channels > SIZE_MAX)
			return false;
		s->channels = (size_t)channels;
		return true;
	}
	if (strncmp(word, "skip=", 5) == 0)
		return parse_count(word + 5, 0, &s->skip);
	if (strcmp(word, "order=channel") == 0 || strcmp(word, "order=sample") == 0) {
		s->order_told = true;
		s->by_sample = word[6] == 's';
		return true;
	}
	if (strcmp(word, "endian=big") == 0 || strcmp(word, "endian=little") == 0) {
		s->big_endian = word[7] == 'b';
		return true;
	}
	return false;
}

static ws_status
parse_description(wsi_recording *rec)
{
	raw_state *s = rec->state;
	/* Words of it appear in messages of one line. */
	char *words = wsi_clean_text(rec->opts.raw, strlen(rec->opts.raw)), *save = NULL;
	WSI_HAVE(words, "%s: no memory", rec->path);
	char *word = strtok_r(words, ",", &save);
	ws_status status = WS_OK;
	if (!word || !parse_type(s, word))
		status = WSI_FAIL(WS_E_ARG, "`raw`: '%s' is no sample type; use i8, i16, i32, "
		                  "u8, u16, u32, f32 or f64, as in f32,channels=32,order=channel",
		                  word ? word : "");
	while (status == WS_OK && (word = strtok_r(NULL, ",", &save)) != NULL)
		if (!parse_pair(s, word))
			status = WSI_FAIL(WS_E_ARG, "`raw`: '%s' is not understood; use "
			                  "channels=N, order=channel or sample, skip=BYTES, "
			                  "endian=little or big", word);
	free(words);
	if (status == WS_OK && s->channels > 1 && !s->order_told)
		status = WSI_FAIL(WS_E_ARG, "`raw`: %zu channels need order=channel (one "
		                  "channel after the other) or order=sample (interleaved)",
		                  s->channels);
	return status;
}

static ws_status
raw_open(wsi_recording *rec)
{
	raw_state *s = rec->state;
	s->file.fd = -1;
	s->channels = 1;
	WSI_TRY(parse_description(rec));
	WSI_TRY(wsi_file_open(&s->file, rec->path, rec->opts.opened));
	if (s->skip >= s->file.bytes)
		return WSI_FAIL(WS_E_FORMAT, "%s: has %" PRIu64 " bytes, of which skip=%" PRIu64
		                " leaves none", rec->path, s->file.bytes, s->skip);
	const uint64_t bytes = s->file.bytes - s->skip;
	size_t frame;
	if (!wsi_mul_size(s->channels, wsi_sample_bytes(s->type), &frame) || bytes % frame != 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: %" PRIu64 " bytes (after skip=%" PRIu64
		                ") are not a whole number of samples of %zu channels x %zu bytes; "
		                "correct `raw`", rec->path, bytes, s->skip, s->channels,
		                wsi_sample_bytes(s->type));
	WSI_TRY(wsi_recording_set_channels(rec, s->channels, (size_t)(bytes / frame)));
	rec->file = &s->file;
	rec->order = s->by_sample && s->channels > 1 ? WSI_ORDER_SAMPLES : WSI_ORDER_CHANNELS;
	return WS_OK;
}

static ws_status
raw_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	(void)epoch;
	const raw_state *s = rec->state;
	const size_t bytes = wsi_sample_bytes(s->type);
	const size_t samples = rec->channels[channel].samples;
	const uint64_t at = s->by_sample ? (uint64_t)first * s->channels + channel
	                                 : (uint64_t)channel * samples + first;
	return wsi_file_read_samples(&s->file, s->skip + at * bytes,
	                             s->by_sample ? bytes * s->channels : bytes, count, s->type,
	                             s->big_endian, out);
}

static ws_status
raw_layout(wsi_recording *rec, wsi_layout *layout)
{
	const raw_state *s = rec->state;
	const size_t bytes = wsi_sample_bytes(s->type);
	layout->path = s->file.path;
	layout->type = s->type;
	layout->big_endian = s->big_endian;
	layout->step = s->by_sample ? bytes * s->channels : bytes;
	for (size_t i = 0; i < rec->n_channels; ++i)
		layout->channels[i].offset = s->skip + (uint64_t)i * bytes
		                             * (s->by_sample ? 1 : rec->channels[i].samples);
	return WS_OK;
}

static void
raw_close(wsi_recording *rec)
{
	raw_state *s = rec->state;
	wsi_file_close(&s->file);
}

/* No probe: nothing shows what a plain file is, the user says so. */
const wsi_reader wsi_reader_raw = {
	.name = "raw", .state_bytes = sizeof(raw_state), .open = raw_open, .read = raw_read,
	.close = raw_close, .layout = raw_layout,
};
