/*
 * sound.c - WAV, AIFF, FLAC and OGG by libsndfile.
 *
 * Values are as libsndfile scales them: integer samples to -1 .. 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sndfile.h>

#include "io/decoder.h"
#include "io/readers.h"
#include "io/wire.h"

#define BLOCK_SAMPLES 32768  /* of all channels, decoded at once */

typedef struct sound_state {
	SNDFILE *file;
	int channels;
	bool sequential;      /* cannot be sought in */
	sf_count_t position;  /* the frame that the next decoding gives */
	double *block;        /* [frame][channel] */
	sf_count_t block_frames;
	float *kept;          /* [channel - 1][frame] of compressed formats, whose decoding gives
	                         all channels: those after the first, while that is read */
	sf_count_t frames, n_kept;
} sound_state;

/* Does the file start as one of the formats above?  libsndfile knows more, and
 * guesses (and prints) where there is nothing to go by. */
static bool
is_sound(const unsigned char *head, size_t n)
{
	if (n < 12)
		return false;
	if (memcmp(head, "RIFF", 4) == 0 || memcmp(head, "RF64", 4) == 0)
		return memcmp(head + 8, "WAVE", 4) == 0;
	if (memcmp(head, "FORM", 4) == 0)
		return memcmp(head + 8, "AIFF", 4) == 0 || memcmp(head + 8, "AIFC", 4) == 0;
	return memcmp(head, "fLaC", 4) == 0 || memcmp(head, "OggS", 4) == 0;
}

static int
sound_probe(const unsigned char *head, size_t n, const char *path)
{
	if (is_sound(head, n))
		return 2;
	return wsi_name_ends(path, ".wav") || wsi_name_ends(path, ".flac") ||
	       wsi_name_ends(path, ".ogg") || wsi_name_ends(path, ".oga") ||
	       wsi_name_ends(path, ".opus") || wsi_name_ends(path, ".aif") ||
	       wsi_name_ends(path, ".aiff") || wsi_name_ends(path, ".aifc");
}

static const char *
format_name(int format)
{
	switch (format & SF_FORMAT_TYPEMASK) {
	case SF_FORMAT_WAV:
	case SF_FORMAT_WAVEX: return "WAV";
	case SF_FORMAT_RF64:  return "RF64";
	case SF_FORMAT_AIFF:  return "AIFF";
	case SF_FORMAT_FLAC:  return "FLAC";
	case SF_FORMAT_OGG:   return "OGG";
	}
	return NULL;
}

/* Makes the next decoding start at a frame.  In OGG libsndfile 1.2 finds only
 * the start exactly (elsewhere it is off by some frames), so there the frames
 * before are decoded. */
static bool
go_to(sound_state *s, sf_count_t frame)
{
	if (frame != s->position && (!s->sequential || frame < s->position)) {
		s->position = s->sequential ? 0 : frame;
		if (sf_seek(s->file, s->position, SEEK_SET) != s->position)
			return false;
	}
	while (s->position < frame) {
		const sf_count_t left = frame - s->position;
		const sf_count_t n = left < s->block_frames ? left : s->block_frames;
		const sf_count_t got = sf_readf_double(s->file, s->block, n);
		if (got < 1 || got > n)
			return false;
		s->position += got;
	}
	return true;
}

/* Decodes the frame before the end: compressed formats only claim their
 * length, and a caller allocates by it. */
static bool
has_last_frame(sound_state *s, sf_count_t frames)
{
	if (!go_to(s, frames - 1) || sf_readf_double(s->file, s->block, 1) != 1)
		return false;
	s->position = frames;
	return true;
}

/* The size in a chunk's head. */
static uint32_t
chunk_size(const unsigned char head[8], bool big_endian)
{
	uint32_t size = 0;
	for (size_t i = 0; i < 4; ++i)
		size = size << 8 | head[big_endian ? 4 + i : 7 - i];
	return size;
}

/* libsndfile shortens WAV and AIFF to the samples there are without a word, so
 * the chunk of samples is looked up here.  Programs that write to a pipe put
 * sizes of some 2 or 4 GiB, which promise nothing. */
static ws_status
note_missing(wsi_recording *rec, const wsi_file *f, const unsigned char start[12])
{
	const bool aiff = memcmp(start, "FORM", 4) == 0;
	if (!aiff && memcmp(start, "RIFF", 4) != 0)
		return WS_OK;
	unsigned char head[8];
	uint32_t size;
	for (uint64_t at = 12; at + sizeof head <= f->bytes;
	     at += sizeof head + size + (size & 1)) {
		WSI_TRY(wsi_file_read(f, at, head, sizeof head));
		size = chunk_size(head, aiff);
		if (memcmp(head, aiff ? "SSND" : "data", 4) != 0)
			continue;
		const uint64_t held = f->bytes - at - sizeof head;
		if (size <= held || size >= 0x7fff0000)
			return WS_OK;
		return wsi_recording_add_note(rec, "%s: the header promises %" PRIu32
		                              " bytes of samples, the file holds %" PRIu64
		                              ": it was cut short; what is there is read",
		                              rec->path, size, held);
	}
	return WS_OK;
}

/* Looks at the file before libsndfile does. */
static ws_status
look(wsi_recording *rec)
{
	wsi_file f;
	unsigned char head[12] = { 0 };
	WSI_TRY(wsi_file_open(&f, rec->source, rec->opts.opened));
	f.path = rec->path;
	const size_t n = f.bytes < sizeof head ? (size_t)f.bytes : sizeof head;
	ws_status status = wsi_file_read(&f, 0, head, n);
	if (status == WS_OK && !is_sound(head, n))
		status = WSI_FAIL(WS_E_FORMAT, "%s: neither WAV, AIFF, FLAC nor OGG by "
		                  "its content; convert it to WAV", rec->path);
	if (status == WS_OK)
		status = note_missing(rec, &f, head);
	wsi_file_close(&f);
	return status;
}

/* Channels are read one after the other, and each decoding gives all of them: room for the others,
 * as long as it takes little of the memory there is. */
static void
make_room(wsi_recording *rec, int format)
{
	sound_state *s = rec->state;
	const int type = format & SF_FORMAT_TYPEMASK;
	size_t bytes;
	if (s->channels < 2 || (type != SF_FORMAT_FLAC && type != SF_FORMAT_OGG)
	    || !wsi_mul_size((size_t)s->channels - 1, (size_t)s->frames, &bytes)
	    || !wsi_mul_size(bytes, sizeof *s->kept, &bytes)
	    || bytes > wsi_reading_memory(&rec->opts) / 4)
		return;
	s->kept = malloc(bytes);
	rec->held = s->kept ? bytes : 0;
}

/* Keeps what was decoded of the other channels, from s->position on; or gives up where a float does
 * not hold it. */
static void
keep(sound_state *s, sf_count_t got)
{
	if (!s->kept || s->position != s->n_kept)
		return;
	for (int c = 1; c < s->channels; ++c) {
		float *to = s->kept + (sf_count_t)(c - 1) * s->frames + s->position;
		bool exact = true;
		for (sf_count_t i = 0; i < got; ++i) {
			const double x = s->block[i * s->channels + c];
			to[i] = (float)x;
			exact &= (double)to[i] == x;
		}
		if (!exact) {
			free(s->kept);
			s->kept = NULL;
			return;
		}
	}
	s->n_kept += got;
}

static ws_status
sound_open(wsi_recording *rec)
{
	sound_state *s = rec->state = calloc(1, sizeof *s);
	if (!s)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory", rec->path);
	WSI_TRY(look(rec));
	SF_INFO info = { .format = 0 };
	s->file = sf_open(rec->source, SFM_READ, &info);
	if (!s->file)
		return WSI_FAIL(WS_E_FORMAT, "%s: cannot be decoded: %s", rec->path,
		                sf_strerror(NULL));
	rec->format = format_name(info.format);
	if (!rec->format)
		return WSI_FAIL(WS_E_FORMAT, "%s: a sound format that is not supported; "
		                "convert it to WAV or FLAC", rec->path);
	if (info.channels < 1 || info.samplerate < 1 || info.frames < 1 || !info.seekable)
		return WSI_FAIL(WS_E_FORMAT, "%s: no samples: %d channels of %" PRId64
		                " frames at %d Hz", rec->path, info.channels, (int64_t)info.frames,
		                info.samplerate);
	if (info.frames == SF_COUNT_MAX)
		return WSI_FAIL(WS_E_FORMAT, "%s: its length is not known: the file was cut "
		                "short or never finished; convert what is there to WAV", rec->path);
	s->channels = info.channels;
	s->sequential = (info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG;
	s->block_frames = BLOCK_SAMPLES / info.channels;
	if (s->block_frames < 1)
		s->block_frames = 1;
	s->block = malloc((size_t)s->block_frames * (size_t)s->channels * sizeof *s->block);
	if (!s->block)
		return WSI_FAIL(WS_E_NOMEM, "%s: no memory to decode it", rec->path);
	if (!has_last_frame(s, info.frames))
		return WSI_FAIL(WS_E_FORMAT, "%s: its header promises %" PRId64
		                " frames, but they cannot all be decoded; the file is cut "
		                "off or damaged", rec->path, (int64_t)info.frames);
	WSI_TRY(wsi_recording_set_channels(rec, (size_t)info.channels));
	for (size_t i = 0; i < rec->n_channels; ++i) {
		rec->channels[i].fs = info.samplerate;
		rec->channels[i].samples = (size_t)info.frames;
	}
	rec->fs_known = true;
	s->frames = info.frames;
	make_room(rec, info.format);
	return WS_OK;
}

static ws_status
sound_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
           double *out)
{
	(void)epoch;
	sound_state *s = rec->state;
	if (s->kept && channel > 0 && first + count <= (size_t)s->n_kept) {
		const float *from = s->kept + (channel - 1) * (size_t)s->frames + first;
		for (size_t i = 0; i < count; ++i)
			out[i] = (double)from[i];
		return WS_OK;
	}
	if (!go_to(s, (sf_count_t)first))
		return WSI_FAIL(WS_E_FORMAT, "%s: frame %zu cannot be found: %s", rec->path, first,
		                sf_strerror(s->file));
	while (count > 0) {
		const sf_count_t n = count < (size_t)s->block_frames ? (sf_count_t)count
		                                                     : s->block_frames;
		const sf_count_t got = sf_readf_double(s->file, s->block, n);
		if (got < 1 || got > n)
			return WSI_FAIL(WS_E_FORMAT, "%s: frame %" PRId64 " cannot be decoded: %s",
			                rec->path, (int64_t)s->position, sf_strerror(s->file));
		for (sf_count_t i = 0; i < got; ++i)
			*out++ = s->block[i * s->channels + (sf_count_t)channel];
		keep(s, got);
		s->position += got;
		count -= (size_t)got;
	}
	return WS_OK;
}

static void
sound_close(wsi_recording *rec)
{
	sound_state *s = rec->state;
	if (!s)
		return;
	if (s->file)
		sf_close(s->file);
	free(s->kept);
	free(s->block);
	free(s);
	rec->state = NULL;
}

const wsi_reader wsi_reader_sound = {
	.name = "sound", .probe = sound_probe, .open = sound_open, .read = sound_read,
	.close = sound_close, .foreign = true, .decoder = WSI_WIRE_RECORDING_SOUND,
};
