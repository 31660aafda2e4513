/* h5_disk.c - HDF5 files for writing that survive a full disk. */
#include "io/hdf5/h5_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole.h"
#include "io/hdf5/h5.h"
#include "io/write/behind.h"
#include "io/write/outfile.h"

/* A write that did not reach the disk. */
typedef struct lost {
	struct lost *older;
	haddr_t at;
	size_t bytes;
	unsigned char data[];
} lost;

typedef struct disk_file {
	H5FD_t base;          /* HDF5's, first */
	int fd;
	haddr_t used;         /* end of what HDF5 allocated */
	haddr_t written;      /* end of what was written, on disk or lost */
	lost *newest;
	wsi_behind *behind;   /* of samples; or NULL, before the first or for want of memory */
	wsi_h5_disk *disk;
} disk_file;

static void
note(disk_file *f, int error)
{
	if (f->disk->error == 0)
		f->disk->error = error ? error : EIO;
}

static H5FD_t *
disk_open(const char *name, unsigned flags, hid_t access, haddr_t max)
{
	(void)name, (void)max;
	wsi_h5_disk *const *disk = H5Pget_driver_info(access);
	disk_file *f = calloc(1, sizeof *f);
	if (!disk || !f || !(flags & H5F_ACC_TRUNC)) {
		free(f);
		return NULL;
	}
	f->disk = *disk;
	/* The file is empty: to cut it would have it flushed as soon as it is closed. */
	f->fd = wsi_newfile_again(f->disk->to, O_RDWR);
	if (f->fd >= 0)
		return &f->base;
	note(f, errno);
	free(f);
	return NULL;
}

/* Until all samples are written. */
static void
settle(disk_file *f)
{
	const int error = f->behind ? wsi_behind_wait(f->behind) : 0;
	if (error)
		note(f, error);
}

static herr_t
disk_close(H5FD_t *file)
{
	disk_file *f = (disk_file *)file;
	settle(f);
	wsi_behind_close(f->behind);
	free(f->disk->ends);
	f->disk->ends = NULL;
	f->disk->n_ends = f->disk->room = 0;
	if (close(f->fd) != 0)
		note(f, errno);
	while (f->newest) {
		lost *older = f->newest->older;
		free(f->newest);
		f->newest = older;
	}
	free(f);
	return 0;
}

static herr_t
disk_query(const H5FD_t *file, unsigned long *flags)
{
	(void)file;
	/* Samples are not aggregated: HDF5 then asks disk_allocate() for their place. */
	*flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
	         H5FD_FEAT_DATA_SIEVE;
	return 0;
}

static haddr_t
disk_used(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return ((const disk_file *)file)->used;
}

static herr_t
disk_set_used(H5FD_t *file, H5FD_mem_t type, haddr_t end)
{
	(void)type;
	((disk_file *)file)->used = end;
	return 0;
}

static haddr_t
pages(haddr_t at)
{
	return (at + WSI_BEHIND_PAGE - 1) / WSI_BEHIND_PAGE * WSI_BEHIND_PAGE;
}

/* Without memory for it, it is written like anything else. */
static void
note_end(wsi_h5_disk *d, haddr_t end)
{
	if (d->n_ends == d->room) {
		const size_t room = 2 * d->room + 64;
		haddr_t *grown = realloc(d->ends, room * sizeof *grown);
		if (!grown)
			return;
		d->ends = grown;
		d->room = room;
	}
	d->ends[d->n_ends++] = end;
}

static bool
is_end(const wsi_h5_disk *d, haddr_t at)
{
	size_t low = 0, high = d->n_ends;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (d->ends[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->n_ends && d->ends[low] == at;
}

/* What is long gets pages of its own: it is written past the system's cache, and by whichever
 * process has it. */
static haddr_t
disk_allocate(H5FD_t *file, H5FD_mem_t type, hid_t transfer, hsize_t bytes)
{
	(void)transfer;
	disk_file *f = (disk_file *)file;
	haddr_t at = f->used;
	const bool is_long = type == H5FD_MEM_DRAW && bytes >= WSI_BEHIND_LEAST;
	if (is_long)
		at = pages(at);
	if (bytes > (haddr_t)INT64_MAX - at - WSI_BEHIND_PAGE)
		return HADDR_UNDEF;
	f->used = at + bytes;
	if (is_long) {
		note_end(f->disk, f->used);
		f->used = pages(f->used);
	}
	return at;
}

static haddr_t
disk_written(const H5FD_t *file, H5FD_mem_t type)
{
	(void)type;
	return ((const disk_file *)file)->written;
}

/* Lays what was lost over what the disk gave, the oldest first. */
static void
overlay(const lost *l, haddr_t at, size_t bytes, unsigned char *out)
{
	if (!l)
		return;
	overlay(l->older, at, bytes, out);
	haddr_t from = l->at > at ? l->at : at;
	haddr_t to = l->at + l->bytes < at + bytes ? l->at + l->bytes : at + bytes;
	if (from < to)
		memcpy(out + (from - at), l->data + (from - l->at), (size_t)(to - from));
}

static herr_t
disk_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t bytes, void *out)
{
	(void)type;
	(void)transfer;
	disk_file *f = (disk_file *)file;
	if (f->behind && wsi_behind_holds(f->behind, at, bytes))
		settle(f);
	memset(out, 0, bytes);
	if (wsi_whole_read(f->fd, out, bytes, at) < bytes && errno)
		return -1;
	overlay(f->newest, at, bytes, out);
	return 0;
}

/* HDF5 reads its own tables back, but never samples that are on their way. */
static void
keep(disk_file *f, H5FD_mem_t type, haddr_t at, size_t bytes, const void *data)
{
	lost *l = type == H5FD_MEM_DRAW ? NULL : malloc(sizeof *l + bytes);
	if (!l)
		return;
	*l = (lost){ .older = f->newest, .at = at, .bytes = bytes };
	memcpy(l->data, data, bytes);
	f->newest = l;
}

/* False where it has to be done at once. */
static bool
write_behind(disk_file *f, haddr_t at, size_t bytes, const void *data)
{
	if (!f->behind)
		f->behind = wsi_behind_open(f->fd, f->disk->to, f->disk->threads);
	if (!f->behind)
		return false;
	const int error = wsi_behind_error(f->behind);
	if (error) {
		note(f, error);
		return true;
	}
	wsi_behind_put(f->behind, at, data, bytes);
	if (is_end(f->disk, at + bytes)) {
		wsi_behind_pad(f->behind);
		f->written = f->written > pages(at + bytes) ? f->written : pages(at + bytes);
	}
	return true;
}

static herr_t
disk_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t at, size_t bytes,
           const void *data)
{
	(void)transfer;
	disk_file *f = (disk_file *)file;
	if (at + bytes > f->written)
		f->written = at + bytes;
	if (type == H5FD_MEM_DRAW && bytes >= WSI_BEHIND_LEAST && write_behind(f, at, bytes, data))
		return 0;
	if (f->behind && wsi_behind_holds(f->behind, at, bytes))
		settle(f);
	const int error = f->disk->error ? 0 : wsi_whole_write(f->fd, data, bytes, at);
	if (error)
		note(f, error);
	if (f->disk->error)
		keep(f, type, at, bytes, data);
	return 0;
}

static herr_t
disk_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
	(void)transfer;
	(void)closing;
	disk_file *f = (disk_file *)file;
	settle(f);
	if (f->used != f->written && f->disk->error == 0 && ftruncate(f->fd, (off_t)f->used) != 0)
		note(f, errno);
	f->written = f->used;
	return 0;
}

static const H5FD_class_t driver = {
	.name = "wavesift",
	.maxaddr = (haddr_t)INT64_MAX,
	.fc_degree = H5F_CLOSE_STRONG,
	.fapl_size = sizeof(wsi_h5_disk *),
	.open = disk_open,
	.close = disk_close,
	.query = disk_query,
	.alloc = disk_allocate,
	.get_eoa = disk_used,
	.set_eoa = disk_set_used,
	.get_eof = disk_written,
	.read = disk_read,
	.write = disk_write,
	.truncate = disk_truncate,
	.fl_map = H5FD_FLMAP_DICHOTOMY,
};

hid_t
wsi_h5_disk_create(wsi_h5_disk *disk, const wsi_newfile *to, size_t userblock, int threads)
{
	const hid_t id = H5FDregister(&driver);
	*disk = (wsi_h5_disk){ .to = to, .threads = threads, .driver = id };
	hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
	hid_t file = -1;
	/* The newer object headers hold attributes of any size: thousands of channel names.  Read
	 * by HDF5 1.8 (2008) and later.  Without the time of its making, so that what is the same
	 * gives the same file. */
	if (id >= 0 && access >= 0 && creation >= 0 && H5Pset_driver(access, id, &disk) >= 0
	    && H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0
	    && H5Pset_userblock(creation, userblock) >= 0
	    && H5Pset_obj_track_times(creation, 0) >= 0)
		file = H5Fcreate(to->temp, H5F_ACC_TRUNC, creation, access);
	wsi_h5_close(creation, access);
	if (file < 0 && id >= 0)
		H5FDunregister(id);
	return file;
}

/* HDF5 looks at the driver once more after the file has given it back: it is ours until then. */
herr_t
wsi_h5_disk_close(wsi_h5_disk *disk, hid_t file)
{
	if (file < 0)
		return 0;
	const herr_t code = H5Fclose(file);
	H5FDunregister(disk->driver);
	return code;
}

ws_status
wsi_h5_disk_fail(const wsi_h5_disk *disk, const char *path, const char *doing)
{
	if (disk->error == 0)
		return WSI_FAIL(WS_E_IO, "%s: HDF5 failed at %s", path, doing);
	errno = disk->error;
	return wsi_write_fail(path);
}
