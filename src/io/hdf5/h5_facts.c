/* h5_facts.c - what an HDF5 result says about itself beside its arrays. */
#include "io/hdf5/h5_facts.h"

#include <stdlib.h>

#include "io/hdf5/h5.h"
#include "io/hdf5/h5_events.h"
#include "io/hdf5/h5_sums.h"

herr_t
wsi_h5_put_events(hid_t file, const wsi_result_header *h, uint32_t *sum)
{
	*sum = 0;
	if (h->n_events == 0)
		return 0;
	wsi_h5_event *events = calloc(h->n_events, sizeof *events);
	if (!events)
		return -1;
	for (size_t i = 0; i < h->n_events; ++i) {
		const wsi_event *e = &h->events[i];
		events[i] = (wsi_h5_event){ e->onset, e->duration, e->label ? e->label : (char *)"",
			                    (int32_t)e->epoch, e->time };
		*sum = wsi_h5_add_event(*sum, &events[i], true);
	}
	const hid_t type = wsi_h5_event_type();
	const herr_t code = wsi_h5_put_dataset(file, "events", type, type, h->n_events,
	                                       events);
	wsi_h5_close(type);
	free(events);
	return code;
}

herr_t
wsi_h5_put_facts(hid_t file, const ws_fact *facts, size_t n)
{
	htri_t there = H5Lexists(file, "provenance", H5P_DEFAULT);
	hid_t group = there < 0 ? -1 : there ? H5Gopen2(file, "provenance", H5P_DEFAULT)
	              : wsi_h5_put_group(file, "provenance");
	herr_t code = group < 0 ? -1 : 0;
	for (size_t i = 0; i < n && code >= 0; ++i) {
		const ws_fact *f = &facts[i];
		/* A fact told again at commit takes the place of the first. */
		if (H5Aexists(group, f->key) > 0)
			H5Adelete(group, f->key);
		const char *text = f->text ? f->text : "";
		code = f->kind == WS_OPTION_TEXT ? wsi_h5_put_text(group, f->key, text)
		       : f->kind == WS_OPTION_INT ? wsi_h5_put_int(group, f->key, f->integer)
		       : wsi_h5_put_real(group, f->key, f->real);
	}
	if (group >= 0 && H5Gclose(group) < 0)
		code = -1;
	return code;
}

herr_t
wsi_h5_put_attributes(hid_t file, const wsi_result_header *h)
{
	if (wsi_h5_put_text(file, "format", "wavesift result") < 0
	    || wsi_h5_put_int(file, "format_version", 1) < 0
	    || wsi_h5_put_real(file, "fs", h->fs) < 0
	    || wsi_h5_put_int(file, "fs_known", h->fs_known) < 0
	    || wsi_h5_put_int(file, "samples", (int64_t)h->samples) < 0
	    || wsi_h5_put_real(file, "first_time", h->first_time) < 0
	    || wsi_h5_put_real(file, "time_origin", h->time_origin) < 0
	    || wsi_h5_put_real(file, "time_unit", h->time_unit) < 0
	    || wsi_h5_put_text(file, "start_time", h->start_time) < 0
	    || wsi_h5_put_texts(file, "channel_names", h->channel_names, h->channels) < 0)
		return -1;
	return wsi_h5_put_texts(file, "unit", h->units, h->channels);
}
