/* brainvision_data.c - how the samples of a BrainVision recording are stored, and how many there
 * are. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "io/read/brainvision.h"
#include "io/read/ini.h"

/* One of two words. */
static ws_status
parse_choice(const bv_state *s, const char *ini, const char *section, const char *key,
             const char *const words[], size_t *choice)
{
	char *text = ini_text(ini, section, key);
	WSI_HAVE(text, "%s: no memory", s->header_path);
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

/* Lines or columns to skip; a key that is not there is 0. */
static ws_status
parse_skip(const bv_state *s, const char *ini, const char *key, size_t *skip)
{
	char *text = ini_text(ini, "ASCII Infos", key);
	WSI_HAVE(text, "%s: no memory", s->header_path);
	const double n = *text ? ini_to_number(text) : 0;
	ws_status status = WS_OK;
	if (!(n >= 0 && n <= 1e9 && n == floor(n)))
		status = WSI_FAIL(WS_E_FORMAT, "%s: [ASCII Infos] %s is '%s', not a number of "
		                  "them", s->header_path, key, text);
	*skip = status == WS_OK ? (size_t)n : 0;
	free(text);
	return status;
}

static ws_status
parse_ascii(bv_state *s, const char *ini)
{
	static const char *const symbols[] = { ".", "", ",", NULL };
	size_t choice;
	WSI_TRY(parse_choice(s, ini, "ASCII Infos", "DecimalSymbol", symbols, &choice));
	s->ascii.comma = choice == 2;
	s->ascii.vectorized = s->vectorized;
	WSI_TRY(parse_skip(s, ini, "SkipLines", &s->ascii.skip_lines));
	return parse_skip(s, ini, "SkipColumns", &s->ascii.skip_columns);
}

ws_status
bv_parse_layout(wsi_recording *rec, const char *ini)
{
	static const char *const formats[] = { "BINARY", "ASCII", NULL };
	static const char *const orders[] = { "MULTIPLEXED", "VECTORIZED", NULL };
	static const char *const byte_orders[] = { "NO", "", "YES", NULL };
	static const char *const domains[] = { "TIMEDOMAIN", "", NULL };
	static const char *const types[] = { "INT_16", "IEEE_FLOAT_32", "INT_32", "UINT_16", NULL };
	static const wsi_sample_type type_of[] = { WSI_I16, WSI_F32, WSI_I32, WSI_U16 };
	bv_state *s = rec->state;
	size_t choice;
	WSI_TRY(parse_choice(s, ini, "Common Infos", "DataFormat", formats, &choice));
	s->is_text = choice == 1;
	WSI_TRY(parse_choice(s, ini, "Common Infos", "DataOrientation", orders, &choice));
	s->vectorized = choice == 1;
	WSI_TRY(parse_choice(s, ini, "Common Infos", "DataType", domains, &choice));
	if (s->is_text)
		return parse_ascii(s, ini);
	WSI_TRY(parse_choice(s, ini, "Binary Infos", "BinaryFormat", types, &choice));
	s->type = type_of[choice];
	WSI_TRY(parse_choice(s, ini, "Binary Infos", "UseBigEndianOrder", byte_orders, &choice));
	s->big_endian = choice == 2;
	return refuse_offsets(s, ini);
}

ws_status
bv_points(const bv_state *s, const char *ini, const char *key, double *points)
{
	bool there;
	*points = 0;
	WSI_TRY(ini_number(s->header_path, ini, "Common Infos", key, points, &there));
	if (*points >= 0 && *points == floor(*points))
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: [Common Infos] %s is %g, not a number of points; correct "
	                "or remove the line", s->header_path, key, *points);
}

/* Headers need not tell the number of points; where they do not, only a row that
 * is not whole gives a file away that was cut short. */
static ws_status
note_missing(wsi_recording *rec, double claimed, size_t frame)
{
	const bv_state *s = rec->state;
	const char *what = claimed > (double)s->points ? "promises" : "tells of";
	if (claimed >= 1 && claimed != (double)s->points) {
		/* Where each channel begins hangs on it. */
		if (s->vectorized && !s->is_text)
			return WSI_FAIL(WS_E_FORMAT, "%s: the header %s %.0f points, %s holds %"
			                PRIu64
			                ", channel after channel: where each begins is not known",
			                s->header_path, what, claimed, s->data_path, s->points);
		return wsi_recording_add_note(rec, "%s: the header %s %.0f points, %s holds %"
		                              PRIu64
		                              ": %s", s->header_path, what, claimed, s->data_path,
		                              s->points, claimed > (double)s->points
		                              ? "it was cut short; what is there is read"
		                              : "all that are whole are read");
	}
	if (frame && s->data.bytes % frame != 0)
		return wsi_recording_add_note(rec, "%s: ends within point %" PRIu64
		                              ": it was cut short; what is there is read",
		                              s->data_path, s->points + 1);
	return WS_OK;
}

/* Channels of the data: those of the header, of an .ahdr perhaps one more. */
static ws_status
count_columns(wsi_recording *rec, double claimed)
{
	bv_state *s = rec->state;
	const size_t bytes = wsi_sample_bytes(s->type), n = rec->n_channels;
	s->columns = n;
	if (!wsi_name_ends(s->header_path, ".ahdr"))
		return WS_OK;
	const double file = (double)s->data.bytes;
	bool same = s->data.bytes % (n * bytes) == 0;
	bool more = s->data.bytes % ((n + 1) * bytes) == 0;
	if (same && more && claimed >= 1) {
		same = file == claimed * (double)(n * bytes);
		more = file == claimed * (double)((n + 1) * bytes);
	}
	if (same == more)
		return WSI_FAIL(WS_E_FORMAT, "%s: %s has %" PRIu64 " bytes, by which it may have "
		                "%zu channels or one more, as some of these do; add DataPoints= to "
		                "[Common Infos]", s->header_path, s->data_path, s->data.bytes, n);
	s->columns = n + more;
	return WS_OK;
}

static ws_status
read_ascii(wsi_recording *rec, double claimed)
{
	bv_state *s = rec->state;
	const size_t held = rec->held;
	ws_status status = bv_ascii_read(rec, &s->data, &s->ascii, rec->n_channels, &s->values,
	                                 &s->points);
	if (status == WS_E_FORMAT && wsi_name_ends(s->header_path, ".ahdr")) {
		rec->held = held;
		status = bv_ascii_read(rec, &s->data, &s->ascii, rec->n_channels + 1, &s->values,
		                       &s->points);
	}
	WSI_TRY(status);
	return note_missing(rec, claimed, 0);
}

ws_status
bv_open_data(wsi_recording *rec, const char *ini)
{
	static const char *const endings[] = { "eeg", "dat", "avg", NULL };
	bv_state *s = rec->state;
	double claimed;
	WSI_TRY(bv_points(s, ini, "DataPoints", &claimed));
	WSI_TRY(bv_named_file(s, ini, "DataFile", &s->data_path));
	if (!s->data_path)
		return WSI_FAIL(WS_E_FORMAT, "%s: [Common Infos] names no DataFile",
		                s->header_path);
	WSI_TRY(bv_find_renamed(rec, "data file", endings, &s->data_path));
	if (wsi_file_open(&s->data, s->data_path, rec->opts.opened) != WS_OK)
		return WSI_FAIL(WS_E_IO, "%s: its data file %s cannot be opened; put it there or "
		                "correct DataFile= in the header", s->header_path, s->data_path);
	if (s->is_text)
		return read_ascii(rec, claimed);
	WSI_TRY(count_columns(rec, claimed));
	const size_t frame = s->columns * wsi_sample_bytes(s->type);
	s->points = s->data.bytes / frame;
	if (s->points == 0 || (s->vectorized && s->data.bytes % frame != 0))
		return WSI_FAIL(WS_E_FORMAT, "%s: its %" PRIu64 " bytes are not whole rows of %zu "
		                "channels; the file is cut off", s->data_path, s->data.bytes,
		                s->columns);
	if (s->vectorized && !(claimed > 0))
		WSI_TRY(wsi_recording_add_note(rec, "%s: has no DataPoints, and one channel after "
		                               "the other: if %s was cut off, all channels but the "
		                               "first are shifted", s->header_path, s->data_path));
	return note_missing(rec, claimed, frame);
}
