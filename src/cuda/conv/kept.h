/*
 * kept.h - the tables of an execution: made, brought to the device, and kept there for the next
 * execution of the same plan.
 */
#ifndef WSI_CUDA_CONV_KEPT_H
#define WSI_CUDA_CONV_KEPT_H

#include "cuda/conv/cut.h"
#include "cuda/device/work.h"

/* A range of masks. */
struct conv_range {
	size_t first, count;     /* masks, as given */
	direct_tables direct;
	size_t groups;           /* the first of its groups' on the device */
	direct_span span;        /* for which groups are laid out; outputs 0: for none */
	std::vector<direct_row> others; /* lines by transforms, by class */
	std::vector<spectra_class> classes;
	size_t rows;             /* the first of its rows' on the device: direct, then others */
	size_t values_count;     /* of its lines */
	std::vector<char> values; /* these, where they are given; resident: freed once on the
	                            device */
};

/* What tells executions apart whose tables differ. */
struct conv_key {
	const void *job;
	uint64_t made;           /* of the job */
	size_t first, count, device; /* masks; bytes that it may take */
	bool on_device;

	bool operator==(const conv_key &o) const
	{
		return job == o.job && made == o.made && first == o.first && count == o.count &&
		       device == o.device && on_device == o.on_device;
	}
};

struct conv_tables {
	conv_key key;
	conv_cut cut;
	std::vector<conv_range> ranges;
	char *tables;            /* on the device: values, rows, groups */
	char *work;              /* of arrays in the device's memory: what they work in */
	const conv_range *there; /* the range whose values are there, where not all are */
	cudaEvent_t last;        /* after all that read or wrote them; NULL: they are new */
};

/* Those of the key: kept ones, or new ones, which are not filled yet.  The taker has them alone.
 * WS_E_BACKEND; throws std::bad_alloc. */
ws_status conv_tables_take(wsi_device *d, const wsi_conv_job *j, const conv_key &key,
                           conv_tables **tables, wsi_why *why);

/* Makes them ready for what comes next in w's stream; new ones are filled.  WS_E_NOMEM,
 * WS_E_BACKEND. */
ws_status conv_tables_ready(conv_tables *tables, cuda_work *w, const wsi_conv_job *j,
                            wsi_why *why);

/* Brings the values of a range's lines, or makes them: at number `at` of the tables' memory. */
void conv_tables_values(conv_tables *tables, cuda_work *w, const wsi_conv_job *j,
                        conv_range *range, size_t at);

/* The device keeps them, once all of w's stream so far is done, and closes those that were kept
 * longest. */
void conv_tables_keep(conv_tables *tables, cuda_work *w);

/* w: its stream has no more work for them than it has now; NULL: nobody's. */
void conv_tables_close(conv_tables *tables, cuda_work *w);

#endif
