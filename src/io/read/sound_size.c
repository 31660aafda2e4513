/*
 * sound_size.c - how many samples a sound file has, whatever its header says; and a file that
 * libsndfile understands, where the header is wrong.
 */
#include "io/read/sound_size.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/read/sound_flac.h"
#include "io/read/sound_ogg.h"

/* Before the samples; real headers have some hundred bytes, those of broadcasts some KB. */
#define MOST_HEAD ((uint64_t)16 << 20)
/* From here on a size says no more than "up to the end". */
#define ENDLESS 0x7fff0000u

bool
wsi_is_sound(const unsigned char *head, size_t n)
{
	if (n < 12)
		return false;
	if (memcmp(head, "RIFF", 4) == 0 || memcmp(head, "RF64", 4) == 0)
		return memcmp(head + 8, "WAVE", 4) == 0;
	if (memcmp(head, "FORM", 4) == 0)
		return memcmp(head + 8, "AIFF", 4) == 0 || memcmp(head + 8, "AIFC", 4) == 0;
	return memcmp(head, "fLaC", 4) == 0 || memcmp(head, "OggS", 4) == 0;
}

static uint64_t
get(const unsigned char *at, size_t bytes, bool big_endian)
{
	uint64_t value = 0;
	for (size_t i = 0; i < bytes; ++i)
		value = value << 8 | at[big_endian ? i : bytes - 1 - i];
	return value;
}

static void
set(unsigned char *at, size_t bytes, bool big_endian, uint64_t value)
{
	for (size_t i = 0; i < bytes; ++i)
		at[big_endian ? bytes - 1 - i : i] = (unsigned char)(value >> (8 * i));
}

/* ---- Chunks of WAV and AIFF -------------------------------------------------------------- */

typedef struct layout {
	bool aiff, wide;       /* wide: RF64 */
	uint64_t told;         /* bytes of samples, by the header */
	uint64_t data;         /* where they begin; 0: no chunk of samples */
	uint64_t held;         /* bytes from there to the end of the file */
	uint64_t common;       /* AIFF: where the chunk COMM begins, 0: none */
	uint64_t format;       /* WAV: likewise fmt */
} layout;

/* Do chunks follow each other from here to the end?  Also where one of odd size is not padded. */
static ws_status
is_chain(const wsi_file *f, uint64_t at, bool aiff, bool *chain)
{
	unsigned char head[8];
	for (int n = 0; n < 1000 && at + sizeof head <= f->bytes; ++n) {
		WSI_TRY(wsi_file_read(f, at, head, sizeof head));
		*chain = false;
		for (size_t i = 0; i < 4; ++i)
			if (head[i] < ' ' || head[i] > '~')
				return WS_OK;
		const uint64_t size = get(head + 4, 4, aiff);
		at += sizeof head + size + (size & 1);
	}
	*chain = at == f->bytes || at == f->bytes + 1;
	return WS_OK;
}

static ws_status
find_data(const wsi_file *f, layout *l)
{
	unsigned char head[8], wide[16];
	uint64_t size, told = 0;
	for (uint64_t at = 12; at + sizeof head <= f->bytes; at += sizeof head + size +
	     (size & 1)) {
		WSI_TRY(wsi_file_read(f, at, head, sizeof head));
		size = get(head + 4, 4, l->aiff);
		if (memcmp(head, "ds64", 4) == 0 && l->wide && at + 24 <= f->bytes) {
			WSI_TRY(wsi_file_read(f, at + 8, wide, sizeof wide));
			told = get(wide + 8, 8, false);
		}
		if (memcmp(head, "COMM", 4) == 0 && l->aiff)
			l->common = at;
		if (memcmp(head, "fmt ", 4) == 0 && !l->aiff)
			l->format = at;
		if (memcmp(head, l->aiff ? "SSND" : "data", 4) != 0)
			continue;
		/* SSND has an offset and the size of a block before its samples. */
		const uint64_t before = sizeof head + (l->aiff ? 8 : 0);
		l->data = at + before;
		l->told = l->wide && size == UINT32_MAX ? told
		          : l->aiff && size >= 8 ? size - 8 : size;
		l->held = f->bytes > l->data ? f->bytes - l->data : 0;
		return WS_OK;
	}
	return WS_OK;
}

/* ---- Another header ---------------------------------------------------------------------- */

/* A header of RIFF, or of RF64 where that has no room for the size: all that stood before the
 * samples, with the sizes as they are. */
static ws_status
make_riff(wsi_recording *rec, wsi_sound_file *s, const layout *l)
{
	enum { DS64 = 36 };
	unsigned char *head = calloc(1, (size_t)l->data + DS64);
	WSI_HAVE(head, "%s: no memory for its header", rec->path);
	s->head = head;
	WSI_TRY(wsi_file_read(&s->file, 0, head + DS64, (size_t)l->data));
	/* An RF64 begins with the chunk ds64, of sizes, which is made anew. */
	const bool has_sizes = memcmp(head + DS64 + 12, "ds64", 4) == 0;
	const size_t old = has_sizes ? 8 + (size_t)get(head + DS64 + 16, 4, false) : 0;
	if (old + 20 > l->data)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its header ends within ds64", rec->path);
	const size_t rest = (size_t)l->data - 12 - old;
	const bool wide = l->wide || s->bytes + l->data > UINT32_MAX - 64;
	const size_t at = 12 + (wide ? DS64 : 0);
	memmove(head + at, head + DS64 + 12 + old, rest);
	s->head_bytes = at + rest;
	const uint64_t riff = s->head_bytes + s->bytes - 8;
	memcpy(head, wide ? "RF64" : "RIFF", 4);
	memcpy(head + 8, "WAVE", 4);
	set(head + 4, 4, false, wide ? UINT32_MAX : riff);
	set(head + s->head_bytes - 4, 4, false, wide ? UINT32_MAX : s->bytes);
	if (wide) {
		memcpy(head + 12, "ds64", 4);
		set(head + 16, 4, false, 28);
		set(head + 20, 8, false, riff);
		set(head + 28, 8, false, s->bytes);
		set(head + 36, 8, false, 0);
		set(head + 44, 4, false, 0);
	}
	return WS_OK;
}

/* The header of AIFF, with its sizes as they are. */
static ws_status
make_aiff(wsi_recording *rec, wsi_sound_file *s, const layout *l)
{
	unsigned char *head = calloc(1, (size_t)l->data);
	WSI_HAVE(head, "%s: no memory for its header", rec->path);
	s->head = head;
	s->head_bytes = (size_t)l->data;
	WSI_TRY(wsi_file_read(&s->file, 0, head, s->head_bytes));
	if (l->common == 0 || l->common + 16 > l->data)
		return WSI_FAIL(WS_E_FORMAT, "%s: its header does not tell how many samples there "
		                "are, and what they are stands behind them; convert it to WAV",
		                rec->path);
	unsigned char *common = head + l->common + 8;
	const uint64_t frame = get(common, 2, true) * ((get(common + 6, 2, true) + 7) / 8);
	const uint64_t most = UINT32_MAX - l->data - 64;
	s->bytes = s->bytes < most ? s->bytes : most;
	s->bytes -= frame ? s->bytes % frame : 0;
	set(common + 2, 4, true, frame ? s->bytes / frame : 0);
	set(head + 4, 4, true, s->head_bytes + s->bytes - 8);
	set(head + s->head_bytes - 12, 4, true, s->bytes + 8);
	return WS_OK;
}

static ws_status
show(wsi_recording *rec, wsi_sound_file *s, const layout *l, uint64_t bytes)
{
	if (l->data > MOST_HEAD)
		return WSI_FAIL(WS_E_FORMAT, "%s: its header does not tell how many samples there "
		                "are, and has %" PRIu64 " bytes before them; convert it to WAV",
		                rec->path, l->data);
	s->data = l->data;
	s->bytes = bytes;
	s->wide = l->wide;
	return l->aiff ? make_aiff(rec, s, l) : make_riff(rec, s, l);
}

/* ---- What there is ----------------------------------------------------------------------- */

/* The header tells of fewer bytes than there are, and no chunks follow.  They are samples where the
 * size is the true one less a multiple of 4 GiB, as of 32 bits that ran over. */
static ws_status
look_past(wsi_recording *rec, wsi_sound_file *s, const layout *l)
{
	const uint64_t wraps = (l->held - l->told) >> 32;
	if (l->wide || wraps == 0)
		return wsi_recording_add_note(rec, "%s: %" PRIu64 " bytes follow the %" PRIu64
		                              " of samples that the header tells of; they are not "
		                              "read", rec->path, l->held - l->told, l->told);
	WSI_TRY(wsi_recording_add_note(rec, "%s: the header tells of %" PRIu64 " bytes of samples, "
	                               "which is what is left over past 4 GiB; %" PRIu64
	                               " are read", rec->path, l->told,
	                               l->told + (wraps << 32)));
	return show(rec, s, l, l->told + (wraps << 32));
}

static ws_status
look_at_chunks(wsi_recording *rec, wsi_sound_file *s, const unsigned char start[12])
{
	layout l = { .aiff = memcmp(start, "FORM", 4) == 0,
		.wide = memcmp(start, "RF64", 4) == 0 };
	bool chain = false;
	WSI_TRY(find_data(&s->file, &l));
	if (l.data == 0 || l.told == l.held)
		return WS_OK;
	const bool endless = l.told >= ENDLESS && l.told > l.held;
	if (l.told > l.held && !endless)
		return wsi_recording_add_note(rec, "%s: the header promises %" PRIu64
		                              " bytes of samples, the file holds %" PRIu64
		                              ": it was cut short; what is there is read",
		                              rec->path, l.told, l.held);
	if (!endless)
		WSI_TRY(is_chain(&s->file, l.data + l.told, l.aiff, &chain));
	if (!endless && !chain && (l.told & 1))
		WSI_TRY(is_chain(&s->file, l.data + l.told + 1, l.aiff, &chain));
	if (chain)
		return WS_OK;
	if (l.told > 0 && !endless)
		return look_past(rec, s, &l);
	WSI_TRY(wsi_recording_add_note(rec, "%s: the header does not tell how many bytes of "
	                               "samples there are (it says %" PRIu64 "); all %" PRIu64
	                               " up to the file's end are read", rec->path, l.told,
	                               l.held));
	return show(rec, s, &l, l.held);
}

ws_status
wsi_sound_look(wsi_recording *rec, wsi_sound_file *s)
{
	unsigned char head[12] = { 0 };
	WSI_TRY(wsi_file_open(&s->file, rec->source, rec->opts.opened));
	s->file.path = rec->path;
	const size_t n = s->file.bytes < sizeof head ? (size_t)s->file.bytes : sizeof head;
	WSI_TRY(wsi_file_read(&s->file, 0, head, n));
	if (!wsi_is_sound(head, n))
		return WSI_FAIL(WS_E_FORMAT, "%s: neither WAV, AIFF, FLAC nor OGG by its content; "
		                "convert it to WAV", rec->path);
	if (memcmp(head, "fLaC", 4) == 0)
		return wsi_flac_look(rec, s);
	return memcmp(head, "OggS", 4) == 0 ? wsi_ogg_check(rec, &s->file)
	                                    : look_at_chunks(rec, s, head);
}

/* ---- Where samples lie ------------------------------------------------------------------- */

/* The type of samples of so many bytes, of a WAV format: 1 integers, 3 floating point; how
 * libsndfile scales them. */
static bool
take_type(wsi_layout *out, unsigned format, size_t bytes)
{
	static const wsi_sample_type integers[] = { WSI_U8, WSI_I16, WSI_I24, WSI_I32 };
	if (format == 3 && (bytes == 4 || bytes == 8))
		out->type = bytes == 4 ? WSI_F32 : WSI_F64;
	else if (format == 1 && bytes >= 1 && bytes <= 4)
		out->type = integers[bytes - 1];
	else
		return false;
	return true;
}

static ws_status
lay_out(wsi_recording *rec, const wsi_file *f, wsi_layout *out)
{
	enum { PLAIN = 16, EXTENSIBLE = 0xfffe, SUB = 24 };
	unsigned char start[12], fmt[8 + SUB + 2] = { 0 };
	const char *name = rec->path;
	WSI_TRY(wsi_file_read(f, 0, start, sizeof start));
	layout l = { .wide = memcmp(start, "RF64", 4) == 0 };
	if (memcmp(start + 8, "WAVE", 4) == 0)
		WSI_TRY(find_data(f, &l));
	if (l.data == 0 || l.format == 0)
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: of sounds, samples can be replaced in WAV "
		                "alone; convert it to WAV", name);
	WSI_TRY(wsi_file_read(f, l.format, fmt, 8 + PLAIN));
	unsigned format = (unsigned)get(fmt + 8, 2, false);
	if (format == EXTENSIBLE) {
		WSI_TRY(wsi_file_read(f, l.format, fmt, sizeof fmt));
		format = (unsigned)get(fmt + 8 + SUB, 2, false);
	}
	const size_t frame = (size_t)get(fmt + 20, 2, false), bytes = frame / rec->n_channels;
	if (bytes * rec->n_channels != frame || !take_type(out, format, bytes))
		return WSI_FAIL(WS_E_UNSUPPORTED, "%s: its samples are packed (WAV format %u of "
		                "%zu bytes a frame), and cannot be replaced; convert it to plain "
		                "WAV", name, format, frame);
	out->path = name;
	out->step = frame;
	for (size_t i = 0; i < rec->n_channels; ++i)
		out->channels[i] = (wsi_laid){ .offset = l.data + i * bytes,
			.gain = format == 1 ? 1 / (double)((uint64_t)1 << (8 * bytes - 1)) : 1,
			.shift = out->type == WSI_U8 ? -1 : 0 };
	return WS_OK;
}

ws_status
wsi_sound_layout(wsi_recording *rec, wsi_layout *out)
{
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, rec->path, rec->opts.opened));
	const ws_status status = lay_out(rec, &f, out);
	wsi_file_close(&f);
	return status;
}

void
wsi_sound_file_close(wsi_sound_file *s)
{
	wsi_file_close(&s->file);
	free(s->head);
	s->head = NULL;
}
