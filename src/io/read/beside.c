/* beside.c - samples of a recording that lie in a file beside it (EEGLAB's .fdt and .dat). */
#include "io/read/beside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Names are stored as the writer's system knew them, folders and all. */
static const char *
last_part(const char *name)
{
	for (const char *c = name; *c; ++c)
		if (*c == '/' || *c == '\\')
			name = c + 1;
	return name;
}

ws_status
wsi_beside_name(wsi_recording *rec, const char *data, const char *datfile)
{
	const char *names[2] = { data ? last_part(data) : "", datfile ? last_part(datfile) : "" };
	wsi_beside *b = rec->beside = calloc(1, sizeof *b);
	if (b)
		b->file.fd = -1;
	for (int i = 0; b && i < 2; ++i) {
		b->names[i] = wsi_clean_text(names[i], strlen(names[i]));
		WSI_HAVE(b->names[i], "%s: out of memory", rec->path);
	}
	return b ? WS_OK : WSI_FAIL(WS_E_NOMEM, "%s: out of memory", rec->path);
}

/* Opens a file, whose name it takes; b->path stays NULL where there is none. */
static ws_status
try_path(wsi_beside *b, char *path, wsi_opened *opened)
{
	struct stat st;
	WSI_HAVE(path, "no memory for the name of a file of samples");
	/* One that is there and cannot be opened is not passed over for another. */
	const int error = stat(path, &st) != 0 ? errno : S_ISREG(st.st_mode) ? 0 : ENOENT;
	if (error == ENOENT || error == ENOTDIR || error == ENAMETOOLONG) {
		free(path);
		return WS_OK;
	}
	b->path = path;
	return wsi_file_open(&b->file, path, opened);
}

/* A file that holds more points, all channels together, than the recording tells of: more samples,
 * or more epochs. */
static ws_status
take_more(wsi_recording *rec)
{
	const wsi_beside *b = rec->beside;
	const size_t told = rec->epochs ? rec->epochs : rec->channels[0].samples;
	const size_t points = rec->epochs ? rec->channels[0].samples : 1;
	size_t bytes;
	if (!b->channels_together || !wsi_mul_size(rec->n_channels, points, &bytes)
	    || !wsi_mul_size(bytes, sizeof(float), &bytes) || bytes == 0
	    || b->file.bytes % bytes != 0 || b->file.bytes / bytes <= told)
		return WS_OK;
	const size_t held = (size_t)(b->file.bytes / bytes);
	const char *what = rec->epochs ? "epochs" : "samples";
	WSI_TRY(wsi_recording_add_note(rec, "%s: tells of %zu %s, %s holds %zu: all are read",
	                               rec->path, told, what, b->path, held));
	if (rec->epochs)
		rec->epochs = held;
	for (size_t i = 0; !rec->epochs && i < rec->n_channels; ++i)
		rec->channels[i].samples = held;
	return WS_OK;
}

ws_status
wsi_beside_open(wsi_recording *rec)
{
	wsi_beside *b = rec->beside;
	wsi_opened *opened = rec->opts.opened;
	static const char *const endings[2] = { "fdt", "dat" };
	for (int i = 0; i < 2 && !b->path; ++i)
		if (*b->names[i])
			WSI_TRY(try_path(b, wsi_path_beside(rec->path, b->names[i]), opened));
	/* Sets that were renamed along with their data. */
	for (int i = 0; i < 2 && !b->path; ++i)
		WSI_TRY(try_path(b, wsi_path_with_ext(rec->path, endings[i]), opened));
	if (!b->path)
		return WSI_FAIL(WS_E_IO, "%s: its samples, the file %s, are not beside it; put it "
		                "there", rec->path, *b->names[0] ? b->names[0] : *b->names[1]
		                ? b->names[1] : "*.fdt");
	b->channels_together = !wsi_name_ends(b->path, ".dat");
	WSI_TRY(take_more(rec));
	const size_t samples = rec->channels[0].samples, epochs = rec->epochs ? rec->epochs : 1;
	size_t bytes;
	if (!wsi_mul_size(rec->n_channels, samples, &bytes) || !wsi_mul_size(bytes, epochs, &bytes)
	    || !wsi_mul_size(bytes, sizeof(float), &bytes) || bytes != b->file.bytes)
		return WSI_FAIL(WS_E_FORMAT, "%s: has %llu bytes, which are not the %zu channels x "
		                "%zu samples x %zu epochs of float32 that %s announces", b->path,
		                (unsigned long long)b->file.bytes, rec->n_channels, samples, epochs,
		                rec->path);
	rec->file = &b->file;
	rec->order = b->channels_together ? WSI_ORDER_SAMPLES
	             : epochs > 1 ? WSI_ORDER_OTHER : WSI_ORDER_CHANNELS;
	return WS_OK;
}

ws_status
wsi_beside_read(wsi_recording *rec, size_t epoch, size_t channel, size_t first, size_t count,
                double *out)
{
	const wsi_beside *b = rec->beside;
	const size_t samples = rec->channels[0].samples, epochs = rec->epochs ? rec->epochs : 1;
	const size_t at = epoch * samples + first;
	const size_t index = b->channels_together ? at * rec->n_channels + channel
	                     : channel * epochs * samples + at;
	const size_t stride = b->channels_together ? rec->n_channels : 1;
	return wsi_file_read_samples(&b->file, (uint64_t)index * sizeof(float),
	                             stride * sizeof(float), count, WSI_F32, false, out);
}

void
wsi_beside_close(wsi_beside *b)
{
	if (!b)
		return;
	wsi_file_close(&b->file);
	free(b->names[0]);
	free(b->names[1]);
	free(b->path);
	free(b);
}
