/*
 * writer_npy.c - NumPy's array format: [epoch][channel][mode][time], the
 * epoch axis only if epoched, the residue as the last mode.
 */
#include "io/writer.h"

#include <string.h>

#define NPY_ALIGN 64

/* Magic, version 1.0, the header's length, the header, padded to 64 bytes. */
static void
write_head(const wsi_writer *w, FILE *f)
{
	const wsi_result_header *h = &w->header;
	char epochs[32] = "";
	if (h->epochs)
		snprintf(epochs, sizeof epochs, "%zu, ", h->epochs);
	unsigned char head[4 * NPY_ALIGN];
	memset(head, ' ', sizeof head);
	memcpy(head, "\x93NUMPY\x01\x00", 8);
	char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
	int n = snprintf((char *)head + 10, sizeof head - 10,
	                 "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%s%zu, %zu, %zu), }",
	                 order, wsi_type_bytes(h->store), epochs, h->channels, w->modes + 1,
	                 h->samples);
	/* At most 10 + 150 + 1 bytes: four 20-digit numbers and the rest. */
	size_t total = (10 + (size_t)n + 1 + NPY_ALIGN - 1) / NPY_ALIGN * NPY_ALIGN;
	head[10 + n] = ' '; /* over the NUL */
	head[total - 1] = '\n';
	head[8] = (unsigned char)((total - 10) & 0xff);
	head[9] = (unsigned char)((total - 10) >> 8);
	fwrite(head, 1, total, f);
}

static ws_status
write_rows(const wsi_writer *w, FILE *f)
{
	const wsi_spool *spool = w->state;
	size_t size = wsi_type_bytes(w->header.store);
	_Alignas(64) char piece[1 << 16];
	const size_t step = sizeof piece / size;
	for (size_t e = 0; e < spool->entries; ++e)
		for (size_t r = 0; r <= w->modes; ++r)
			for (size_t first = 0; first < spool->samples; first += step) {
				size_t left = spool->samples - first;
				size_t count = left < step ? left : step;
				wsi_spool_row row = { e, r < w->modes ? r : WSI_ROW_RESIDUE };
				WSI_TRY(wsi_spool_read(spool, row, first, count, piece));
				if (fwrite(piece, size, count, f) != count)
					return wsi_write_fail(w->path);
			}
	return WS_OK;
}

static ws_status
npy_finish(wsi_writer *w, const wsi_fact *facts, size_t n_facts)
{
	(void)facts;
	(void)n_facts;
	FILE *f = fopen(w->temp, "wbe");
	if (!f)
		return wsi_write_fail(w->path);
	write_head(w, f);
	ws_status status = write_rows(w, f);
	if (status != WS_OK) {
		fclose(f);
		return status;
	}
	return wsi_write_close(f, w->path);
}

const wsi_writer_format wsi_writer_npy = {
	".npy", wsi_spooled_open, wsi_spooled_put, npy_finish, wsi_spooled_close, false,
};
