/* patch.c - a copy of a recording's files, in which samples are replaced where they lie. */
#include "io/write/patch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/target.h"
#include "base/whole.h"
#include "io/read/beside.h"
#include "io/read/brainvision.h"
#include "io/read/number.h"
#include "io/read/readers.h"
#include "io/write/patch_eeglab.h"
#include "io/write/patch_names.h"
#include "io/write/patch_text.h"

#define WINDOW ((size_t)8 << 20)

const char *
wsi_patch_original(const wsi_recording *rec)
{
	const bv_state *s = rec->state;
	return rec->reader == &wsi_reader_brainvision ? s->header_path : rec->path;
}

/* ---- Files --------------------------------------------------------------------------------- */

static const char *
ending_of(const char *path)
{
	const char *dot = strrchr(wsi_base_name(path), '.');
	return dot ? dot : "";
}

static ws_status
lay_out(wsi_patch *p)
{
	wsi_recording *rec = p->rec;
	p->layout.channels = calloc(rec->n_channels, sizeof *p->layout.channels);
	p->widened = calloc(rec->n_channels, sizeof *p->widened);
	p->window = malloc(WINDOW);
	if (!p->layout.channels || !p->widened || !p->window)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to write it anew", rec->path);
	p->text = rec->reader == &wsi_reader_text && strcmp(rec->path, "-") != 0;
	p->layout.type = WSI_F64;
	p->set = rec->reader == &wsi_reader_eeglab;
	if (p->text)
		WSI_TRY(wsi_patch_check_table(rec));
	else if (p->set)
		WSI_TRY(wsi_patch_check_set(rec));
	else if (rec->reader->layout)
		WSI_TRY(rec->reader->layout(rec, &p->layout));
	else
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: samples of a file of this format (%s) "
		                "cannot be replaced; those of EDF, BDF, BrainVision, EEGLAB, WAV, "
		                "NPY, CSV and raw binary can", rec->path, rec->format);
	for (size_t i = 0; i < rec->n_channels; ++i)
		if (p->layout.channels[i].gain == 0)
			p->layout.channels[i].gain = 1;
	return WS_OK;
}

static ws_status
open_files(wsi_patch *p, bool overwrite)
{
	for (size_t i = 0; i < p->n; ++i) {
		wsi_patch_file *f = &p->files[i];
		WSI_TRY(wsi_opened_check(p->rec->opts.opened, f->path));
		WSI_TRY(wsi_output_check(f->path, overwrite));
		errno = wsi_newfile_open(&f->file, f->path, overwrite);
		if (errno)
			return wsi_write_fail(f->path);
	}
	return WS_OK;
}

ws_status
wsi_patch_open(wsi_patch *p, wsi_recording *rec, const char *output, bool overwrite)
{
	*p = (wsi_patch){ .rec = rec };
	WSI_TRY(lay_out(p));
	const char *original = wsi_patch_original(rec);
	if (!wsi_name_ends(output, ending_of(original)))
		return WSI_FAIL(WS_E_ARG, "%s: is written as %s is; name it %s", output, original,
		                ending_of(original));
	if (rec->reader == &wsi_reader_brainvision) {
		WSI_TRY(wsi_patch_name_trio(rec, output, p->files, &p->n));
		return open_files(p, overwrite);
	}
	if (p->set && rec->beside) {
		wsi_patch_lay_out_beside(rec, &p->layout);
		WSI_TRY(wsi_patch_name_beside(rec->beside->path, output, p->files, &p->n));
	}
	p->files[p->n] = (wsi_patch_file){ .from = rec->path, .path = wsi_strdup(output) };
	return p->files[p->n++].path ? open_files(p, overwrite)
	       : WSI_FAIL(WS_E_NOMEM, "%s: no memory", output);
}

static ws_status
write_at(const wsi_patch_file *f, const void *bytes, size_t n, uint64_t at)
{
	errno = wsi_whole_write(f->file.fd, bytes, n, at);
	return errno ? wsi_write_fail(f->path) : WS_OK;
}

ws_status
wsi_patch_copy(wsi_patch *p, bool (*stop)(void))
{
	if (p->set)
		WSI_TRY(wsi_patch_write_set(p->rec, &p->files[p->n - 1], p->n > 1
		                            ? wsi_base_name(p->files[0].path) : NULL, &p->layout));
	for (size_t i = 1; i < p->n && !p->set; ++i)
		WSI_TRY(wsi_patch_write_names(p->rec, p->files, p->n, i));
	if (p->text || (p->set && p->n == 1))
		return WS_OK;
	wsi_file from;
	WSI_TRY(wsi_file_open(&from, p->files[0].from, p->rec->opts.opened));
	ws_status status = WS_OK;
	for (uint64_t at = 0; at < from.bytes && status == WS_OK; at += p->held) {
		p->held = from.bytes - at < WINDOW ? (size_t)(from.bytes - at) : WINDOW;
		status = stop() ? WSI_FAIL(WS_E_CANCELLED, "cancelled")
		                : wsi_file_read(&from, at, p->window, p->held);
		if (status == WS_OK)
			status = write_at(&p->files[0], p->window, p->held, at);
	}
	p->held = 0;
	wsi_file_close(&from);
	return status;
}

/* ---- The window ---------------------------------------------------------------------------- */

static ws_status
flush(wsi_patch *p)
{
	if (p->dirty)
		WSI_TRY(write_at(&p->files[0], p->window, p->held, p->start));
	p->dirty = false;
	return WS_OK;
}

/* n bytes of the file, at most WINDOW, to look at and to change. */
static ws_status
reach(wsi_patch *p, uint64_t at, size_t n, unsigned char **bytes)
{
	if (at < p->start || at + n > p->start + p->held) {
		WSI_TRY(flush(p));
		p->start = at;
		p->held = wsi_whole_read(p->files[0].file.fd, p->window, WINDOW, at);
		if (p->held < WINDOW && errno)
			return wsi_write_fail(p->files[0].path);
		if (p->held < n)
			return WSI_FAIL(WS_E_FORMAT, "%s: became shorter while it was read",
			                p->rec->path);
	}
	*bytes = p->window + (at - p->start);
	return WS_OK;
}

/* ---- Samples ------------------------------------------------------------------------------- */

/* What a type holds; false: floating point. */
static bool
limits(wsi_sample_type type, double *low, double *high)
{
	const bool is_signed = type == WSI_I8 || type == WSI_I16 || type == WSI_I24
	                       || type == WSI_I32 || type == WSI_I64;
	const int bits = (int)(8 * wsi_sample_bytes(type)) - is_signed;
	*high = type == WSI_F32 ? 3.4028234663852886e38 : HUGE_VAL;
	*low = -*high;
	if (type == WSI_F32 || type == WSI_F64)
		return false;
	/* Of 64 bits the largest double below. */
	*high = bits > 53 ? ldexp(1, bits) - ldexp(1, bits - 53) : ldexp(1, bits) - 1;
	*low = is_signed ? -ldexp(1, bits) : 0;
	return true;
}

/* Of what is stored; true: whole numbers. */
static bool
stored_range(const wsi_patch *p, size_t channel, double *low, double *high)
{
	const wsi_laid *c = &p->layout.channels[channel];
	const bool whole = limits(p->layout.type, low, high);
	if (c->low != c->high) {
		*low = c->low;
		*high = c->high;
	}
	return whole;
}

size_t
wsi_patch_block(const wsi_patch *p)
{
	const wsi_laid *c = p->layout.channels;
	const double each = c->per_record ? (double)p->layout.record_bytes / (double)c->per_record
	                    : (double)p->layout.step;
	const double most = p->rec->order == WSI_ORDER_SAMPLES && each > 0
	                    ? (double)(WINDOW / 2) / each : 65536;
	return most > 65536 ? 65536 : most < 1 ? 1 : (size_t)most;
}

double
wsi_patch_step(const wsi_patch *p, size_t channel)
{
	double low, high;
	return !p->text && stored_range(p, channel, &low, &high)
	       ? fabs(p->layout.channels[channel].gain) : 0;
}

void
wsi_patch_range(const wsi_patch *p, size_t channel, double *low, double *high)
{
	const wsi_laid *c = &p->layout.channels[channel];
	stored_range(p, channel, low, high);
	const double a = c->gain * *low + c->shift, b = c->gain * *high + c->shift;
	*low = a < b ? a : b;
	*high = a < b ? b : a;
}

static ws_status
too_large(const wsi_patch *p, size_t channel, size_t sample, double value)
{
	const wsi_channel *c = &p->rec->channels[channel];
	double low, high;
	wsi_patch_range(p, channel, &low, &high);
	return WSI_FAIL(WS_E_FORMAT, "%s: sample %zu of channel %s would be %g%s%s, beyond the %g "
	                "to %g that the file can hold; %s", p->rec->path, sample + 1, c->name,
	                value, *c->unit ? " " : "", c->unit, low, high,
	                p->layout.channels[channel].scale_at[0]
	                ? "`rescale` widens its scale, in coarser steps"
	                : "store the recording in floating point, and decompose that");
}

/* Stretches of a channel's samples that lie evenly: bytes, and how many there are. */
static ws_status
stretch(wsi_patch *p, size_t epoch, size_t channel, size_t first, size_t *count,
        unsigned char **bytes)
{
	const wsi_laid *c = &p->layout.channels[channel];
	const size_t step = p->layout.step, record = c->per_record ? first / c->per_record : 0;
	const size_t in = first - record * c->per_record, size = wsi_sample_bytes(p->layout.type);
	const size_t most = step < WINDOW ? (WINDOW - size) / step + 1 : 1;
	if (c->per_record && *count > c->per_record - in)
		*count = c->per_record - in;
	if (*count > most)
		*count = most;
	return reach(p, c->offset + epoch * p->layout.epoch_bytes
	                + record * p->layout.record_bytes + (uint64_t)in * step,
	             (*count - 1) * step + size, bytes);
}

/* Is what the file has there the sample that was read?  A layout that were misunderstood would
 * damage the copy. */
static bool
is_same(const wsi_laid *c, double stored, double before)
{
	const double value = c->gain * stored + c->shift;
	return fabs(value - before) <= 1e-9 * fabs(before) + 1e-9 * fabs(c->gain * stored);
}

static ws_status
put_stretch(wsi_patch *p, size_t channel, size_t first, size_t count, unsigned char *bytes,
            const double *before, const double *after)
{
	const wsi_layout *l = &p->layout;
	const wsi_laid *c = &l->channels[channel];
	double low, high, stored;
	const bool whole = stored_range(p, channel, &low, &high);
	for (size_t i = 0; i < count; ++i) {
		unsigned char *at = bytes + i * l->step;
		if (isnan(after[i]) || after[i] == before[i])
			continue;
		wsi_decode(at, l->step, 1, l->type, l->big_endian, &stored);
		if (!p->widened[channel] && !is_same(c, stored, before[i]))
			return WSI_FAIL(WS_E_UNSUPPORTED, "%s: sample %zu of channel %s is stored "
			                "in a way that cannot be written", p->rec->path,
			                first + i + 1, p->rec->channels[channel].name);
		const double value = (after[i] - c->shift) / c->gain;
		const double to = whole ? nearbyint(value) : value;
		if (!(to >= low && to <= high))
			return too_large(p, channel, first + i, after[i]);
		wsi_encode(to, l->type, l->big_endian, at);
		p->dirty = true;
	}
	return WS_OK;
}

ws_status
wsi_patch_put(wsi_patch *p, size_t epoch, size_t channel, size_t first, size_t count,
              const double *before, const double *after)
{
	unsigned char *bytes;
	if (p->text) {
		p->changed += wsi_patch_put_in_table(p->rec, channel, first, count, before, after);
		return WS_OK;
	}
	for (size_t done = 0, n; done < count; done += n) {
		n = count - done;
		WSI_TRY(stretch(p, epoch, channel, first + done, &n, &bytes));
		WSI_TRY(put_stretch(p, channel, first + done, n, bytes, before + done,
		                    after + done));
	}
	return WS_OK;
}

/* ---- Another scale ------------------------------------------------------------------------- */

/* A number in 8 characters, not below or not above it; false: it has too many digits. */
static bool
put_field(double value, bool above, char field[9])
{
	char text[400];
	for (int digits = 6; digits >= 0; --digits) {
		const double power = pow(10, digits);
		const double to = (above ? ceil : floor)(value * power) / power;
		if (wsi_snprintf(text, sizeof text, "%.*f", digits, to) > 8)
			continue;
		snprintf(field, 9, "%-8.8s", text);
		return true;
	}
	return false;
}

/* All samples of a channel by its new scale. */
static ws_status
scale_anew(wsi_patch *p, size_t channel, const wsi_laid *old)
{
	const wsi_layout *l = &p->layout;
	const wsi_laid *c = &l->channels[channel];
	const size_t samples = p->rec->channels[channel].samples;
	unsigned char *bytes;
	double stored;
	for (size_t first = 0, n; first < samples; first += n) {
		n = samples - first;
		WSI_TRY(stretch(p, 0, channel, first, &n, &bytes));
		for (size_t i = 0; i < n; ++i) {
			unsigned char *at = bytes + i * l->step;
			wsi_decode(at, l->step, 1, l->type, l->big_endian, &stored);
			const double value = old->gain * stored + old->shift;
			wsi_encode(nearbyint((value - c->shift) / c->gain), l->type, l->big_endian,
			           at);
		}
		p->dirty = true;
	}
	return WS_OK;
}

ws_status
wsi_patch_widen(wsi_patch *p, size_t channel, double low, double high)
{
	wsi_laid *c = &p->layout.channels[channel];
	const wsi_laid old = *c;
	double now_low, now_high;
	char fields[2][9];
	const bool falls = c->gain < 0;
	if (!c->scale_at[0])
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: `rescale` is of EDF and BDF, whose channels "
		                "have a scale; leave it out", p->rec->path);
	wsi_patch_range(p, channel, &now_low, &now_high);
	low = low < now_low ? low : now_low;
	high = high > now_high ? high : now_high;
	if (!put_field(falls ? high : low, falls, fields[0])
	    || !put_field(falls ? low : high, !falls, fields[1]))
		return WSI_FAIL(WS_E_FORMAT, "%s: channel %s would reach from %g to %g, for which "
		                "a header of EDF has no room", p->rec->path,
		                p->rec->channels[channel].name, low, high);
	WSI_TRY(flush(p));
	for (size_t k = 0; k < 2; ++k)
		WSI_TRY(write_at(&p->files[0], fields[k], 8, c->scale_at[k]));
	p->held = 0;
	char *end;
	const double from = wsi_decimal(fields[0], &end), to = wsi_decimal(fields[1], &end);
	c->gain = (to - from) / (c->high - c->low);
	c->shift = from - c->gain * c->low;
	p->widened[channel] = true;
	return scale_anew(p, channel, &old);
}

/* ---- End ----------------------------------------------------------------------------------- */

ws_status
wsi_patch_finish(wsi_patch *p)
{
	return p->text ? wsi_patch_write_table(p->rec, &p->files[0], p->changed) : flush(p);
}

size_t
wsi_patch_complete(wsi_patch *p, wsi_complete files[WSI_PATCH_FILES])
{
	for (size_t i = 0; i < p->n; ++i)
		files[i] = (wsi_complete){ &p->files[i].file, p->files[i].path };
	return p->n;
}

void
wsi_patch_close(wsi_patch *p)
{
	for (size_t i = 0; i < p->n; ++i) {
		wsi_newfile_close(&p->files[i].file);
		free(p->files[i].path);
	}
	free(p->layout.channels);
	free(p->widened);
	free(p->window);
	*p = (wsi_patch){ 0 };
}
