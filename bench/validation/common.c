/* common.c - what the validation programs share. */
#include "common.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void
die(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(1);
}

void *
xmalloc(size_t bytes)
{
	void *p = malloc(bytes ? bytes : 1);
	if (!p)
		die("out of memory: %zu bytes", bytes);
	return p;
}

/* ---- Arrays ------------------------------------------------------------ */

/* folder NULL: name is the path. */
static char *
load_file(const char *folder, const char *name, size_t *bytes)
{
	char path[4096];
	snprintf(path, sizeof path, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
	FILE *f = fopen(path, "rb");
	if (!f)
		die("%s: cannot be opened", path);
	fseek(f, 0, SEEK_END);
	*bytes = (size_t)ftell(f);
	rewind(f);
	char *content = xmalloc(*bytes + 1);
	if (fread(content, 1, *bytes, f) != *bytes)
		die("%s: cannot be read", path);
	content[*bytes] = '\0';
	fclose(f);
	return content;
}

array
load_npy(const char *folder, const char *name)
{
	size_t bytes;
	char *content = load_file(folder, name, &bytes);
	if (bytes < 10 || memcmp(content, "\x93NUMPY\x01", 7) != 0)
		die("%s: not NPY version 1", name);
	const size_t header = 10 + (unsigned char)content[8] + 256u * (unsigned char)content[9];
	const char *shape = strstr(content + 10, "'shape': (");
	if (header > bytes || !shape || !strstr(content + 10, "'<f8'") ||
	    !strstr(content + 10, "'fortran_order': False"))
		die("%s: not float64 in C order", name);
	unsigned long a = 0, b = 0;
	const int dimensions = sscanf(shape, "'shape': (%lu, %lu", &a, &b);
	array out = { .rows = dimensions == 2 ? a : 1, .n = dimensions == 2 ? b : a };
	const size_t size = out.rows * out.n * sizeof *out.v;
	if (size != bytes - header)
		die("%s: %zu bytes of data, not %zu", name, bytes - header, size);
	out.v = xmalloc(size);
	memcpy(out.v, content + header, size);
	free(content);
	return out;
}

array
load_f32(const char *folder, const char *name)
{
	size_t bytes;
	char *content = load_file(folder, name, &bytes);
	array out = { .rows = 1, .n = bytes / sizeof(float) };
	out.v = xmalloc(out.n * sizeof *out.v);
	for (size_t i = 0; i < out.n; ++i) {
		float value;
		memcpy(&value, content + i * sizeof value, sizeof value);
		out.v[i] = (double)value;
	}
	free(content);
	return out;
}

array
load_f64(const char *path, size_t n)
{
	size_t bytes;
	char *content = load_file(NULL, path, &bytes);
	array out = { .rows = bytes / sizeof(double) / n, .n = n };
	if (out.rows * n * sizeof(double) != bytes)
		die("%s: %zu bytes are not rows of %zu float64", path, bytes, n);
	out.v = xmalloc(bytes);
	memcpy(out.v, content, bytes);
	free(content);
	return out;
}

void
array_free(array *a)
{
	free(a->v);
	a->v = NULL;
}

const double *
array_row(const array *a, size_t row)
{
	return a->v + row * a->n;
}

const char *
data_folder(void)
{
	const char *folder = getenv("WAVESIFT_DATA");
	if (!folder || !*folder)
		die("WAVESIFT_DATA is not set: it names the folder of recordings and golden vectors");
	return folder;
}

/* ---- Decomposition ----------------------------------------------------- */

static double
cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
check(ws_status status)
{
	if (status != WS_OK)
		die("%s: %s", ws_status_name(status), ws_error_detail());
}

/* The transform of the options' method; of none, that of which the reference is. */
static const char *
transform_of(const ws_emd_opts *o)
{
	static const char *const names[] = { "emd", "emd", "eemd", "ceemdan", "iceemdan", "memd" };
	const bool improved = !o->method && o->reference == WS_REF_COLOMINAS;
	return names[improved ? WS_METHOD_ICEEMDAN : o->method];
}

decomposition
decompose(const double *x, size_t n, const ws_emd_opts *opts, const double *noise)
{
	ws_ctx *ctx;
	ws_plan *plan;
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = n, .type = WS_F64 };
	check(ws_ctx_create(&ctx, NULL));
	check(ws_plan_create(&plan, ctx, transform_of(opts), &shape, opts));
	const int most = ws_plan_modes(plan);
	const size_t bytes = (ws_plan_workspace(plan) + 63) / 64 * 64;
	decomposition d = { .n = n };
	d.rows = xmalloc(((size_t)most + 1) * n * sizeof *d.rows);
	d.sifts = xmalloc((size_t)most * sizeof *d.sifts);
	double *residue = xmalloc(n * sizeof *residue);
	void *workspace = aligned_alloc(64, bytes ? bytes : 64);
	if (!workspace)
		die("out of memory: %zu bytes", bytes);
	int32_t count = 0, unfinished = 0;
	const ws_buffer arrays[WS_EMD_ARRAYS] = {
		[WS_EMD_MODES] = { .data = d.rows }, [WS_EMD_RESIDUE] = { .data = residue },
		[WS_EMD_MODE_COUNT] = { .data = &count }, [WS_EMD_SIFTS] = { .data = d.sifts },
		[WS_EMD_UNFINISHED] = { .data = &unfinished },
	};
	const ws_io io = { .size = sizeof io, .x = x, .noise = noise, .arrays = arrays,
		.n_arrays = WS_EMD_ARRAYS };
	/* The first touch of memory is not the library's time. */
	memset(workspace, 0, bytes);
	memset(d.rows, 0, ((size_t)most + 1) * n * sizeof *d.rows);
	const double start = cpu_seconds();
	check(ws_execute(plan, &io, workspace));
	d.seconds = cpu_seconds() - start;
	d.modes = count;
	d.unfinished = unfinished;
	memcpy(d.rows + (size_t)count * n, residue, n * sizeof *residue);
	free(workspace);
	free(residue);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	return d;
}

void
decomposition_free(decomposition *d)
{
	free(d->rows);
	free(d->sifts);
	d->rows = NULL;
	d->sifts = NULL;
}

const double *
mode_row(const decomposition *d, int row)
{
	return d->rows + (size_t)row * d->n;
}

/* ---- Comparison -------------------------------------------------------- */

static double
mean_of(const double *x, size_t n)
{
	double sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		sum += x[i];
	return sum / (double)n;
}

double
std_of(const double *x, size_t n)
{
	const double mean = mean_of(x, n);
	double sum = 0.0;
	for (size_t i = 0; i < n; ++i)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

double
similarity(const double *a, const double *b, size_t n)
{
	const double mean_a = mean_of(a, n), mean_b = mean_of(b, n);
	double aa = 0.0, bb = 0.0, ab = 0.0;
	for (size_t i = 0; i < n; ++i) {
		aa += (a[i] - mean_a) * (a[i] - mean_a);
		bb += (b[i] - mean_b) * (b[i] - mean_b);
		ab += (a[i] - mean_a) * (b[i] - mean_b);
	}
	return ab / sqrt(aa * bb);
}

double
max_difference(const double *a, const double *b, size_t n)
{
	double most = 0.0;
	for (size_t i = 0; i < n; ++i)
		most = fmax(most, fabs(a[i] - b[i]));
	return most;
}

double
best_similarity(const decomposition *d, const double *x, int *row)
{
	double best = -1.0;
	*row = 0;
	for (int k = 0; k <= d->modes; ++k) {
		const double s = similarity(mode_row(d, k), x, d->n);
		if (s > best) {
			best = s;
			*row = k;
		}
	}
	return best;
}

double
orthogonality(const decomposition *d, const double *x)
{
	double cross = 0.0, energy = 0.0;
	for (size_t t = 0; t < d->n; ++t) {
		double sum = 0.0, squares = 0.0;
		for (int k = 0; k <= d->modes; ++k) {
			const double c = mode_row(d, k)[t];
			sum += c;
			squares += c * c;
		}
		cross += sum * sum - squares;
		energy += x[t] * x[t];
	}
	return cross / energy;
}

/* ---- Signals ----------------------------------------------------------- */

/* splitmix64, and Box and Muller's transform. */
static double
uniform(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

void
white_noise(double *x, size_t n, uint64_t seed)
{
	uint64_t state = seed;
	for (size_t i = 0; i < n; ++i) {
		const double radius = sqrt(-2.0 * log(uniform(&state)));
		x[i] = radius * cos(2.0 * M_PI * uniform(&state));
	}
}

void
two_tone(double *x, double *burst, double *tone)
{
	for (int i = 0; i < TWO_TONE_SAMPLES; ++i) {
		tone[i] = sin(2.0 * M_PI * 0.065 * i);
		burst[i] = i >= 500 && i < 750 ? sin(2.0 * M_PI * 0.255 * (i - 500)) : 0.0;
		x[i] = tone[i] + burst[i];
	}
}
