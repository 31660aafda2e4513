/*
 * readers.h - every reader there is, and what readers share: checked file
 * reads, integers of either byte order, file names.
 */
#ifndef WSI_IO_READERS_H
#define WSI_IO_READERS_H

#include "base/status.h"
#include "io/read/opened.h"
#include "io/read/recording.h"

/* Those that are asked whose a file is (docs/adding-a-format.md).  EEGLAB before MAT: a .set is a
 * MAT file too.  Text last: what the others know by content may be text as well. */
#define WSI_READERS(ROW) \
	ROW(edf) ROW(brainvision) ROW(eeglab) ROW(mat) ROW(hdf5) ROW(npy) ROW(sound) \
	ROW(text)
#define WSI_READER(name) extern const wsi_reader wsi_reader_##name;
WSI_READERS(WSI_READER)
extern const wsi_reader wsi_reader_raw;

/* wsi_recording_open() by this reader, whatever the file is; NULL: by that which it tells. */
ws_status wsi_recording_open_by(wsi_recording **rec, const char *path, const wsi_open_opts *opts,
                                const wsi_reader *reader);

/* Opens by rec->reader, here; its state is made. */
ws_status wsi_reader_open(wsi_recording *rec);

/* What they read, for messages.  Other formats: converted.h. */
#define WSI_FORMATS "EDF, BDF, BrainVision, EEGLAB, MAT, HDF5, NPY, NPZ, CSV, WAV, AIFF, FLAC, OGG"

/* Bytes of the file that probe() sees (fewer if the file is shorter): past
 * the 512 bytes that MATLAB puts before HDF5. */
#define WSI_HEAD_BYTES 4096

/* A regular file open for reading.  {.fd = -1} is closed. */
typedef struct wsi_file {
	const char *path;  /* borrowed */
	int fd;
	uint64_t bytes;
	struct wsi_window *window; /* that it is read through (window.h); or NULL */
} wsi_file;

/* On failure the file is closed and the detail names path.  opened: is told of it; or NULL. */
ws_status wsi_file_open(wsi_file *f, const char *path, wsi_opened *opened);
void wsi_file_close(wsi_file *f);
/* Opens a file for its first bytes alone: *n of them, of at most *n. */
ws_status wsi_file_head(const char *path, wsi_opened *opened, unsigned char *head, size_t *n);
#define WSI_HDF5_HEAD "\x89HDF\r\n\x1a\n"
/* Reads exactly n bytes at offset; a file that ends before is WS_E_FORMAT. */
ws_status wsi_file_read(const wsi_file *f, uint64_t offset, void *out, size_t n);
/* The same, whatever its window holds. */
ws_status wsi_file_read_at(const wsi_file *f, uint64_t offset, void *out, size_t n);

/* Does the name end so?  Case is ignored: ".edf" matches "A.EDF". */
bool wsi_name_ends(const char *path, const char *ending);
/* The name with its last extension replaced (ext "fdt"), or, for
 * wsi_path_beside, name in path's folder; NULL when out of memory. */
char *wsi_path_with_ext(const char *path, const char *ext);
char *wsi_path_beside(const char *path, const char *name);

/* *out = a * b, false when that overflows. */
static inline bool
wsi_mul_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* The sample types that readers of plain binary share. */
typedef enum wsi_sample_type {
	WSI_I8, WSI_U8, WSI_I16, WSI_U16, WSI_I24, WSI_I32, WSI_U32, WSI_I64, WSI_U64,
	WSI_F32, WSI_F64
} wsi_sample_type;

size_t wsi_sample_bytes(wsi_sample_type type);
/* Decodes count samples of which the next lies stride bytes further. */
void wsi_decode(const unsigned char *in, size_t stride, size_t count, wsi_sample_type type,
                bool big_endian, double *out);
/* Reads count samples of a file at offset, stride bytes apart (at least the
 * sample's size), through a buffer of fixed size. */
ws_status wsi_file_read_samples(const wsi_file *f, uint64_t offset, size_t stride, size_t count,
                                wsi_sample_type type, bool big_endian, double *out);

/* A copy of n bytes without blanks around it, as UTF-8: bytes that are no UTF-8 are taken for
 * Latin-1; what steers terminals or the direction of text is made blanks.  NULL when out of
 * memory. */
char *wsi_clean_text(const char *text, size_t n);
/* The same into out[2 n + 1]; its length. */
size_t wsi_clean_into(const char *text, size_t n, char *out);
/* The same of a name, which is cut where it is longer than any can be meant, and then ends in a
 * mark by which names that begin alike stay apart. */
char *wsi_clean_name(const char *name);
/* Was it cut?  What looks like it counts as well. */
bool wsi_name_is_cut(const char *name);

/* Replaces a channel's name or unit by a clean copy. */
ws_status wsi_channel_set_name(wsi_channel *channel, const char *name);
ws_status wsi_channel_set_unit(wsi_channel *channel, const char *unit);
/* Whoever selects or reads the channel is told so, by its name: others are read all the same. */
ws_status wsi_channel_set_fault(wsi_channel *channel, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* WS_E_FORMAT where the channel has a fault. */
ws_status wsi_channel_check(const wsi_recording *rec, size_t channel);

/* Takes the events from a channel of triggers (triggers.h), by name or number, instead of those
 * that there are; the channel is no signal then.  WS_E_ARG, or as reading fails. */
ws_status wsi_recording_events_from(wsi_recording *rec, const char *channel);
void wsi_recording_drop_events(wsi_recording *rec);

/* What callers rely on, whatever the file or its decoder says: channels, rates above 0, finite
 * times. */
ws_status wsi_recording_check(wsi_recording *rec);

/* By onset; events of one onset keep their order. */
ws_status wsi_recording_sort_events(wsi_recording *rec);

#endif
