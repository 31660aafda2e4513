/* h5_text_sums.c - checksums of a result's texts. */
#include <string.h>

#include "base/crc32.h"
#include "io/hdf5/h5.h"
#include "io/hdf5/h5_sums.h"

#define TEXT_SUMS "text_checksums"

/* Numbers as the file has them. */
static uint32_t
add_real(uint32_t sum, double value)
{
	uint64_t bits;
	unsigned char bytes[8];
	memcpy(&bits, &value, sizeof bits);
	for (int i = 0; i < 8; ++i)
		bytes[i] = (unsigned char)(bits >> 8 * i);
	return wsi_crc32(sum, bytes, sizeof bytes);
}

uint32_t
wsi_h5_add_event(uint32_t sum, const wsi_h5_event *event, bool placed)
{
	const char *label = event->label ? event->label : "";
	sum = add_real(add_real(sum, event->onset), event->duration);
	sum = wsi_crc32(sum, label, strlen(label) + 1);
	return placed ? add_real(add_real(sum, event->epoch), event->time) : sum;
}

typedef struct texts {
	uint32_t sum;
	bool good;
} texts;

/* A H5A_operator2_t. */
static herr_t
add_fact(hid_t group, const char *name, const H5A_info_t *info, void *user)
{
	texts *t = user;
	(void)info;
	t->sum = wsi_crc32(t->sum, name, strlen(name) + 1);
	t->good = wsi_h5_add_texts(group, name, &t->sum);
	return !t->good;
}

/* The first two.  False where the file cannot be read. */
static bool
sum_texts(hid_t file, int64_t sums[WSI_TEXT_SUMS])
{
	texts t = { 0, true };
	static const char *const names[] = { "start_time", "channel_names", "unit" };
	for (int i = 0; i < 3 && t.good; ++i)
		t.good = wsi_h5_add_texts(file, names[i], &t.sum);
	sums[WSI_SUM_ATTRIBUTES] = t.sum;
	t.sum = 0;
	const htri_t there = H5Lexists(file, "provenance", H5P_DEFAULT);
	const hid_t group = there > 0 ? H5Gopen2(file, "provenance", H5P_DEFAULT) : -1;
	if (group >= 0) {
		t.good = t.good && H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_fact,
		                               &t)
		         >= 0 && t.good;
		H5Gclose(group);
	}
	sums[WSI_SUM_PROVENANCE] = t.sum;
	return t.good && there >= 0 && (there == 0 || group >= 0);
}

herr_t
wsi_h5_text_sums_put(hid_t file, uint32_t events)
{
	int64_t sums[WSI_TEXT_SUMS];
	if (!sum_texts(file, sums))
		return -1;
	sums[WSI_SUM_EVENTS] = events;
	return wsi_h5_put_ints(file, TEXT_SUMS, sums, WSI_TEXT_SUMS);
}

/* Those of the attribute; *there false where it is absent. */
static ws_status
take_text_sums(hid_t file, const char *path, int64_t sums[WSI_TEXT_SUMS], bool *there)
{
	const htri_t exists = H5Aexists(file, TEXT_SUMS);
	*there = exists > 0;
	return !exists || wsi_h5_get_ints(file, TEXT_SUMS, sums, WSI_TEXT_SUMS) ? WS_OK
	       : WSI_FAIL(WS_E_FORMAT, "%s: damaged: its attribute " TEXT_SUMS " cannot be read",
	                  path);
}

static ws_status
changed(const char *path, const char *what)
{
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its %s not the checksum with which %s written",
	                path, what, strstr(what, "have") ? "they were" : "it was");
}

ws_status
wsi_h5_is_result(hid_t file, const char *path, bool *is)
{
	WSI_TRY(wsi_h5_text_is(file, path, "format", "wavesift result", is));
	if (*is || H5Aexists(file, TEXT_SUMS) == 0)
		return WS_OK;
	return WSI_FAIL(WS_E_FORMAT, "%s: damaged: it has the checksums of a result of wavesift, "
	                "but its attribute format does not say that it is one", path);
}

ws_status
wsi_h5_text_sums_check(hid_t file, const char *path)
{
	int64_t sums[WSI_TEXT_SUMS], now[WSI_TEXT_SUMS];
	bool there;
	WSI_TRY(take_text_sums(file, path, sums, &there));
	if (!there)
		return WS_OK;
	if (!sum_texts(file, now))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its texts cannot be read", path);
	if (sums[WSI_SUM_ATTRIBUTES] != now[WSI_SUM_ATTRIBUTES])
		return changed(path, "names of channels have");
	return sums[WSI_SUM_PROVENANCE] == now[WSI_SUM_PROVENANCE] ? WS_OK
	       : changed(path, "provenance has");
}

ws_status
wsi_h5_event_sum_check(hid_t file, const char *path, uint32_t events)
{
	int64_t sums[WSI_TEXT_SUMS];
	bool there;
	WSI_TRY(take_text_sums(file, path, sums, &there));
	return !there || sums[WSI_SUM_EVENTS] == events ? WS_OK : changed(path, "events have");
}
