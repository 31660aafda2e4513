/* h5_events.c - the events of an HDF5 result. */
#include "io/hdf5/h5_events.h"

#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_check.h"
#include "io/hdf5/h5_sums.h"

hid_t
wsi_h5_event_type(void)
{
	hid_t text = wsi_h5_text_type(), type = H5Tcreate(H5T_COMPOUND, sizeof(wsi_h5_event));
	bool good = text >= 0 && type >= 0
	            && H5Tinsert(type, "onset", HOFFSET(wsi_h5_event, onset),
	                         H5T_NATIVE_DOUBLE) >= 0
	            && H5Tinsert(type, "duration", HOFFSET(wsi_h5_event, duration),
	                         H5T_NATIVE_DOUBLE) >= 0
	            && H5Tinsert(type, "label", HOFFSET(wsi_h5_event, label), text) >= 0
	            && H5Tinsert(type, "epoch", HOFFSET(wsi_h5_event, epoch), H5T_NATIVE_INT32) >= 0
	            && H5Tinsert(type, "time", HOFFSET(wsi_h5_event, time),
	                         H5T_NATIVE_DOUBLE) >= 0;
	wsi_h5_close(text);
	if (good)
		return type;
	wsi_h5_close(type);
	return -1;
}

/* Are they told where they lie in the result? */
static bool
are_placed(hid_t dataset)
{
	hid_t type = H5Dget_type(dataset);
	const bool placed = type >= 0 && H5Tget_member_index(type, "epoch") >= 0
	                    && H5Tget_member_index(type, "time") >= 0;
	wsi_h5_close(type);
	return placed;
}

/* Of a recording whose samples are those of the result, epoch behind epoch. */
static ws_status
add_event(wsi_recording *rec, const wsi_h5_event *e, bool placed, double first)
{
	const char *label = e->label ? e->label : "";
	if (!placed)
		return wsi_recording_add_event(rec, e->onset - first, e->duration, label);
	return wsi_recording_place_event(rec, e->time, e->duration, label, e->epoch);
}

/* To a recording, or none; their sum. */
static ws_status
add_events(wsi_recording *rec, const char *path, hid_t dataset, size_t n, double first,
           uint32_t *sum)
{
	wsi_h5_event *events;
	WSI_NEW(events, n, "%s: no memory for %zu events", path, n);
	hid_t type = wsi_h5_event_type();
	const bool placed = are_placed(dataset);
	ws_status status = WS_OK;
	if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, events) < 0)
		status = WSI_FAIL(WS_E_FORMAT, "%s: damaged: /events cannot be read", path);
	for (size_t i = 0; i < n; ++i) {
		*sum = wsi_h5_add_event(*sum, &events[i], placed);
		if (status == WS_OK && rec)
			status = add_event(rec, &events[i], placed, first);
		H5free_memory(events[i].label);
	}
	H5Tclose(type);
	free(events);
	return status;
}

/* Are there a time, a length and a text?  What lacks one would get zeros. */
static bool
are_events(hid_t dataset)
{
	static const struct {
		const char *name;
		H5T_class_t class;
	} members[] = { { "onset", H5T_FLOAT }, { "duration", H5T_FLOAT },
		        { "label", H5T_STRING } };
	hid_t type = H5Dget_type(dataset);
	bool good = type >= 0 && H5Tget_class(type) == H5T_COMPOUND;
	for (size_t i = 0; good && i < sizeof members / sizeof *members; ++i) {
		const int k = H5Tget_member_index(type, members[i].name);
		good = k >= 0 && H5Tget_member_class(type, (unsigned)k) == members[i].class;
	}
	wsi_h5_close(type);
	return good;
}

static ws_status
read_events(wsi_recording *rec, hid_t file, hid_t dataset, double first)
{
	hsize_t dims[H5S_MAX_RANK];
	uint32_t sum = 0;
	wsi_file f;
	WSI_TRY(wsi_file_open(&f, rec->source, rec->opts.opened));
	wsi_file_close(&f);
	WSI_TRY(wsi_h5_check(dataset, rec->path, "events", rec->opts.memory));
	if (wsi_h5_shape(dataset, dims) != 1 || !are_events(dataset))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /events is no list of onset, duration "
		                "and label", rec->path);
	if (dims[0] == 0)
		return wsi_h5_event_sum_check(file, rec->path, sum);
	if (!wsi_h5_is_plausible(dataset, f.bytes))
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: /events claims more events than the "
		                "file can hold", rec->path);
	WSI_TRY(add_events(rec, rec->path, dataset, (size_t)dims[0], first, &sum));
	return wsi_h5_event_sum_check(file, rec->path, sum);
}

ws_status
wsi_h5_take_events(wsi_recording *rec, hid_t file, double first)
{
	bool there;
	WSI_TRY(wsi_h5_has(file, rec->path, "events", &there));
	if (!there)
		return wsi_h5_event_sum_check(file, rec->path, 0);
	WSI_TRY(wsi_h5_check_link(file, rec->path, "events"));
	hid_t dataset = H5Dopen2(file, "events", H5P_DEFAULT);
	if (dataset < 0)
		return WSI_FAIL(WS_E_FORMAT, "%s: damaged: its events cannot be opened", rec->path);
	const ws_status status = read_events(rec, file, dataset, first);
	H5Dclose(dataset);
	return status;
}

ws_status
wsi_h5_events_check(hid_t file, const char *path)
{
	hsize_t dims[H5S_MAX_RANK];
	uint32_t sum = 0;
	if (H5Lexists(file, "events", H5P_DEFAULT) <= 0)
		return wsi_h5_event_sum_check(file, path, 0);
	WSI_TRY(wsi_h5_check_link(file, path, "events"));
	const hid_t dataset = H5Dopen2(file, "events", H5P_DEFAULT);
	ws_status status = dataset >= 0 && wsi_h5_shape(dataset, dims) == 1 && are_events(dataset)
	                   ? wsi_h5_check(dataset, path, "events", 0)
	                   : WSI_FAIL(WS_E_FORMAT, "%s: damaged: its events cannot be opened",
	                              path);
	if (status == WS_OK && dims[0] > 0)
		status = add_events(NULL, path, dataset, (size_t)dims[0], 0, &sum);
	wsi_h5_close(dataset);
	return status == WS_OK ? wsi_h5_event_sum_check(file, path, sum) : status;
}
