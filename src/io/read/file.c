/* file.c - checked reads of a regular file, samples of any type, file names. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/target.h"
#include "base/whole.h"
#include "io/read/file.h"

ws_status
wsi_file_open(wsi_file *f, const char *path, wsi_opened *opened)
{
	*f = (wsi_file){ .path = path, .fd = -1 };
	/* Not to wait for the writer of a FIFO, which is refused below. */
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == ENAMETOOLONG)
		return WSI_FAIL(WS_E_IO, "%.80s..: its name is too long for a file", path);
	if (fd < 0)
		return WSI_FAIL(WS_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
	struct stat st;
	if (fstat(fd, &st) != 0) {
		const int error = errno;
		close(fd);
		return WSI_FAIL(WS_E_IO, "%s: cannot be examined: %s", path, strerror(error));
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return WSI_FAIL(WS_E_IO, "%s: %s; name a file, or - for CSV on standard input",
		                path, S_ISDIR(st.st_mode) ? "is a directory"
		                : "is not a regular file");
	}
	const ws_status status = wsi_opened_add(opened, fd, path);
	if (status != WS_OK) {
		close(fd);
		return status;
	}
	f->fd = fd;
	f->bytes = (uint64_t)st.st_size;
	return WS_OK;
}

ws_status
wsi_file_head(const char *path, wsi_opened *opened, unsigned char *head, size_t *n)
{
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, path, opened));
	*n = f.bytes < *n ? (size_t)f.bytes : *n;
	const ws_status status = wsi_file_read(&f, 0, head, *n);
	wsi_file_close(&f);
	return status;
}

void
wsi_file_close(wsi_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

static ws_status
check_range(const wsi_file *f, uint64_t offset, size_t n)
{
	if (offset > f->bytes || n > f->bytes - offset)
		return WSI_FAIL(WS_E_FORMAT, "%s: truncated: %zu bytes are wanted at byte %" PRIu64
		                ", the file has %" PRIu64, f->path, n, offset, f->bytes);
	return WS_OK;
}

static ws_status
read_at(const wsi_file *f, uint64_t offset, void *out, size_t n)
{
	WSI_TRY(check_range(f, offset, n));
	const size_t got = wsi_whole_read(f->fd, out, n, offset);
	if (got == n)
		return WS_OK;
	return errno ? WSI_FAIL(WS_E_IO, "%s: cannot be read at byte %" PRIu64 ": %s", f->path,
	                        offset + got, strerror(errno))
	       : WSI_FAIL(WS_E_IO, "%s: became shorter while it was read", f->path);
}

/* ---- Its window ------------------------------------------------------------------------- */

ws_status
wsi_window_open(wsi_window *w, wsi_file *f, size_t room, bool hashes)
{
	*w = (wsi_window){ .memory = malloc(room ? room : 1), .room = room, .hashes = hashes,
		.end = f->bytes };
	WSI_HAVE(w->memory, "%s: no memory for %zu bytes of it", f->path, room);
	wsi_sha256_start(&w->hash);
	f->window = w;
	return WS_OK;
}

void
wsi_window_close(wsi_window *w, wsi_file *f)
{
	f->window = NULL;
	free(w->memory);
	w->memory = NULL;
}

/* Fills the room behind what is held, at least to `asked`. */
static ws_status
fill(wsi_window *w, const wsi_file *f, uint64_t asked)
{
	const uint64_t end = w->start + w->held, to = w->end > asked ? w->end : asked;
	const uint64_t left = to > end ? to - end : 0;
	const size_t room = w->room - w->held, n = left < room ? (size_t)left : room;
	WSI_TRY(read_at(f, end, w->memory + w->held, n));
	if (w->hashes)
		wsi_sha256_add(&w->hash, w->memory + w->held, n);
	w->held += n;
	return WS_OK;
}

/* The window begins at offset, which it holds or which follows it. */
static void
slide(wsi_window *w, uint64_t offset)
{
	const size_t gone = (size_t)(offset - w->start);
	memmove(w->memory, w->memory + gone, w->held - gone);
	w->held -= gone;
	w->start = offset;
}

/* n bytes of the file at offset, valid until the next call; NULL where the window cannot
 * hold them.  The caller has checked that the file has them. */
static ws_status
get(wsi_window *w, const wsi_file *f, uint64_t offset, size_t n, const unsigned char **bytes)
{
	*bytes = NULL;
	if (offset < w->start || n > w->room)
		return WS_OK;
	if (!w->hashes && offset > w->start + w->held) {
		w->start = offset;
		w->held = 0;
	}
	while (offset > w->start + w->held) {
		slide(w, w->start + w->held);
		WSI_TRY(fill(w, f, offset));
	}
	if (offset + n > w->start + w->room)
		slide(w, offset);
	if (offset + n > w->start + w->held)
		WSI_TRY(fill(w, f, offset + n));
	*bytes = w->memory + (offset - w->start);
	return WS_OK;
}

ws_status
wsi_window_finish(wsi_window *w, const wsi_file *f, char hex[65])
{
	while (w->start + w->held < f->bytes) {
		slide(w, w->start + w->held);
		WSI_TRY(fill(w, f, f->bytes));
	}
	wsi_sha256_finish(&w->hash, hex);
	return WS_OK;
}

/* ---- What it holds ---------------------------------------------------------------------- */

/* n bytes where they lie in the window, or NULL. */
static ws_status
look(const wsi_file *f, uint64_t offset, size_t n, const unsigned char **bytes)
{
	*bytes = NULL;
	if (!f->window)
		return WS_OK;
	WSI_TRY(check_range(f, offset, n));
	return get(f->window, f, offset, n, bytes);
}

ws_status
wsi_file_read(const wsi_file *f, uint64_t offset, void *out, size_t n)
{
	const unsigned char *bytes;
	WSI_TRY(look(f, offset, n, &bytes));
	if (!bytes)
		return read_at(f, offset, out, n);
	memcpy(out, bytes, n);
	return WS_OK;
}

size_t
wsi_sample_bytes(wsi_sample_type type)
{
	switch (type) {
	case WSI_I8:
	case WSI_U8:
		return 1;
	case WSI_I16:
	case WSI_U16:
		return 2;
	case WSI_I24:
		return 3;
	case WSI_I32:
	case WSI_U32:
	case WSI_F32:
		return 4;
	case WSI_I64:
	case WSI_U64:
	case WSI_F64:
		return 8;
	}
	return 0;
}

static double
decode(uint64_t bits, wsi_sample_type type)
{
	float single;
	double real;
	const uint32_t low = (uint32_t)bits;
	switch (type) {
	case WSI_I8:  return (int8_t)bits;
	case WSI_I16: return (int16_t)bits;
	case WSI_I24: return (int32_t)(low << 8) / 256;
	case WSI_I32: return (int32_t)bits;
	case WSI_I64: return (double)(int64_t)bits;
	case WSI_U8:
	case WSI_U16:
	case WSI_U32:
	case WSI_U64: return (double)bits;
	case WSI_F32:
		memcpy(&single, &low, sizeof single);
		return single;
	case WSI_F64:
		memcpy(&real, &bits, sizeof real);
		return real;
	}
	return 0;
}

/* Samples of the machine's own byte order, of the types that large recordings have; false
 * for others. */
static bool
decode_native(const unsigned char *in, size_t stride, size_t count, wsi_sample_type type,
              double *out)
{
#define EACH(TYPE)                                               \
	for (size_t i = 0; i < count; ++i) {                     \
		TYPE v;                                          \
		memcpy(&v, in + i * stride, sizeof v);           \
		out[i] = (double)v;                              \
	}
	switch (type) {
	case WSI_I16:
		EACH(int16_t)
		return true;
	case WSI_I32:
		EACH(int32_t)
		return true;
	case WSI_F32:
		EACH(float)
		return true;
	case WSI_F64:
		EACH(double)
		return true;
	default:
		return false;
	}
#undef EACH
}

void
wsi_decode(const unsigned char *in, size_t stride, size_t count, wsi_sample_type type,
           bool big_endian, double *out)
{
	const size_t bytes = wsi_sample_bytes(type);
	const bool native = big_endian == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (native && decode_native(in, stride, count, type, out))
		return;
	for (size_t i = 0; i < count; ++i) {
		const unsigned char *p = in + i * stride;
		uint64_t bits = 0;
		for (size_t k = 0; k < bytes; ++k)
			bits |= (uint64_t)p[big_endian ? bytes - 1 - k : k] << (8 * k);
		out[i] = decode(bits, type);
	}
}

void
wsi_encode(double value, wsi_sample_type type, bool big_endian, unsigned char *at)
{
	const size_t bytes = wsi_sample_bytes(type);
	const float single = (float)value;
	uint64_t bits = 0;
	uint32_t half;
	if (type == WSI_F64) {
		memcpy(&bits, &value, sizeof bits);
	} else if (type == WSI_F32) {
		memcpy(&half, &single, sizeof half);
		bits = half;
	} else {
		bits = value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
	}
	for (size_t k = 0; k < bytes; ++k)
		at[big_endian ? bytes - 1 - k : k] = (unsigned char)(bits >> (8 * k));
}

ws_status
wsi_file_read_samples(const wsi_file *f, uint64_t offset, size_t stride, size_t count,
                      wsi_sample_type type, bool big_endian, double *out)
{
	unsigned char buffer[65536];
	const size_t bytes = wsi_sample_bytes(type);
	const size_t most = stride < sizeof buffer ? sizeof buffer / stride : 1;
	while (count > 0) {
		const unsigned char *in;
		size_t n = count;
		if (f->window && count > f->window->room / 2 / stride)
			n = f->window->room / 2 / stride > 0 ? f->window->room / 2 / stride : 1;
		WSI_TRY(look(f, offset, (n - 1) * stride + bytes, &in));
		if (!in) {
			n = n < most ? n : most;
			WSI_TRY(read_at(f, offset, buffer, (n - 1) * stride + bytes));
			in = buffer;
		}
		wsi_decode(in, stride, n, type, big_endian, out);
		offset += (uint64_t)n * stride;
		out += n;
		count -= n;
	}
	return WS_OK;
}

bool
wsi_name_ends(const char *path, const char *ending)
{
	const size_t n = strlen(path), m = strlen(ending);
	return n >= m && strcasecmp(path + n - m, ending) == 0;
}

static char *
joined(const char *start, size_t start_length, const char *end)
{
	char *s = malloc(start_length + strlen(end) + 1);
	if (!s)
		return NULL;
	memcpy(s, start, start_length);
	strcpy(s + start_length, end);
	return s;
}

char *
wsi_path_with_ext(const char *path, const char *ext)
{
	const char *name = wsi_base_name(path);
	const char *dot = strrchr(name, '.');
	const size_t stem = dot && dot != name ? (size_t)(dot - path) : strlen(path);
	char *with_dot = joined(path, stem, ".");
	if (!with_dot)
		return NULL;
	char *full = joined(with_dot, stem + 1, ext);
	free(with_dot);
	return full;
}

char *
wsi_path_beside(const char *path, const char *name)
{
	return joined(path, (size_t)(wsi_base_name(path) - path), name);
}
