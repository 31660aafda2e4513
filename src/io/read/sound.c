/*
 * sound.c - WAV, AIFF, FLAC and OGG by libsndfile.
 *
 * Values are as libsndfile scales them: integer samples to -1 .. 1.  What it does not check is
 * checked here: sizes and OGG's pages before it opens the file (sound_size.h), FLAC's frames by the
 * errors that it notes and passes over, and where all of a FLAC is read, its MD5.  Markers of WAV
 * (cue, with their names in labl) and AIFF (MARK) are events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nettle/md5.h>
#include <sndfile.h>

#include "io/decode/decoder.h"
#include "io/read/readers.h"
#include "io/read/sound_size.h"
#include "io/decode/wire.h"

#define BLOCK_SAMPLES 32768  /* of all channels, decoded at once */

typedef struct sound_state {
	wsi_sound_file look;
	SNDFILE *file;
	int channels;
	bool sequential;      /* cannot be sought in */
	sf_count_t position;  /* the frame that the next decoding gives */
	double *block;        /* [frame][channel] */
	sf_count_t block_frames;
	float *kept;          /* [channel - 1][frame] of compressed formats, whose decoding gives
	                         all channels: those after the first, while that is read */
	sf_count_t frames, n_kept;
	struct md5_ctx md5;   /* of the frames up to `hashed` */
	sf_count_t hashed;
} sound_state;

static int
sound_probe(const unsigned char *head, size_t n, const char *path)
{
	if (wsi_is_sound(head, n))
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

/* ---- A file with another header ---------------------------------------------------------- */

static sf_count_t
shown_length(void *user)
{
	const wsi_sound_file *s = user;
	return (sf_count_t)(s->head_bytes + s->bytes);
}

static sf_count_t
shown_seek(sf_count_t offset, int whence, void *user)
{
	wsi_sound_file *s = user;
	const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR
		? (sf_count_t)s->position : shown_length(user);
	if (offset < -from || offset > shown_length(user) - from)
		return -1;
	s->position = (uint64_t)(from + offset);
	return from + offset;
}

static sf_count_t
shown_read(void *out, sf_count_t count, void *user)
{
	wsi_sound_file *s = user;
	const uint64_t left = (uint64_t)shown_length(user) - s->position;
	const size_t n = count < 0 ? 0 : (uint64_t)count < left ? (size_t)count : (size_t)left;
	size_t of_head = s->position < s->head_bytes ? s->head_bytes - (size_t)s->position : 0;
	of_head = of_head < n ? of_head : n;
	memcpy(out, s->head + (s->position < s->head_bytes ? s->position : 0), of_head);
	const uint64_t at = s->data + (s->position + of_head - s->head_bytes);
	if (n > of_head && wsi_file_read(&s->file, at, (char *)out + of_head, n - of_head) != WS_OK)
		return 0;
	s->position += n;
	return (sf_count_t)n;
}

static sf_count_t
shown_tell(void *user)
{
	return (sf_count_t)((const wsi_sound_file *)user)->position;
}

static SF_VIRTUAL_IO shown = {
	.get_filelen = shown_length, .seek = shown_seek, .read = shown_read, .tell = shown_tell,
};

/* ---- Decoding ---------------------------------------------------------------------------- */

/* Decodes up to n frames into the block, whatever channel they are of: how many; -1 where there
 * are none, or the file is damaged: FLAC's decoder puts zeros in place of a frame that is not what
 * its checksum says, and libsndfile goes on. */
static sf_count_t
decode(sound_state *s, sf_count_t n)
{
	const sf_count_t got = sf_readf_double(s->file, s->block, n);
	if (got < 1 || got > n || sf_error(s->file) != SF_ERR_NO_ERROR)
		return -1;
	return got;
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
		const sf_count_t got = decode(s, n);
		if (got < 0)
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
	if (!go_to(s, frames - 1) || decode(s, 1) != 1)
		return false;
	s->position = frames;
	return true;
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

/* The length is not told: of an OGG that was cut short, a FLAC that went to a pipe. */
static ws_status
count_frames(wsi_recording *rec, sf_count_t *frames)
{
	sound_state *s = rec->state;
	sf_count_t got;
	while ((got = sf_readf_double(s->file, s->block, s->block_frames)) > 0
	       && got <= s->block_frames && sf_error(s->file) == SF_ERR_NO_ERROR)
		s->position += got;
	if (s->position == 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged, or cut short at its beginning: no frame "
		                "can be decoded", rec->path);
	if (got != 0 || sf_error(s->file) != SF_ERR_NO_ERROR)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: frame %" PRId64 " cannot be decoded: %s",
		                rec->path, (int64_t)s->position, sf_strerror(s->file));
	*frames = s->position;
	return wsi_recording_add_note(rec, "%s: does not tell its length: it was cut short or "
	                              "never finished; the %" PRId64 " frames that are there are "
	                              "read", rec->path, (int64_t)*frames);
}

/* Markers; one without a name has its number.  libsndfile keeps 255 bytes of a name, more than the
 * program does, which says so. */
static ws_status
take_markers(wsi_recording *rec, SNDFILE *file, double fs)
{
	uint32_t n = 0;
	char number[24];
	if (!sf_command(file, SFC_GET_CUE_COUNT, &n, sizeof n) || n == 0)
		return WS_OK;
	SF_CUES_VAR() *cues;
	const size_t bytes = sizeof *cues + n * sizeof(SF_CUE_POINT);
	cues = calloc(1, bytes);
	WSI_HAVE(cues, "%s: no memory for %" PRIu32 " markers", rec->path, n);
	ws_status status = WS_OK;
	n = sf_command(file, SFC_GET_CUE, cues, (int)bytes) ? n : 0;
	for (uint32_t i = 0; i < n && status == WS_OK; ++i) {
		const SF_CUE_POINT *cue = &cues->cue_points[i];
		snprintf(number, sizeof number, "%" PRId32, cue->indx);
		status = wsi_recording_add_event(rec, cue->sample_offset / fs, 0,
		                                 cue->name[0] ? cue->name : number);
	}
	free(cues);
	return status;
}

static ws_status
sound_open(wsi_recording *rec)
{
	sound_state *s = rec->state;
	s->look.file.fd = -1;
	WSI_TRY(wsi_sound_look(rec, &s->look));
	SF_INFO info = { .format = 0 };
	s->file = s->look.head ? sf_open_virtual(&shown, SFM_READ, &info, &s->look)
	                       : sf_open(rec->source, SFM_READ, &info);
	if (!s->file)
		return WSI_FAIL(WS_E_FORMAT, "%s: cannot be decoded: %s", rec->path,
		                sf_strerror(NULL));
	rec->format = format_name(info.format);
	/* Not what it is shown as. */
	if (s->look.head && (info.format & SF_FORMAT_TYPEMASK) != SF_FORMAT_FLAC && rec->format
	    && strcmp(rec->format, "AIFF") != 0)
		rec->format = s->look.wide ? "RF64" : "WAV";
	if (!rec->format)
		return WSI_FAIL(WS_E_FORMAT, "%s: a sound format that is not supported; "
		                "convert it to WAV or FLAC", rec->path);
	if (info.channels < 1 || info.samplerate < 1 || info.frames < 1 || !info.seekable)
		return WSI_FAIL(WS_E_FORMAT, "%s: no samples: %d channels of %" PRId64
		                " frames at %d Hz", rec->path, info.channels, (int64_t)info.frames,
		                info.samplerate);
	s->channels = info.channels;
	s->sequential = (info.format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG;
	s->block_frames = BLOCK_SAMPLES / info.channels;
	if (s->block_frames < 1)
		s->block_frames = 1;
	WSI_NEW(s->block, (size_t)s->block_frames * (size_t)s->channels,
	        "%s: no memory to decode it", rec->path);
	if (info.frames == SF_COUNT_MAX)
		WSI_TRY(count_frames(rec, &info.frames));
	else if (!has_last_frame(s, info.frames))
		return WSI_FAIL(WS_E_FORMAT, "%s: its header promises %" PRId64
		                " frames, but they cannot all be decoded; the file is cut "
		                "off or damaged", rec->path, (int64_t)info.frames);
	WSI_TRY(wsi_recording_set_channels(rec, (size_t)info.channels, (size_t)info.frames));
	for (size_t i = 0; i < rec->n_channels; ++i)
		rec->channels[i].fs = info.samplerate;
	rec->fs_known = true;
	WSI_TRY(take_markers(rec, s->file, info.samplerate));
	s->frames = info.frames;
	md5_init(&s->md5);
	make_room(rec, info.format);
	return WS_OK;
}

/* Takes what was decoded from s->position on into the sum of all samples, and compares it at the
 * end with the one that a FLAC has of them. */
static ws_status
sum_up(wsi_recording *rec, sf_count_t got)
{
	sound_state *s = rec->state;
	enum { MOST = 1024 };
	unsigned char bytes[4 * MOST], md5[MD5_DIGEST_SIZE];
	if (!s->look.has_md5 || s->position != s->hashed)
		return WS_OK;
	const size_t n = (size_t)got * (size_t)s->channels, size = ((size_t)s->look.bits + 7) / 8;
	const double scale = (double)((uint64_t)1 << (s->look.bits - 1));
	for (size_t at = 0; at < n;) {
		size_t k = 0;
		for (; at < n && k < MOST; ++at, ++k) {
			const uint32_t value = (uint32_t)(int64_t)(s->block[at] * scale);
			for (size_t b = 0; b < size; ++b)
				bytes[k * size + b] = (unsigned char)(value >> (8 * b));
		}
		md5_update(&s->md5, k * size, bytes);
	}
	s->hashed += got;
	if (s->hashed < s->frames)
		return WS_OK;
	md5_digest(&s->md5, sizeof md5, md5);
	if (memcmp(md5, s->look.md5, sizeof md5) != 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its samples are not what its MD5 says",
		                rec->path);
	s->look.has_md5 = false;
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
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: frame %zu cannot be found: %s",
		                rec->path, first, sf_strerror(s->file));
	while (count > 0) {
		const sf_count_t n = count < (size_t)s->block_frames ? (sf_count_t)count
		                                                     : s->block_frames;
		const sf_count_t got = decode(s, n);
		if (got < 0)
			return WSI_FAIL(WS_E_FORMAT, "%s: damaged: frame %" PRId64 " cannot be "
			                "decoded: %s", rec->path, (int64_t)s->position,
			                sf_strerror(s->file));
		WSI_TRY(sum_up(rec, got));
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
	if (s->file)
		sf_close(s->file);
	wsi_sound_file_close(&s->look);
	free(s->kept);
	free(s->block);
}

const wsi_reader wsi_reader_sound = {
	.name = "sound", .state_bytes = sizeof(sound_state), .probe = sound_probe,
	.open = sound_open, .read = sound_read, .close = sound_close, .layout = wsi_sound_layout,
	.foreign = true,
	.decoder = WSI_WIRE_RECORDING_SOUND,
};
