/*
 * brainvision.c - BrainVision Core Data Format: a header (.vhdr) that names
 * the data file (.eeg) and the marker file (.vmrk).
 *
 * Header and markers are INI files.  Any of the three may be named; the
 * others are looked for in its folder.  Recordings cut into segments of one
 * length become epochs.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/ini.h"
#include "io/readers.h"
#include "io/segments.h"
#include "io/text_time.h"

#define MAX_INI_BYTES (64u << 20)  /* text; real ones have some 10 KB */

typedef struct bv_state {
	char *header_path;
	char *data_path;
	wsi_file data;
	wsi_sample_type type;
	bool big_endian;
	bool vectorized;      /* a channel after the other, not a sample after the other */
	uint64_t points;      /* per channel, all segments */
	double *resolutions;  /* [n_channels] */
	double segment_at;    /* of the marker "New Segment" before */
	bool dated;           /* it tells when that was */
	text_date segment_date;
} bv_state;

/* The bytes of an open file as a text. */
static ws_status
take_bytes(const wsi_file *f, char *text)
{
	const size_t n = (size_t)f->bytes;
	WSI_TRY(wsi_file_read(f, 0, text, n));
	text[n] = '\0';
	if (strlen(text) != n)
		return WSI_FAIL(WS_E_FORMAT, "%s: has a NUL byte at %zu and is no text; save it as "
		                "UTF-8", f->path, strlen(text));
	return WS_OK;
}

/* A whole text file; *text is freed by drop_text(). */
static ws_status
read_text(wsi_recording *rec, const char *path, char **text)
{
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, path, rec->opts.opened));
	ws_status status = WS_OK;
	if (f.bytes > MAX_INI_BYTES)
		status = WSI_FAIL(WS_E_FORMAT, "%s: %" PRIu64 " bytes are too many for a "
		                  "BrainVision header or marker file", path, f.bytes);
	else
		status = wsi_recording_count(rec, f.bytes, "its header or marker file takes");
	if (status == WS_OK && !(*text = malloc((size_t)f.bytes + 1)))
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory for %" PRIu64 " bytes", path, f.bytes);
	if (status == WS_OK)
		status = take_bytes(&f, *text);
	wsi_file_close(&f);
	if (status != WS_OK) {
		free(*text);
		*text = NULL;
	}
	return status;
}

static void
drop_text(wsi_recording *rec, char *text)
{
	rec->held -= text ? strlen(text) : 0;
	free(text);
}

/* ---- Header ------------------------------------------------------------- */

static bool
starts_as(const unsigned char *head, size_t n, const char *kind)
{
	char line[128];
	size_t length = 0;
	/* Writers differ in "Brain Vision" and "BrainVision", and in a BOM. */
	for (size_t i = 0; i < n && length < sizeof line - 1 && head[i] != '\n'; ++i)
		if (head[i] != ' ' && head[i] < 0x80)
			line[length++] = (char)head[i];
	line[length] = '\0';
	return strncasecmp(line, "BrainVisionDataExchange", 23) == 0 &&
	       strncasecmp(line + 23, kind, strlen(kind)) == 0;
}

static int
bv_probe(const unsigned char *head, size_t head_bytes, const char *path)
{
	if (starts_as(head, head_bytes, "HeaderFile") || starts_as(head, head_bytes, "MarkerFile"))
		return 2;
	return wsi_name_ends(path, ".vhdr") || wsi_name_ends(path, ".vmrk") ||
	       wsi_name_ends(path, ".eeg");
}

/* The header's name: the path itself, or its namesake. */
static ws_status
find_header(wsi_recording *rec)
{
	bv_state *s = rec->state;
	const bool beside = wsi_name_ends(rec->path, ".eeg") || wsi_name_ends(rec->path, ".vmrk");
	s->header_path = beside ? wsi_path_with_ext(rec->path, "vhdr") : wsi_strdup(rec->path);
	if (!s->header_path)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	wsi_file f;
	if (beside && wsi_file_open(&f, s->header_path, rec->opts.opened) != WS_OK)
		return WSI_FAIL(WS_E_IO, "%s: its BrainVision header %s cannot be opened; "
		                "name the .vhdr file that belongs to it", rec->path,
		                s->header_path);
	if (beside)
		wsi_file_close(&f);
	return WS_OK;
}

/* The path of the file that the header's key names: *path, or NULL where the
 * key is absent or empty.  Folders in the name are those of the machine that
 * recorded; "$b" is the header's own stem. */
static ws_status
named_file(const bv_state *s, const char *ini, const char *key, char **path)
{
	*path = NULL;
	char *text = ini_text(ini, "Common Infos", key);
	if (!text)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", s->header_path);
	const char *name = text;
	for (const char *p = text; *p != '\0'; ++p)
		if (*p == '/' || *p == '\\')
			name = p + 1;
	if (*name != '\0')
		*path = strncmp(name, "$b.", 3) == 0 ? wsi_path_with_ext(s->header_path, name + 3)
		                                      : wsi_path_beside(s->header_path, name);
	const bool failed = *name != '\0' && !*path;
	free(text);
	return failed ? WSI_FAIL(WS_E_NOMEM, "%s: no memory", s->header_path) : WS_OK;
}

/* One of two words. */
static ws_status
parse_choice(const bv_state *s, const char *ini, const char *section, const char *key,
             const char *const words[], size_t *choice)
{
	char *text = ini_text(ini, section, key);
	if (!text)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", s->header_path);
	ws_status status = WS_OK;
	for (*choice = 0; words[*choice] && strcasecmp(text, words[*choice]) != 0;)
		++*choice;
	if (!words[*choice])
		status = WSI_FAIL(WS_E_FORMAT, "%s: [%s] %s is '%s', which is not supported "
		                  "(%s is, for one)", s->header_path, section, key, text, words[0]);
	free(text);
	return status;
}

/* Samples that do not begin at the file's first byte, or have something between them: headers may
 * say so, those that recorders write do not. */
static ws_status
refuse_offsets(const bv_state *s, const char *ini)
{
	static const char *const none[] = { "0", "", NULL };
	static const char *const keys[] = { "DataOffset", "ChannelOffset", "SegmentHeaderSize",
		                            "TrailerSize" };
	size_t choice;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i)
		WSI_TRY(parse_choice(s, ini, "Binary Infos", keys[i], none, &choice));
	return WS_OK;
}

static ws_status
parse_layout(wsi_recording *rec, const char *ini)
{
	static const char *const formats[] = { "BINARY", NULL };
	static const char *const orders[] = { "MULTIPLEXED", "VECTORIZED", NULL };
	static const char *const byte_orders[] = { "NO", "", "YES", NULL };
	static const char *const domains[] = { "TIMEDOMAIN", "", NULL };
	static const char *const types[] = { "INT_16", "IEEE_FLOAT_32", "INT_32", "UINT_16", NULL };
	static const wsi_sample_type type_of[] = { WSI_I16, WSI_F32, WSI_I32, WSI_U16 };
	bv_state *s = rec->state;
	size_t choice;
	WSI_TRY(parse_choice(s, ini, "Common Infos", "DataFormat", formats, &choice));
	WSI_TRY(parse_choice(s, ini, "Common Infos", "DataOrientation", orders, &choice));
	s->vectorized = choice == 1;
	WSI_TRY(parse_choice(s, ini, "Binary Infos", "BinaryFormat", types, &choice));
	s->type = type_of[choice];
	WSI_TRY(parse_choice(s, ini, "Binary Infos", "UseBigEndianOrder", byte_orders, &choice));
	s->big_endian = choice == 2;
	WSI_TRY(parse_choice(s, ini, "Common Infos", "DataType", domains, &choice));
	return refuse_offsets(s, ini);
}

/* "Ch3=Fz,,0.1,uV": name, reference, resolution, unit. */
static ws_status
parse_channel(wsi_recording *rec, const ini_entry *e, size_t i)
{
	bv_state *s = rec->state;
	char *name = ini_field(e, 0), *resolution = ini_field(e, 2), *unit = ini_field(e, 3);
	ws_status status = WS_OK;
	if (!name || !resolution || !unit)
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory", s->header_path);
	if (status == WS_OK && *name != '\0')
		status = wsi_channel_set_name(&rec->channels[i], name);
	if (status == WS_OK)
		status = wsi_channel_set_unit(&rec->channels[i], *unit != '\0' ? unit : "µV");
	if (status == WS_OK) {
		s->resolutions[i] = *resolution != '\0' ? ini_to_number(resolution) : 1;
		if (isnan(s->resolutions[i]))
			status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the resolution '%s' is "
			                  "not a number", s->header_path, e->line, resolution);
	}
	free(name);
	free(resolution);
	free(unit);
	return status;
}

static ws_status
parse_channels(wsi_recording *rec, const char *ini)
{
	bv_state *s = rec->state;
	const double claimed = ini_number(ini, "Common Infos", "NumberOfChannels");
	/* A channel's line has at least the bytes of "Ch1=". */
	if (!(claimed >= 1 && claimed <= (double)strlen(ini) / 4 && claimed == floor(claimed)))
		return WSI_FAIL(WS_E_FORMAT, "%s: NumberOfChannels is not the number of "
		                "channels the header describes", s->header_path);
	const size_t n = (size_t)claimed;
	WSI_TRY(wsi_recording_set_channels(rec, n));
	s->resolutions = malloc(n * sizeof *s->resolutions);
	if (!s->resolutions)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu channels", s->header_path, n);
	for (size_t i = 0; i < n; ++i)
		s->resolutions[i] = NAN;
	ini_entry e = { .rest = ini };
	while (ini_next(&e)) {
		const size_t number = ini_key_number(&e, "Ch");
		if (number == 0 || !ini_in_section(&e, "Channel Infos"))
			continue;
		if (number > n)
			return WSI_FAIL(WS_E_FORMAT, "%s: line %zu: channel %zu is more than the "
			                "%zu of NumberOfChannels; correct one of them",
			                s->header_path, e.line, number, n);
		WSI_TRY(parse_channel(rec, &e, number - 1));
	}
	for (size_t i = 0; i < n; ++i)
		if (isnan(s->resolutions[i]))
			return WSI_FAIL(WS_E_FORMAT, "%s: [Channel Infos] has no entry Ch%zu, so "
			                "its scale is unknown", s->header_path, i + 1);
	return WS_OK;
}

/* Headers need not tell the number of points; where they do not, only a row that
 * is not whole gives a file away that was cut short. */
static ws_status
note_missing(wsi_recording *rec, const char *ini, size_t frame)
{
	const bv_state *s = rec->state;
	const double claimed = ini_number(ini, "Common Infos", "DataPoints");
	if (claimed > (double)s->points)
		return wsi_recording_add_note(rec, "%s: the header promises %.0f "
		                              "points, %s holds %" PRIu64 ": it was cut short; "
		                              "what is there is read", s->header_path, claimed,
		                              s->data_path, s->points);
	if (s->data.bytes % frame != 0)
		return wsi_recording_add_note(rec, "%s: ends within point %" PRIu64
		                              ": it was cut short; what is there is read",
		                              s->data_path, s->points + 1);
	return WS_OK;
}

/* Finds the data and from their size the number of points. */
static ws_status
open_data(wsi_recording *rec, const char *ini)
{
	bv_state *s = rec->state;
	WSI_TRY(named_file(s, ini, "DataFile", &s->data_path));
	if (!s->data_path)
		return WSI_FAIL(WS_E_FORMAT, "%s: [Common Infos] names no DataFile",
		                s->header_path);
	if (wsi_file_open(&s->data, s->data_path, rec->opts.opened) != WS_OK)
		return WSI_FAIL(WS_E_IO, "%s: its data file %s cannot be opened; put it there or "
		                "correct DataFile= in the header", s->header_path, s->data_path);
	const size_t frame = rec->n_channels * wsi_sample_bytes(s->type);
	s->points = s->data.bytes / frame;
	if (s->points == 0 || (s->vectorized && s->data.bytes % frame != 0))
		return WSI_FAIL(WS_E_FORMAT, "%s: its %" PRIu64 " bytes are not whole rows of %zu "
		                "channels; the file is cut off", s->data_path, s->data.bytes,
		                rec->n_channels);
	return note_missing(rec, ini, frame);
}

static ws_status
parse_time(wsi_recording *rec, const char *ini)
{
	bv_state *s = rec->state;
	const double interval = ini_number(ini, "Common Infos", "SamplingInterval");
	if (!(interval > 0))
		return WSI_FAIL(WS_E_FORMAT, "%s: SamplingInterval is not a number of "
		                "microseconds above 0", s->header_path);
	const double segment = ini_number(ini, "Common Infos", "SegmentDataPoints");
	uint64_t points = s->points;
	if (segment >= 1 && segment < (double)s->points) {
		points = (uint64_t)segment;
		if ((double)points != segment || s->points % points != 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: SegmentDataPoints=%g does not "
			                "divide the %" PRIu64 " points of %s", s->header_path,
			                segment, s->points, s->data_path);
		rec->epochs = (size_t)(s->points / points);
	}
	for (size_t i = 0; i < rec->n_channels; ++i) {
		rec->channels[i].fs = 1e6 / interval;
		rec->channels[i].samples = (size_t)points;
	}
	rec->file = &s->data;
	rec->order = !s->vectorized ? WSI_ORDER_SAMPLES : rec->epochs ? WSI_ORDER_OTHER
	             : WSI_ORDER_CHANNELS;
	rec->fs_known = true;
	return WS_OK;
}

/* ---- Markers ------------------------------------------------------------ */

/* "20131113161403794232" to "2013-11-13T16:14:03.794232"; false where it is no date. */
static bool
format_date(const char *digits, char iso[32])
{
	if (strlen(digits) != 20 || strspn(digits, "0123456789") != 20 ||
	    strspn(digits, "0") >= 8)
		return false;
	snprintf(iso, 32, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2s.%.6s", digits, digits + 4, digits + 6,
	         digits + 8, digits + 10, digits + 12, digits + 14);
	/* Whole seconds without ".000000". */
	if (strcmp(digits + 14, "000000") == 0)
		iso[19] = '\0';
	return true;
}

/* A marker "New Segment" at a moment counted by samples: the recording began, or went on after a
 * pause, whose length the dates of both tell. */
static ws_status
begin_segment(wsi_recording *rec, double at, const char *digits)
{
	bv_state *s = rec->state;
	char iso[32];
	text_date date;
	double pause = NAN;
	const bool dated = format_date(digits, iso) && text_parse_date(iso, false, &date);
	if (dated && rec->start_time[0] == '\0')
		strcpy(rec->start_time, iso);
	if (dated && s->dated && at > s->segment_at)
		pause = (double)(date.seconds - s->segment_date.seconds)
		        + (date.fraction - s->segment_date.fraction) - (at - s->segment_at);
	s->dated = dated;
	if (dated)
		s->segment_date = date;
	s->segment_at = at;
	return wsi_recording_add_segment(rec, at, NAN, pause);
}

/* "Mk2=Stimulus,S253,487,0,0": type, description, position from 1, size. */
static ws_status
add_marker(wsi_recording *rec, const char *path, const ini_entry *e)
{
	char *type = ini_field(e, 0), *what = ini_field(e, 1), *position = ini_field(e, 2);
	char *size = ini_field(e, 3), *date = ini_field(e, 5);
	char *label = type && what ? malloc(strlen(type) + strlen(what) + 2) : NULL;
	ws_status status = WS_OK;
	if (!label || !position || !size || !date) {
		status = WSI_FAIL(WS_E_NOMEM, "%s: no memory", path);
	} else {
		const double at = ini_to_number(position), points = ini_to_number(size);
		const double fs = rec->channels[0].fs;
		sprintf(label, *what != '\0' ? "%s/%s" : "%s", type, what);
		if (isnan(at))
			status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu: the position '%s' is "
			                  "not a number", path, e->line, position);
		else
			status = wsi_recording_add_event(rec, (at - 1) / fs,
			                                 points > 0 ? points / fs : 0, label);
		if (status == WS_OK && strcmp(type, "New Segment") == 0)
			status = begin_segment(rec, (at - 1) / fs, date);
	}
	free(type);
	free(what);
	free(position);
	free(size);
	free(date);
	free(label);
	return status;
}

static ws_status
parse_markers(wsi_recording *rec, const char *path, const char *ini)
{
	ini_entry e = { .rest = ini };
	while (ini_next(&e))
		if (ini_key_number(&e, "Mk") > 0 && ini_in_section(&e, "Marker Infos"))
			WSI_TRY(add_marker(rec, path, &e));
	return WS_OK;
}

static ws_status
read_markers(wsi_recording *rec, const char *ini)
{
	bv_state *s = rec->state;
	char *path, *text = NULL;
	WSI_TRY(named_file(s, ini, "MarkerFile", &path));
	if (!path)
		return WS_OK;
	ws_status status = read_text(rec, path, &text);
	if (status == WS_E_IO)
		status = WSI_FAIL(WS_E_IO, "%s: its marker file %s cannot be read; put it "
		                  "there or remove MarkerFile= from the header", s->header_path,
		                  path);
	if (status == WS_OK)
		status = parse_markers(rec, path, text);
	drop_text(rec, text);
	free(path);
	return status;
}

/* ---- Reader ------------------------------------------------------------- */

static ws_status
parse_header(wsi_recording *rec, const char *ini)
{
	WSI_TRY(parse_layout(rec, ini));
	WSI_TRY(parse_channels(rec, ini));
	WSI_TRY(open_data(rec, ini));
	WSI_TRY(parse_time(rec, ini));
	return read_markers(rec, ini);
}

static ws_status
bv_open(wsi_recording *rec)
{
	bv_state *s = rec->state = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	s->data.fd = -1;
	WSI_TRY(find_header(rec));
	char *ini = NULL;
	ws_status status = read_text(rec, s->header_path, &ini);
	if (status == WS_OK)
		status = parse_header(rec, ini);
	drop_text(rec, ini);
	return status;
}

static ws_status
bv_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	const bv_state *s = rec->state;
	const size_t bytes = wsi_sample_bytes(s->type);
	const uint64_t point = (uint64_t)epoch * rec->channels[channel].samples + first;
	const uint64_t sample = s->vectorized ? channel * s->points + point
	                                      : point * rec->n_channels + channel;
	WSI_TRY(wsi_file_read_samples(&s->data, sample * bytes,
	                              s->vectorized ? bytes : bytes * rec->n_channels, count,
	                              s->type, s->big_endian, out));
	for (size_t i = 0; i < count; ++i)
		out[i] *= s->resolutions[channel];
	return WS_OK;
}

static void
bv_close(wsi_recording *rec)
{
	bv_state *s = rec->state;
	if (!s)
		return;
	wsi_file_close(&s->data);
	free(s->header_path);
	free(s->data_path);
	free(s->resolutions);
	free(s);
	rec->state = NULL;
}

const wsi_reader wsi_reader_brainvision = {
	.name = "BrainVision", .probe = bv_probe, .open = bv_open, .read = bv_read,
	.close = bv_close,
};
