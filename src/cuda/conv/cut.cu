/* cut.cu - how a convolution is cut into portions that fit the device's memory. */
#include "cuda/conv/cut.h"

#include <algorithm>

/* Bytes of a slab: copies of some MiB run at the link's full rate, and a portion's sums keep the
 * device busy. */
constexpr size_t SLAB = (size_t)32 << 20;
/* Of sums of branches, at most. */
constexpr size_t PARTIAL = (size_t)64 << 20;
/* Outputs of a row that are not cut further. */
constexpr size_t LEAST_OUTPUTS = 65536;

/* ---- Classes ------------------------------------------------------------------------------- */

spectra_class
conv_class_of(const wsi_conv_job *j, const wsi_conv_line &line)
{
	spectra_class c = { j->sums, WSI_CONV_LEAST_WIDTH, line.method == WS_CONV_FFT, 0, 0 };
	while ((long long)c.width < 2 * std::max(-(long long)line.d0, (long long)line.d1))
		c.width *= 2;
	return c;
}

size_t
conv_find_class(const std::vector<spectra_class> &classes, const spectra_class &c)
{
	size_t i = 0;
	while (i < classes.size() &&
	       (classes[i].width != c.width || classes[i].whole != c.whole))
		++i;
	return i;
}

static std::vector<spectra_class>
classes_of(const wsi_conv_job *j)
{
	std::vector<spectra_class> classes;
	for (size_t i = j->direct; i < j->direct + j->others; ++i) {
		const spectra_class c = conv_class_of(j, j->lines[i]);
		const size_t k = conv_find_class(classes, c);
		if (k == classes.size())
			classes.push_back(c);
		++classes[k].lines;
	}
	return classes;
}

/* Shapes of all classes for portions as large as c says. */
static void
shape_classes(conv_cut *c, const wsi_conv_job *j, const cudaDeviceProp &facts)
{
	const size_t lines = c->masks * (j->complex ? 2 : 1);
	const size_t span = (c->outputs - 1) * (size_t)j->every + 1;
	c->shapes.clear();
	for (const spectra_class &k : c->classes)
		c->shapes.push_back(spectra_shape_of(k, facts, span, c->channels,
		                                     std::min(lines, k.lines)));
}

/* ---- Memory -------------------------------------------------------------------------------- */

static size_t
take(size_t *used, size_t bytes)
{
	const size_t at = *used;
	*used += (bytes + 255) / 256 * 256;
	return at;
}

/* Fills the offsets; the rest is there. */
static void
lay_out(conv_cut *c, const wsi_conv_job *j)
{
	const size_t slab = c->channels * c->masks * c->outputs * conv_element(j);
	size_t spectra = 0;
	for (const spectra_shape &s : c->shapes)
		spectra = std::max(spectra, spectra_bytes(s));
	c->bytes = 0;
	c->flags = take(&c->bytes, sizeof(conv_flags));
	c->largest = take(&c->bytes, conv_needs_largest(j)
	                  ? j->channels * sizeof(unsigned long long) : 0);
	c->stack = take(&c->bytes, direct_stack_bytes(c->kind) * c->blocks * c->levels);
	c->sums = take(&c->bytes, c->partial * conv_size_of(j->sums));
	c->spectra = take(&c->bytes, spectra);
	c->work = c->bytes;
	c->x = take(&c->bytes, c->channels * c->samples * conv_size_of(j->samples));
	/* Samples that are rounded or oversampled are a copy. */
	if (j->narrow || j->over.factor > 1)
		c->work = c->bytes;
	c->slab[0] = take(&c->bytes, slab);
	c->slab[1] = take(&c->bytes, slab);
	c->tables = 0;
	take(&c->tables, c->values * conv_size_of(j->sums));
	c->rows = take(&c->tables, c->lines * sizeof(direct_row));
	c->groups = take(&c->tables, c->lines * sizeof(direct_group));
	c->forms = take(&c->tables, j->forms ? j->masks * sizeof *j->forms : 0);
	c->kernel = take(&c->tables, conv_kernel_bytes(j));
}

void
conv_samples_of(const conv_cut &c, const wsi_conv_job *j, size_t o0, size_t count,
                long long *low, long long *high)
{
	const long long first = j->first + (long long)o0 * j->every;
	const long long last = first + (long long)(count - 1) * j->every;
	*low = std::min(std::max(first + c.d0, 0ll), (long long)j->n);
	*high = std::max(std::min(last + c.d1, (long long)j->n), *low);
}

/* The most samples of a channel that a portion reads. */
static size_t
most_samples(const conv_cut &c, const wsi_conv_job *j)
{
	size_t most = 0;
	for (size_t o = 0; o < j->outputs; o += c.outputs) {
		long long low, high;
		conv_samples_of(c, j, o, std::min(c.outputs, j->outputs - o), &low, &high);
		most = std::max(most, (size_t)(high - low));
	}
	return most;
}

/* ---- The choice ---------------------------------------------------------------------------- */

/* The most values that a range of `range` masks has. */
static size_t
most_values(const std::vector<size_t> &of_mask, conv_masks masks, size_t range)
{
	const size_t all = masks.first + masks.count;
	size_t most = 0;
	for (size_t p = masks.first; p < all; p += masks.part) {
		const size_t end = std::min(p + masks.part, all);
		for (size_t m = p; m < end; m += range) {
			size_t values = 0;
			for (size_t k = m; k < std::min(m + range, end); ++k)
				values += of_mask[k];
			most = std::max(most, values);
		}
	}
	return most;
}

/* Halves portions, and then blocks of threads; false where they are the least. */
static bool
make_smaller(conv_cut *c, int processors)
{
	if (c->channels > 1)
		c->channels = (c->channels + 1) / 2;
	else if (c->masks > 1)
		c->masks = (c->masks + 1) / 2;
	else if (c->outputs > LEAST_OUTPUTS)
		c->outputs = (c->outputs + 1) / 2;
	else if (c->blocks > processors / 4 + 1)
		c->blocks = (c->blocks + 1) / 2;
	else
		return false;
	return true;
}

/* Portions as large as they are good for. */
static void
largest_portions(conv_cut *c, const wsi_conv_job *j, size_t masks)
{
	const size_t row = j->outputs * conv_element(j);
	c->outputs = j->outputs;
	c->masks = std::max(std::min(SLAB / row, masks), (size_t)1);
	c->channels = 1;
	if (c->masks == masks)
		c->channels = std::max(std::min({ SLAB / (row * masks), j->channels,
		                                  CONV_MOST_CHANNELS }), (size_t)1);
}

ws_status
conv_choose_cut(wsi_device *d, const wsi_conv_job *j, conv_masks masks, size_t most,
                conv_cut *c, wsi_why *why)
{
	const size_t processors = (size_t)d->facts.multiProcessorCount;
	std::vector<size_t> of_mask(j->masks, 0);
	*c = {};
	c->kind = conv_kind(j, d->facts);
	const cudaError_t error = direct_blocks(c->kind, d->facts, (int)j->every, &c->blocks);
	if (error != cudaSuccess)
		return cuda_failed(error, "asking for the device's kernels", why);
	largest_portions(c, j, masks.part);
	c->levels = 1;
	c->d1 = 1;
	for (size_t i = 0; i < j->direct + j->others; ++i) {
		const wsi_conv_line &line = j->lines[i];
		if (i < j->direct)
			c->levels = std::max(c->levels, direct_levels(line.d0, line.d1));
		c->d0 = std::min(c->d0, (long long)line.d0);
		c->d1 = std::max(c->d1, (long long)line.d1);
		of_mask[line.mask] += conv_length(line);
	}
	c->lines = std::min(masks.part * (j->complex ? 2 : 1), j->direct + j->others);
	c->classes = classes_of(j);
	const size_t all = most_values(of_mask, masks, masks.part);
	for (;;) {
		c->samples = most_samples(*c, j);
		c->resident = all <= most / 4 / conv_size_of(j->sums);
		c->values = c->resident ? all : most_values(of_mask, masks, c->masks);
		c->partial = j->direct ? std::min(PARTIAL, 8 * c->channels * c->masks * c->outputs *
		                         conv_element(j)) / conv_size_of(j->sums) : 0;
		shape_classes(c, j, d->facts);
		lay_out(c, j);
		/* cuFFT is asked last: it takes long. */
		for (size_t i = 0; i < c->classes.size() && c->bytes + c->tables <= most; ++i) {
			const ws_status status = spectra_work(d, c->classes[i], &c->shapes[i], why);
			if (status != WS_OK)
				return status == WS_E_NOMEM ? WS_E_BACKEND : status;
			lay_out(c, j);
		}
		if (c->bytes + c->tables <= most || !make_smaller(c, (int)processors))
			return WS_OK;
	}
}
