/*
 * brainvision.c - BrainVision Core Data Format: a header (.vhdr) that names
 * the data file (.eeg) and the marker file (.vmrk).
 *
 * Header and markers are INI files.  Any of the three may be named; the
 * others are looked for in its folder, by the names that the header has, or
 * where these are gone by its own.  Recordings cut into segments of one
 * length become epochs.
 *
 * A header .ahdr (with .avg, .amrk) may have one channel more in its data
 * than it counts: the sizes tell.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/read/brainvision.h"
#include "io/read/ini.h"
#include "io/read/layout.h"
#include "io/read/segments.h"

#define MAX_INI_BYTES (64u << 20)  /* text; real ones have some 10 KB */

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
	       wsi_name_ends(path, ".eeg") || wsi_name_ends(path, ".ahdr") ||
	       wsi_name_ends(path, ".amrk") || wsi_name_ends(path, ".avg");
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
	double claimed = NAN;
	bool there;
	WSI_TRY(ini_number(s->header_path, ini, "Common Infos", "NumberOfChannels", &claimed,
	                   &there));
	/* A channel's line has at least the bytes of "Ch1=". */
	if (!(claimed >= 1 && claimed <= (double)strlen(ini) / 4 && claimed == floor(claimed)))
		return WSI_FAIL(WS_E_FORMAT, "%s: NumberOfChannels is not the number of "
		                "channels the header describes", s->header_path);
	const size_t n = (size_t)claimed;
	WSI_TRY(wsi_recording_set_channels(rec, n, 0));
	WSI_NEW(s->resolutions, n, "%s: no memory for %zu channels", s->header_path, n);
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

/* Points of a segment; 0: it is one recording, whatever SegmentDataPoints says. */
static ws_status
segment_points(const bv_state *s, const char *ini, double *points)
{
	char *type = ini_text(ini, "Common Infos", "SegmentationType");
	WSI_HAVE(type, "%s: no memory", s->header_path);
	const bool whole = strcasecmp(type, "NOTSEGMENTED") == 0;
	free(type);
	*points = 0;
	return whole ? WS_OK : bv_points(s, ini, "SegmentDataPoints", points);
}

static ws_status
parse_time(wsi_recording *rec, const char *ini)
{
	bv_state *s = rec->state;
	double interval = NAN;
	bool there;
	WSI_TRY(ini_number(s->header_path, ini, "Common Infos", "SamplingInterval", &interval,
	                   &there));
	if (!(interval > 0))
		return WSI_FAIL(WS_E_FORMAT, "%s: SamplingInterval is not a number of "
		                "microseconds above 0", s->header_path);
	double segment = 0;
	WSI_TRY(segment_points(s, ini, &segment));
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
	rec->fs_known = true;
	/* Text has been read. */
	if (s->is_text)
		return WS_OK;
	rec->file = &s->data;
	rec->order = !s->vectorized ? WSI_ORDER_SAMPLES : rec->epochs ? WSI_ORDER_OTHER
	             : WSI_ORDER_CHANNELS;
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

/* A line that is no marker costs itself. */
static void
count_bad(bv_state *s, const ini_entry *e)
{
	if (s->bad_markers++ == 0)
		s->bad_line = e->line;
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
		const bool good = !isnan(at) && (*size == '\0' || !isnan(points));
		if (!good)
			count_bad(rec->state, e);
		else
			status = wsi_recording_add_event(rec, (at - 1) / fs,
			                                 points > 0 ? points / fs : 0, label);
		if (status == WS_OK && good && strcmp(type, "New Segment") == 0)
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
	bv_state *s = rec->state;
	ini_entry e = { .rest = ini };
	while (ini_next(&e)) {
		if (!ini_in_section(&e, "Marker Infos"))
			continue;
		if (ini_key_number(&e, "Mk") > 0)
			WSI_TRY(add_marker(rec, path, &e));
		else
			count_bad(s, &e);
	}
	return s->bad_markers == 0 ? WS_OK
	       : wsi_recording_add_note(rec, "%s: %zu line%s, the first of them line %zu, cannot "
	                                "be read as marker%s: %s left out", path, s->bad_markers,
	                                s->bad_markers == 1 ? "" : "s", s->bad_line,
	                                s->bad_markers == 1 ? "" : "s",
	                                s->bad_markers == 1 ? "it is" : "they are");
}

static ws_status
read_markers(wsi_recording *rec, const char *ini)
{
	bv_state *s = rec->state;
	char *path, *text = NULL;
	WSI_TRY(bv_named_file(s, ini, "MarkerFile", &path));
	if (!path)
		return WS_OK;
	static const char *const endings[] = { "vmrk", "amrk", NULL };
	ws_status status = bv_find_renamed(rec, "marker file", endings, &path);
	if (status == WS_OK)
		status = read_text(rec, path, &text);
	if (status == WS_E_IO)
		status = WSI_FAIL(WS_E_IO, "%s: its marker file %s cannot be read; put it "
		                  "there or remove MarkerFile= from the header", s->header_path,
		                  path);
	if (status == WS_OK)
		status = parse_markers(rec, path, text);
	drop_text(rec, text);
	s->marker_path = path;
	return status;
}

/* ---- Reader ------------------------------------------------------------- */

static ws_status
parse_header(wsi_recording *rec, const char *ini)
{
	WSI_TRY(bv_parse_layout(rec, ini));
	WSI_TRY(parse_channels(rec, ini));
	WSI_TRY(bv_open_data(rec, ini));
	WSI_TRY(parse_time(rec, ini));
	return read_markers(rec, ini);
}

static ws_status
bv_open(wsi_recording *rec)
{
	bv_state *s = rec->state;
	s->data.fd = -1;
	WSI_TRY(bv_find_header(rec));
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
	const uint64_t sample = s->vectorized || s->is_text ? channel * s->points + point
	                                                    : point * s->columns + channel;
	if (s->is_text)
		memcpy(out, s->values + sample, count * sizeof *out);
	else
		WSI_TRY(wsi_file_read_samples(&s->data, sample * bytes,
		                              s->vectorized ? bytes : bytes * s->columns, count,
		                              s->type, s->big_endian, out));
	for (size_t i = 0; i < count; ++i)
		out[i] *= s->resolutions[channel];
	return WS_OK;
}

static ws_status
bv_layout(wsi_recording *rec, wsi_layout *layout)
{
	const bv_state *s = rec->state;
	const size_t bytes = wsi_sample_bytes(s->type);
	if (s->is_text)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: its samples are text (DataFormat=ASCII), in "
		                "which none can be replaced; export it as binary", s->header_path);
	layout->path = s->data_path;
	layout->type = s->type;
	layout->big_endian = s->big_endian;
	layout->step = s->vectorized ? bytes : bytes * s->columns;
	layout->epoch_bytes = (uint64_t)rec->channels[0].samples * layout->step;
	for (size_t i = 0; i < rec->n_channels; ++i)
		layout->channels[i] = (wsi_laid){ .gain = s->resolutions[i],
			.offset = i * bytes * (s->vectorized ? s->points : 1) };
	return WS_OK;
}

static void
bv_close(wsi_recording *rec)
{
	bv_state *s = rec->state;
	wsi_file_close(&s->data);
	free(s->header_path);
	free(s->data_path);
	free(s->marker_path);
	free(s->resolutions);
	free(s->values);
}

const wsi_reader wsi_reader_brainvision = {
	.name = "BrainVision", .state_bytes = sizeof(bv_state), .probe = bv_probe, .open = bv_open,
	.read = bv_read, .close = bv_close, .layout = bv_layout,
};
