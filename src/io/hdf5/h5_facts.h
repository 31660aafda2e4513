/*
 * h5_facts.h - what an HDF5 result says about itself beside its arrays: the
 * events, the attributes and the provenance of docs/result-format.md.
 */
#ifndef WSI_IO_H5_FACTS_H
#define WSI_IO_H5_FACTS_H

#include <hdf5.h>

#include "io/result/result.h"

/* Negative on failure.  sum: of all events (h5_sums.h). */
herr_t wsi_h5_put_events(hid_t file, const wsi_result_header *header, uint32_t *sum);
herr_t wsi_h5_put_attributes(hid_t file, const wsi_result_header *header);
/* May be called again: a fact told twice keeps the later value. */
herr_t wsi_h5_put_facts(hid_t file, const ws_fact *facts, size_t n);

#endif
