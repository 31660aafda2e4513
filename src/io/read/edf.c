/*
 * edf.c - EDF, EDF+, BDF and BDF+ (European Data Format, www.edfplus.info;
 * BioSemi's 24 bit variant).
 *
 * A header of 256 bytes, then 256 per signal (field by field, each for all
 * signals), then data records of the same layout.  Recorders often fill fields
 * with blanks or garbage and crash before they write the record count.  What is
 * needed to find samples is strict here, the rest is tolerant: no scale leaves
 * digital values without a unit, one that is no number refuses its channel where
 * that is selected, an unreadable duration leaves the rate unknown, and a last
 * record that is cut off is left out.  Records that the header promises but the
 * file lacks, or has beyond those, and another version than "0" are told in notes.
 */
#include "io/read/edf.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/read/layout.h"
#include "io/read/number.h"
#include "io/read/types.h"

#define HEAD 256  /* bytes of the fixed part, and of each signal's part */

/* Where the fields of all n signals start, as a multiple of n. */
enum {
	LABEL_AT = 0, TRANSDUCER_AT = 16, UNIT_AT = 96,
	PHYS_MIN_AT = 104, PHYS_MAX_AT = 112, DIG_MIN_AT = 120,
	DIG_MAX_AT = 128, PREFILTER_AT = 136, PER_RECORD_AT = 216
};

/* A field of up to 80 bytes as a string without blanks around it. */
static void
get_field(const char *at, size_t n, char out[81])
{
	while (n > 0 && (at[0] == ' ' || at[0] == '\0'))
		++at, --n;
	size_t length = 0;
	while (length < n && at[length] != '\0')
		++length;
	while (length > 0 && at[length - 1] == ' ')
		--length;
	memcpy(out, at, length);
	out[length] = '\0';
}

/* The number in a field of 8 bytes, NaN if it is none.  Some recorders write
 * decimal commas. */
static double
get_number(const char *at)
{
	char s[81], *end;
	get_field(at, 8, s);
	char *comma = strchr(s, ',');
	if (comma)
		*comma = '.';
	const double value = wsi_decimal(s, &end);
	return *end == '\0' && isfinite(value) ? value : NAN;
}

/* The whole number in a field of n <= 8 bytes, INT64_MIN if it is none. */
static int64_t
get_integer(const char *at, size_t n)
{
	char s[81], *end;
	get_field(at, n, s);
	const long long value = strtoll(s, &end, 10);
	return s[0] != '\0' && *end == '\0' ? value : INT64_MIN;
}

/* Does the header count as many bytes as its signals need? */
static bool
counts_its_bytes(const char head[HEAD])
{
	const int64_t n = get_integer(head + 252, 4);
	return n > 0 && get_integer(head + 184, 8) == HEAD + HEAD * n;
}

static int
edf_probe(const unsigned char *head, size_t head_bytes, const char *path)
{
	if (head_bytes >= 8 && memcmp(head, "\377BIOSEMI", 8) == 0)
		return 2;
	/* "0" alone is little to go by; a date or a signal count tells more. */
	if (head_bytes >= HEAD && memcmp(head, "0       ", 8) == 0 &&
	    ((head[170] == '.' && head[173] == '.') ||
	     get_integer((const char *)head + 252, 4) > 0))
		return 2;
	if (head_bytes >= HEAD && counts_its_bytes((const char *)head))
		return 2;
	if (!wsi_name_ends(path, ".edf") && !wsi_name_ends(path, ".bdf")
	    && !wsi_name_ends(path, ".rec"))
		return 0;
	/* What is left of a header may look like a table of one number. */
	return memcmp(head, "0       ", head_bytes < 8 ? head_bytes : 8) == 0 ? 2 : 1;
}

static ws_status
refuse_version(const wsi_recording *rec)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: neither EDF nor BDF: byte 0 starts neither \"0\" and "
	                "blanks nor \"BIOSEMI\", and the sizes that its header tells are not "
	                "the file's; rename it if it is something else", rec->path);
}

/* EDF or BDF?  By the version, or where that is another one, by the variant and the name. */
static ws_status
find_type(wsi_recording *rec, const char head[HEAD])
{
	edf_state *s = rec->state;
	const char *variant = head + 192;
	const bool edf = memcmp(head, "0       ", 8) == 0;
	const bool biosemi = memcmp(head, "\377BIOSEMI", 8) == 0;
	s->other_version = !edf && !biosemi;
	if (s->other_version && !counts_its_bytes(head))
		return refuse_version(rec);
	const bool wide = memcmp(variant, "24BIT", 5) == 0 || memcmp(variant, "BDF+", 4) == 0
	                  || wsi_name_ends(rec->path, ".bdf");
	s->type = biosemi || (s->other_version && wide) ? WSI_I24 : WSI_I16;
	s->contradicts = biosemi ? memcmp(variant, "EDF+", 4) == 0 : edf && wide;
	return WS_OK;
}

/* The fixed part of the header; *n_signals from it, *claimed the number of
 * records it claims. */
static ws_status
parse_fixed(wsi_recording *rec, const char head[HEAD], size_t *n_signals, int64_t *claimed)
{
	edf_state *s = rec->state;
	WSI_TRY(find_type(rec, head));
	const char *variant = head + 192;
	s->plus = memcmp(variant, "EDF+", 4) == 0 || memcmp(variant, "BDF+", 4) == 0;
	s->discontinuous = s->plus && variant[4] == 'D';
	rec->format = s->type == WSI_I16 ? s->plus ? "EDF+" : "EDF" : s->plus ? "BDF+" : "BDF";

	const int64_t n = get_integer(head + 252, 4);
	if (n < 1)
		return WSI_FAIL(WS_E_FORMAT, "%s: the header's number of signals (byte 252) is not "
		                "above 0; the file is damaged", rec->path);
	*n_signals = (size_t)n;
	s->data_offset = HEAD + HEAD * (uint64_t)n;
	if (s->data_offset > s->file.bytes)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated in the header: %" PRId64
		                " signals need %" PRIu64 " bytes, the file has %" PRIu64, rec->path,
		                n, s->data_offset, s->file.bytes);
	const int64_t header_bytes = get_integer(head + 184, 8);
	if (header_bytes != INT64_MIN && header_bytes != (int64_t)s->data_offset)
		return WSI_FAIL(WS_E_FORMAT, "%s: the header says it has %" PRId64
		                " bytes, its %" PRId64 " signals need %" PRIu64
		                "; the file is damaged", rec->path, header_bytes, n,
		                s->data_offset);
	*claimed = get_integer(head + 236, 8);
	const double seconds = get_number(head + 244);
	s->record_seconds = seconds > 0 ? seconds : 0;
	return WS_OK;
}

/* Digital to physical values.  A number of the four that is none is the channel's fault; where
 * there are none, or they are no scale, values stay digital and have no unit. */
static ws_status
set_scale(wsi_recording *rec, const char *fields, size_t i)
{
	static const struct {
		size_t at;
		const char *name;
	} parts[] = { { PHYS_MIN_AT, "physical minimum" }, { PHYS_MAX_AT, "physical maximum" },
		      { DIG_MIN_AT, "digital minimum" }, { DIG_MAX_AT, "digital maximum" } };
	edf_state *s = rec->state;
	wsi_channel *channel = &rec->channels[i];
	double v[4];
	char text[4][81];
	bool told = false;
	for (size_t k = 0; k < 4; ++k) {
		const char *at = fields + parts[k].at * rec->n_channels + 8 * i;
		v[k] = get_number(at);
		get_field(at, 8, text[k]);
		told |= text[k][0] != '\0';
	}
	for (size_t k = 0; k < 4 && told; ++k)
		if (isnan(v[k]))
			return wsi_channel_set_fault(channel, "its %s in the header, '%s', is no "
			                             "number", parts[k].name, text[k]);
	const double gain = (v[1] - v[0]) / (v[3] - v[2]), shift = v[0] - gain * v[2];
	const bool usable = isfinite(gain) && isfinite(shift) && gain != 0;
	s->signals[i].gain = usable ? gain : 1;
	s->signals[i].shift = usable ? shift : 0;
	s->signals[i].low = usable ? v[2] : 0;
	s->signals[i].high = usable ? v[3] : 0;
	if (!usable)
		channel->unit[0] = '\0';
	if (!usable && channel->is_signal && s->unscaled++ == 0)
		s->first_unscaled = i;
	return WS_OK;
}

/* What it measures, where its label does not say so but the transducer does: "EOG electrode". */
static ws_status
take_transducer(const wsi_recording *rec, const char *field, wsi_channel *channel)
{
	char *text = wsi_clean_text(field, 80);
	WSI_HAVE(text, "%s: no memory", rec->path);
	const char *type = wsi_type_of_text(channel->name) ? NULL : wsi_type_of_text(text);
	/* "Ag/AgCl against ref" tells of the other electrode. */
	if (type && strcmp(type, "ref") != 0 && strcmp(type, "misc") != 0)
		channel->type = type;
	free(text);
	return WS_OK;
}

static ws_status
parse_signal(wsi_recording *rec, const char *fields, size_t i)
{
	edf_state *s = rec->state;
	edf_signal *signal = &s->signals[i];
	wsi_channel *channel = &rec->channels[i];
	const size_t n = rec->n_channels;

	char *label = wsi_clean_text(fields + LABEL_AT * n + 16 * i, 16);
	char *unit = wsi_clean_text(fields + UNIT_AT * n + 8 * i, 8);
	ws_status status = !label || !unit ? WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path)
	                                   : wsi_channel_set_unit(channel, unit);
	if (status == WS_OK && label[0] != '\0')
		status = wsi_channel_set_name(channel, label);
	free(label);
	free(unit);
	WSI_TRY(status);
	WSI_TRY(take_transducer(rec, fields + TRANSDUCER_AT * n + 80 * i, channel));

	if (strcmp(channel->name, "EDF Annotations") == 0 ||
	    strcmp(channel->name, "BDF Annotations") == 0)
		signal->kind = EDF_ANNOTATIONS;
	else if (strcasecmp(channel->name, "Status") == 0 ||
	         strcasecmp(channel->name, "Trigger") == 0)
		signal->kind = EDF_TRIGGERS;

	const int64_t per_record = get_integer(fields + PER_RECORD_AT * n + 8 * i, 8);
	if (per_record < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: signal %zu (%s): its samples per data "
		                "record are not a number from 0 on; the file is damaged", rec->path,
		                i + 1, channel->name);
	signal->per_record = (size_t)per_record;
	channel->is_signal = signal->kind == EDF_SIGNAL && per_record > 0;
	if (signal->kind != EDF_ANNOTATIONS)
		WSI_TRY(set_scale(rec, fields, i));
	/* As EDF+ stores numbers of a wide range. */
	if (channel->is_signal && strncmp(fields + PREFILTER_AT * n + 80 * i, "sign*LN[", 8) == 0)
		WSI_TRY(wsi_recording_add_note(rec, "%s: channel %s holds logarithms, by a formula "
		                               "that its prefilter tells; they are read as they "
		                               "are", rec->path, channel->name));
	signal->offset = s->record_bytes;
	/* No overflow: 9999 signals of at most 99999999 samples. */
	s->record_bytes += signal->per_record * wsi_sample_bytes(s->type);
	return WS_OK;
}

/* held: whole records; rest: bytes behind them. */
static ws_status
note_lengths(wsi_recording *rec, int64_t claimed, uint64_t held, uint64_t rest)
{
	const edf_state *s = rec->state;
	if (claimed > 0 && (uint64_t)claimed > held)
		return wsi_recording_add_note(rec, "%s: the header promises %" PRId64
		                              " data records, the file holds %" PRIu64
		                              ": it was cut short; what is there is read",
		                              rec->path, claimed, held);
	if (claimed > 0 && (uint64_t)claimed < held)
		return wsi_recording_add_note(rec, "%s: the header tells of %" PRId64
		                              " data records, the file holds %" PRIu64
		                              ": all that are whole are read", rec->path,
		                              claimed, held);
	/* A recorder that stopped without a word to its header. */
	if (claimed <= 0 && rest > 0)
		return wsi_recording_add_note(rec, "%s: its last data record has %" PRIu64
		                              " of %zu bytes: it was cut short; what is "
		                              "whole is read", rec->path, rest, s->record_bytes);
	return rest == 0 ? WS_OK
	       : wsi_recording_add_note(rec, "%s: %" PRIu64 " bytes follow its last data record; "
	                                "they are not read", rec->path, rest);
}

/* What else is unusual of a header that was understood. */
static ws_status
note_header(wsi_recording *rec, const char head[HEAD])
{
	const edf_state *s = rec->state;
	char *version = wsi_clean_text(head, 8);
	WSI_HAVE(version, "%s: no memory", rec->path);
	ws_status status = WS_OK;
	if (s->other_version)
		status = wsi_recording_add_note(rec, "%s: its version is '%s', not 0; the sizes in "
		                                "its header are the file's, so it is read as %s",
		                                rec->path, version, rec->format);
	free(version);
	size_t signals = 0;
	for (size_t i = 0; i < rec->n_channels; ++i)
		signals += rec->channels[i].is_signal;
	if (status == WS_OK && signals > 0 && !rec->fs_known && rec->opts.fs == 0)
		status = wsi_recording_add_note(rec, "%s: its header tells no duration of data "
		                                "records, so no sampling rate; give it with `fs`",
		                                rec->path);
	if (status == WS_OK && s->unscaled > 0)
		status = wsi_recording_add_note(rec, "%s: %zu channel%s (%s%s no scale: samples "
		                                "are digital values, without a unit", rec->path,
		                                s->unscaled, s->unscaled == 1 ? "" : "s",
		                                rec->channels[s->first_unscaled].name,
		                                s->unscaled == 1 ? ") has" : ", ..) have");
	return status;
}

/* The records there are, whatever is claimed.  A recorder that is still at work claims
 * -1. */
static ws_status
set_lengths(wsi_recording *rec, int64_t claimed)
{
	edf_state *s = rec->state;
	if (s->record_bytes == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: no signal has a sample in a data record; "
		                "the file is damaged", rec->path);
	const uint64_t held = (s->file.bytes - s->data_offset) / s->record_bytes;
	const uint64_t rest = (s->file.bytes - s->data_offset) % s->record_bytes;
	s->records = (size_t)held;
	if (s->other_version && (rest > 0 || (claimed > 0 && (uint64_t)claimed != held)))
		return refuse_version(rec);
	const size_t width = wsi_sample_bytes(s->type), other = width == 2 ? 3 : 2;
	if (s->contradicts && (uint64_t)claimed != held && claimed > 0
	    && s->record_bytes / width * other *
	    (uint64_t)claimed == s->file.bytes - s->data_offset)
		return WSI_FAIL(WS_E_FORMAT, "%s: its first bytes say %s, its sizes are those of "
		                "samples of %zu bytes; begin it with %s", rec->path, rec->format,
		                other, other == 2 ? "\"0       \"" : "\"\\377BIOSEMI\"");
	if (s->records == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: a data record has %zu bytes, "
		                "after the header there are %" PRIu64, rec->path, s->record_bytes,
		                s->file.bytes - s->data_offset);
	WSI_TRY(note_lengths(rec, claimed, held, rest));
	rec->fs_known = s->record_seconds > 0;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		wsi_channel *channel = &rec->channels[i];
		channel->samples = s->signals[i].per_record * s->records;
		if (rec->fs_known && channel->samples > 0)
			channel->fs = (double)s->signals[i].per_record / s->record_seconds;
	}
	return WS_OK;
}

static ws_status
parse_header(wsi_recording *rec, const char head[HEAD])
{
	edf_state *s = rec->state;
	size_t n = 0;
	int64_t claimed = 0;
	WSI_TRY(parse_fixed(rec, head, &n, &claimed));
	WSI_TRY(wsi_recording_set_channels(rec, n, 0));
	char *fields = malloc(HEAD * n);
	s->signals = calloc(n, sizeof *s->signals);
	ws_status status = fields && s->signals
		? wsi_file_read(&s->file, HEAD, fields, HEAD * n)
		: WSI_FAIL(WS_E_NOMEM, "%s: no memory for %zu signals", rec->path, n);
	for (size_t i = 0; i < n && status == WS_OK; ++i)
		status = parse_signal(rec, fields, i);
	free(fields);
	WSI_TRY(status);
	WSI_TRY(set_lengths(rec, claimed));
	return note_header(rec, head);
}

static ws_status
edf_open(wsi_recording *rec)
{
	edf_state *s = rec->state;
	s->file.fd = -1;
	WSI_TRY(wsi_file_open(&s->file, rec->path, rec->opts.opened));
	char head[HEAD];
	WSI_TRY(wsi_file_read(&s->file, 0, head, HEAD));
	WSI_TRY(parse_header(rec, head));
	rec->file = &s->file;
	rec->order = WSI_ORDER_SAMPLES;
	double first_onset;
	WSI_TRY(edf_read_events(rec, &first_onset));
	/* "Startdate X" says that the date is not known, whatever the date field
	 * holds (it must hold one). */
	if (memcmp(head + 88, "Startdate X ", 12) != 0)
		edf_set_start(rec, head, first_onset);
	return WS_OK;
}

static ws_status
edf_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count, double *out)
{
	(void)epoch;
	const edf_state *s = rec->state;
	const edf_signal *signal = &s->signals[channel];
	const size_t bytes = wsi_sample_bytes(s->type);
	size_t record = first / signal->per_record, skip = first % signal->per_record;
	for (size_t done = 0; done < count; ++record, skip = 0) {
		const size_t left = count - done, here = signal->per_record - skip;
		const size_t n = left < here ? left : here;
		const uint64_t at = s->data_offset + (uint64_t)record * s->record_bytes +
		                    signal->offset + skip * bytes;
		WSI_TRY(wsi_file_read_samples(&s->file, at, bytes, n, s->type, false, out + done));
		done += n;
	}
	for (size_t i = 0; i < count; ++i)
		out[i] = signal->gain * out[i] + signal->shift;
	return WS_OK;
}

static ws_status
edf_layout(wsi_recording *rec, wsi_layout *layout)
{
	const edf_state *s = rec->state;
	layout->path = s->file.path;
	layout->type = s->type;
	layout->step = wsi_sample_bytes(s->type);
	layout->record_bytes = s->record_bytes;
	for (size_t i = 0; i < rec->n_channels; ++i) {
		const edf_signal *of = &s->signals[i];
		wsi_laid *to = &layout->channels[i];
		const bool scaled = of->low < of->high;
		*to = (wsi_laid){ .offset = s->data_offset + of->offset,
			.per_record = of->per_record, .gain = of->gain, .shift = of->shift,
			.low = scaled ? of->low : of->high, .high = scaled ? of->high : of->low };
		for (size_t k = 0; k < 2 && scaled; ++k)
			to->scale_at[k] = HEAD + (k ? PHYS_MAX_AT : PHYS_MIN_AT) * rec->n_channels
			                  + 8 * i;
	}
	return WS_OK;
}

static void
edf_close(wsi_recording *rec)
{
	edf_state *s = rec->state;
	wsi_file_close(&s->file);
	free(s->signals);
}

const wsi_reader wsi_reader_edf = {
	.name = "EDF", .state_bytes = sizeof(edf_state), .probe = edf_probe, .open = edf_open,
	.read = edf_read, .close = edf_close, .layout = edf_layout,
};
