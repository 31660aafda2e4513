/*
 * test_device.c - plans and runs on GPUs, as far as that is the core's affair,
 * with the backend of fake_backend.c: the bits are the CPU's, the choice of
 * place, memory limits, several devices, and every failure in one line.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api_test.h"
#include "emd_rows.h"

#define SAMPLES 3000
#define CHANNELS 7

static double x[CHANNELS * SAMPLES];

static int
make_input(void **state)
{
	(void)state;
	rng r = { 5 };
	for (size_t c = 0; c < CHANNELS; ++c)
		signal_make((signal_kind)(c % SIGNAL_WALK), &r, SAMPLES, x + c * SAMPLES);
	return 0;
}

static int
clear_settings(void **state)
{
	(void)state;
	unsetenv("FAKE_FAIL");
	unsetenv("FAKE_MEMORY");
	unsetenv("FAKE_DEVICES");
	return 0;
}

static ws_ctx *
context(const char *device, size_t device_memory)
{
	ws_ctx_opts o = { .size = sizeof o, .threads = 1, .device = device,
		          .device_memory = device_memory };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	return ctx;
}

static const ws_shape shape = { .size = sizeof shape, .channels = CHANNELS, .samples = SAMPLES };

/* ---- Results ------------------------------------------------------------------------ */

static job
job_of(ws_method method)
{
	return (job){ .shape = shape, .x = x, .o = { .method = method, .realizations = 70,
		      .modes = 4, .seed = 3, .sifts = 5 } };
}

static void
test_same_bits(void **state)
{
	(void)state;
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method) {
		job j = job_of((ws_method)method);
		result cpu, gpu, little, aside;
		must_decompose(&j, &cpu);
		j.device = "cuda";
		must_decompose(&j, &gpu);
		j.device_memory = method == WS_METHOD_EMD ? 300 << 10
			: 4 << 20; /* a few rows at a time */
		must_decompose(&j, &little);
		j.device_memory = method == WS_METHOD_EEMD ? 1 << 20
			: 3 << 20; /* too little for all */
		must_decompose(&j, &aside);
		assert_true(same_result(&cpu, &gpu));
		assert_true(same_result(&cpu, &little));
		assert_true(same_result(&cpu, &aside));
		result_free(&cpu);
		result_free(&gpu);
		result_free(&little);
		result_free(&aside);
	}
}

/* Arrays in the memory of the device, whose stream is told; here that is memory like any other. */
static void
test_device_arrays(void **state)
{
	enum { MODES = 4 };
	static double modes[2][CHANNELS][MODES][SAMPLES], residue[2][CHANNELS][SAMPLES];
	int32_t count[2][CHANNELS];
	int stream;
	(void)state;
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_MEMD; ++method)
		for (int on_device = 0; on_device < 2; ++on_device) {
			ws_ctx *ctx = context("cuda", 0);
			ws_plan *plan;
			ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD,
				.method = (ws_method)method,
				.realizations = 20, .modes = MODES, .sifts = 5 };
			assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o),
			                 WS_OK);
			assert_true(ws_plan_seconds(plan) > 0.0 &&
			            ws_plan_seconds(plan) < 1e6);
			void *workspace = aligned_alloc(64,
			                                (ws_plan_workspace(plan) + 63) / 64 * 64);
			ws_buffer arrays[WS_EMD_ARRAYS] = { 0 };
			arrays[WS_EMD_MODES].data = modes[on_device];
			arrays[WS_EMD_RESIDUE].data = residue[on_device];
			arrays[WS_EMD_MODE_COUNT].data = count[on_device];
			const ws_io io = { .size = sizeof io, .x = x, .arrays = arrays,
				.n_arrays = WS_EMD_ARRAYS,
				.memory = on_device ? WS_MEMORY_DEVICE : WS_MEMORY_HOST,
				.cuda_stream = on_device ? &stream : NULL };
			assert_int_equal(ws_execute(plan, &io, workspace), WS_OK);
			if (on_device) {
				assert_memory_equal(count[0], count[1], sizeof count[0]);
				assert_memory_equal(modes[0], modes[1], sizeof modes[0]);
				assert_memory_equal(residue[0], residue[1], sizeof residue[0]);
				const double whole = x[2 * SAMPLES + 7];
				x[2 * SAMPLES + 7] = NAN;
				assert_int_equal(ws_execute(plan, &io, workspace), WS_E_FORMAT);
				expect_detail("channel 2, sample 7 is not finite");
				x[2 * SAMPLES + 7] = whole;
				double frequency[CHANNELS][MODES];
				arrays[WS_EMD_FREQUENCY].data = frequency;
				assert_int_equal(ws_execute(plan, &io, workspace),
				                 WS_E_UNSUPPORTED);
			}
			free(workspace);
			ws_plan_destroy(plan);
			ws_ctx_destroy(ctx);
		}
}

/* A plan on the CPU cannot reach them. */
static void
test_device_arrays_need_a_gpu(void **state)
{
	(void)state;
	ws_ctx *ctx = context("cpu", 0);
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, "emd", &shape, NULL), WS_OK);
	ws_buffer arrays[WS_EMD_ARRAYS] = { 0 };
	ws_io io = { .size = sizeof io, .x = x, .arrays = arrays, .n_arrays = WS_EMD_ARRAYS,
		.memory = WS_MEMORY_DEVICE };
	void *workspace = aligned_alloc(64, (ws_plan_workspace(plan) + 63) / 64 * 64);
	assert_int_equal(ws_execute(plan, &io, workspace), WS_E_ARG);
	expect_detail("works on the CPU");
	/* Small arrays are the host's, of all but one. */
	io.memory = WS_MEMORY_DEVICE_ALL;
	assert_int_equal(ws_execute(plan, &io, workspace), WS_E_ARG);
	expect_detail("arrays of emd without a time axis lie in the host's memory");
	io.memory = (ws_memory)3;
	assert_int_equal(ws_execute(plan, &io, workspace), WS_E_ARG);
	expect_detail("memory must be one of ws_memory, not 3");
	free(workspace);
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* ---- The choice of a place ------------------------------------------------------------ */

/* Plans so much work and says where it would be done. */
static void
expect_place(const char *device, int realizations, size_t memory, const char *place,
             const char *words)
{
	ws_ctx *ctx = context(device, memory);
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_EEMD,
		.realizations = realizations };
	ws_plan *plan;
	assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o), WS_OK);
	assert_string_equal(ws_plan_device(plan), place);
	assert_int_equal(ws_plan_device_bytes(plan) > 0, strcmp(place, "cpu") != 0);
	assert_non_null(strstr(ws_plan_describe(plan), words));
	ws_plan_destroy(plan);
	ws_run *run;
	assert_int_equal(ws_run_create(&run, ctx, emd_fit(&o), &shape, &o, 0), WS_OK);
	assert_string_equal(ws_run_device(run), place);
	assert_non_null(strstr(ws_run_describe(run), words));
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
}

static void
test_choice(void **state)
{
	(void)state;
	expect_place("auto", 2, 0, "cpu", "kernels    cpu/");
	expect_place("auto", 500000, 0, "cuda:0", "cuda:0 (Fake 0), f64, 128 realizations at a time");
	expect_place("cpu", 2000, 0, "cpu", "kernels    cpu/");
	expect_place("cuda", 2, 0, "cuda:0", "cuda:0 (Fake 0)");
	expect_place("cuda:1", 2, 0, "cuda:1", "cuda:1 (Fake 1)");
	expect_place("auto", 500000, 1000, "cpu", "not used   device cuda:0: ");
	setenv("FAKE_FAIL", "first", 1);
	expect_place("cuda", 2, 0, "cuda:1", "cuda:1 (Fake 1)");
	setenv("FAKE_FAIL", "open", 1);
	expect_place("auto", 500000, 0, "cpu", "not used   device cuda:0: it is used by another "
	             "process");
	setenv("FAKE_DEVICES", "0", 1);
	expect_place("auto", 500000, 0, "cpu", "kernels    cpu/");
}

static void
test_isa_means_cpu(void **state)
{
	(void)state;
	ws_ctx_opts o = { .size = sizeof o, .isa = "plain" };
	ws_emd_opts emd = { .size = sizeof emd, .tag = WS_TAG_EMD, .method = WS_METHOD_EEMD,
		.realizations = 1000 };
	ws_ctx *ctx;
	ws_plan *plan;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, emd_fit(&emd), &shape, &emd), WS_OK);
	assert_string_equal(ws_plan_device(plan), "cpu");
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
}

/* As the memory gets smaller: fewer rows at a time, down to 32 realizations;
 * their residues in host memory and more rows again; none. */
static void
test_device_memory(void **state)
{
	(void)state;
	for (int method = WS_METHOD_EMD; method <= WS_METHOD_ICEEMDAN; ++method) {
		ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = (ws_method)method,
			.realizations = 500 };
		const size_t residues = 500 * SAMPLES * sizeof *x;
		size_t last = (size_t)-1, memory = 40 << 20;
		bool aside = false;
		ws_status status = WS_OK;
		for (; status == WS_OK; memory -= memory / 16) {
			ws_ctx *ctx = context("cuda", memory);
			ws_plan *plan;
			status = ws_plan_create(&plan, ctx, emd_fit(&o), &shape, &o);
			if (status == WS_OK) {
				last = ws_plan_device_bytes(plan);
				assert_true(last <= memory);
				assert_true(!aside || ws_plan_host_bytes(plan) > 0);
				aside = ws_plan_host_bytes(plan) > 0;
				assert_true(!aside || ws_plan_host_bytes(plan) >= residues);
				assert_int_equal(strstr(ws_plan_describe(plan),
				                        " in host memory\n") != NULL, aside);
			}
			ws_plan_destroy(plan);
			ws_ctx_destroy(ctx);
		}
		assert_int_equal(status, WS_E_NOMEM);
		expect_detail("device cuda:0: ");
		expect_detail(method == WS_METHOD_EMD
		              ? "take fewer modes or samples, or use the CPU"
		                               : "take fewer realizations, modes or samples, or use the "
		                                 "CPU");
		assert_true(last > memory);
		assert_true(method == WS_METHOD_EMD ? !aside : aside && last < residues / 2);
	}
}

/* ---- Failures -------------------------------------------------------------------------- */

static void
expect_failure(const char *device, ws_status status, const char *words)
{
	job j = job_of(WS_METHOD_EMD);
	result r;
	j.device = device;
	assert_int_equal(decompose(&j, &r), status);
	expect_detail(words);
}

static void
test_failures(void **state)
{
	(void)state;
	expect_failure("cuda:5", WS_E_BACKEND, "device cuda:5: the GPUs of this machine end at "
	               "cuda:1");
	setenv("FAKE_FAIL", "first", 1);
	expect_failure("cuda:0", WS_E_BACKEND, "device cuda:0: it is too old");
	setenv("FAKE_FAIL", "open", 1);
	expect_failure("cuda", WS_E_BACKEND, "device cuda:0: it is used by another process alone");
	setenv("FAKE_FAIL", "borrow", 1);
	expect_failure("cuda", WS_E_NOMEM, "bytes are not free, or take fewer modes or samples");
	job j = job_of(WS_METHOD_MEMD);
	result r;
	j.device = "cuda";
	assert_int_equal(decompose(&j, &r), WS_E_NOMEM);
	expect_detail("bytes are not free, or take fewer channels, directions, modes or samples");
	setenv("FAKE_FAIL", "borrow-host", 1);
	j = job_of(WS_METHOD_ICEEMDAN);
	j.device = "cuda";
	j.device_memory = 3 << 20;
	assert_int_equal(decompose(&j, &r), WS_E_NOMEM);
	expect_detail("bytes of host memory are not free, or take fewer realizations, modes or samples");
	setenv("FAKE_FAIL", "start", 1);
	expect_failure("cuda", WS_E_BACKEND, "device cuda:0: it does not answer");
	setenv("FAKE_FAIL", "stop", 1);
	expect_failure("cuda", WS_E_BACKEND, "device cuda:0: it was lost");
	setenv("FAKE_FAIL", "version", 1);
	expect_failure("cuda", WS_E_BACKEND, "is of another version of wavesift");
	setenv("FAKE_FAIL", "sizes", 1);
	expect_failure("cuda", WS_E_BACKEND, "is of another build of wavesift (wsi_params: ");
	setenv("FAKE_FAIL", "", 1);
	setenv("FAKE_DEVICES", "0", 1);
	expect_failure("cuda", WS_E_BACKEND, "device cuda: there is no driver");
	expect_failure("cuda:0", WS_E_BACKEND, "device cuda:0: there is no driver");
}

static void
test_names(void **state)
{
	(void)state;
	static const char *const bad[] = { "", "gpu", "cuda:", "cuda:x", "cuda:0,", "cuda:0,0",
		"cuda:-1",
		"cuda:1000", "cuda0", "cuda:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16" };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
		ws_ctx_opts o = { .size = sizeof o, .device = bad[i] };
		ws_ctx *ctx;
		assert_int_equal(ws_ctx_create(&ctx, &o), WS_E_ARG);
		assert_null(ctx);
		expect_detail("device");
	}
}

static void
test_info(void **state)
{
	(void)state;
	ws_device d = { .size = sizeof d };
	setenv("FAKE_FAIL", "first", 1);
	assert_int_equal(ws_device_info(0, &d), WS_OK);
	assert_string_equal(d.name, "cuda:0");
	assert_string_equal(d.why, "it is too old");
	assert_false(d.usable);
	assert_int_equal(ws_device_info(1, &d), WS_OK);
	assert_string_equal(d.model, "Fake 1");
	assert_string_equal(d.why, "");
	assert_true(d.usable);
	assert_int_equal(d.memory, 1 << 30);
	assert_int_equal(ws_device_info(2, &d), WS_E_BACKEND);
	assert_int_equal(ws_device_info(-1, &d), WS_E_BACKEND);
	setenv("FAKE_DEVICES", "0", 1);
	assert_int_equal(ws_device_info(0, &d), WS_E_BACKEND);
	expect_detail("there is no driver");
	assert_int_equal(ws_device_info(0, NULL), WS_E_ARG);
	d.size = 8;
	assert_int_equal(ws_device_info(0, &d), WS_E_ARG);
	expect_detail("ws_device.size is 8");
}

/* Only what the caller's struct has is filled, and what it has beyond ours becomes 0. */
static void
test_info_sizes(void **state)
{
	(void)state;
	struct longer { ws_device d; char later[40]; } d;
	memset(&d, 0x55, sizeof d);
	d.d.size = offsetof(ws_device, memory);
	assert_int_equal(ws_device_info(1, &d.d), WS_OK);
	assert_int_equal(d.d.size, offsetof(ws_device, memory));
	assert_string_equal(d.d.model, "Fake 1");
	for (size_t i = offsetof(ws_device, memory); i < sizeof d; ++i)
		assert_int_equal(((const char *)&d)[i], 0x55);
	d.d.size = sizeof d;
	assert_int_equal(ws_device_info(1, &d.d), WS_OK);
	assert_int_equal(d.d.size, sizeof d);
	assert_int_equal(d.d.memory, 1 << 30);
	for (size_t i = 0; i < sizeof d.later; ++i)
		assert_int_equal(d.later[i], 0);
}

/* ---- The file of the backend ----------------------------------------------------------------- */

static void
refused_backend(const char *file, const char *words)
{
	ws_ctx_opts o = { .size = sizeof o, .device = "auto", .backend = file };
	ws_ctx *ctx;
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_E_BACKEND);
	assert_null(ctx);
	expect_detail(words);
	/* The CPU does not ask for one. */
	o.device = "cpu";
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	ws_ctx_destroy(ctx);
}

/* The folder that holds this program and the fake backend; ends in "/". */
static void
own_folder(char folder[PATH_MAX])
{
	const ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	assert_true(n > 0);
	folder[n] = '\0';
	strrchr(folder, '/')[1] = '\0';
}

static bool
is_mapped(const char *file)
{
	char line[PATH_MAX + 128];
	bool found = false;
	FILE *maps = fopen("/proc/self/maps", "r");
	assert_non_null(maps);
	while (fgets(line, sizeof line, maps))
		found = found || strstr(line, file);
	fclose(maps);
	return found;
}

static void
test_named_backend(void **state)
{
	(void)state;
	char own[PATH_MAX], from[PATH_MAX + 32], folder[] = "/tmp/wavesift-test-XXXXXX", file[64];
	own_folder(own);
	snprintf(from, sizeof from, "%slibwavesift_cuda.so", own);
	assert_non_null(mkdtemp(folder));
	snprintf(file, sizeof file, "%s/elsewhere.so", folder);
	refused_backend(file, "elsewhere.so: No such file");
	refused_backend("", "backend : No such file");
	FILE *f = fopen(file, "wb");
	assert_non_null(f);
	fputs("no library", f);
	fclose(f);
	refused_backend(file, "the GPU backend cannot be opened");
	Dl_info libc;
	assert_true(dladdr((void *)(uintptr_t)gnu_get_libc_version, &libc));
	refused_backend(libc.dli_fname, "is no GPU backend of wavesift");
	assert_int_equal(remove(file), 0);
	assert_int_equal(symlink(from, file), 0);
	setenv("FAKE_FAIL", "version", 1);
	refused_backend(file, "is of another version of wavesift");
	setenv("FAKE_FAIL", "sizes", 1);
	refused_backend(file, "is of another build of wavesift (wsi_params: ");
	setenv("FAKE_FAIL", "numerics", 1);
	refused_backend(file, "(the numerics version: ");
	unsetenv("FAKE_FAIL");
	remove(file);
	/* A copy is another library, which only its name leads to. */
	char command[2 * PATH_MAX];
	snprintf(command, sizeof command, "cp '%s' '%s'", from, file);
	assert_int_equal(system(command), 0);
	assert_false(is_mapped(file));
	ws_ctx_opts o = { .size = sizeof o, .device = "cuda", .backend = file };
	ws_ctx *ctx;
	ws_plan *plan;
	ws_device d = { .size = sizeof d };
	assert_int_equal(ws_ctx_create(&ctx, &o), WS_OK);
	memset(file, 0, strlen(file)); /* the name was borrowed for the call */
	assert_int_equal(ws_ctx_device_info(ctx, 1, &d), WS_OK);
	assert_string_equal(d.model, "Fake 1");
	assert_int_equal(ws_ctx_device_info(ctx, 2, &d), WS_E_BACKEND);
	expect_detail("end at cuda:1");
	assert_int_equal(ws_plan_create(&plan, ctx, "emd", &shape, NULL), WS_OK);
	assert_string_equal(ws_plan_device(plan), "cuda:0");
	snprintf(file, sizeof file, "%s/elsewhere.so", folder);
	assert_true(is_mapped(file));
	ws_plan_destroy(plan);
	ws_ctx_destroy(ctx);
	remove(file);
	rmdir(folder);
}

/* ---- Runs over several devices ------------------------------------------------------------- */

typedef struct sink {
	size_t next, fail_at;   /* channels */
	bool fail_reading;
	double done;
	int cancel_after;       /* reports; 0: never */
	int reports;
	bool long_work;         /* that reports before it ends */
	size_t device_memory;   /* of each GPU; 0: as much as there is */
	size_t modes;
	double *rows;           /* [channel][modes][time] */
} sink;

static ws_status
read_channel(void *user, size_t channel, void *to)
{
	const sink *s = user;
	if (s->fail_reading && channel == s->fail_at)
		return WS_E_IO;
	memcpy(to, x + channel * SAMPLES, SAMPLES * sizeof *x);
	return WS_OK;
}

static ws_status
write_channel(void *user, const ws_channel_result *of)
{
	const emd_rows rows = emd_rows_of(of), *r = &rows;
	sink *s = user;
	assert_int_equal(r->channel, s->next);
	if (!s->fail_reading && r->channel == s->fail_at)
		return WS_E_NOSPACE;
	s->next++;
	memset(s->rows + r->channel * s->modes * SAMPLES, 0, s->modes * SAMPLES * sizeof *x);
	memcpy(s->rows + r->channel * s->modes * SAMPLES, r->mode_rows,
	       (size_t)r->modes * SAMPLES * sizeof *x);
	return WS_OK;
}

static int
report(void *user, double done)
{
	sink *s = user;
	assert_true(done >= 0.0 && done <= 1.0);
	return ++s->reports == s->cancel_after;
}

static ws_status
run(const char *device, size_t memory, sink *s)
{
	ws_ctx *ctx = context(device, s->device_memory);
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_ICEEMDAN,
		.realizations = 40,
		.sifts = s->long_work ? 0 : 4, .modes = 3, .channel_noise = WS_NOISE_INDEPENDENT };
	ws_run *r;
	assert_int_equal(ws_run_create(&r, ctx, emd_fit(&o), &shape, &o, memory), WS_OK);
	s->modes = (size_t)ws_run_modes(r);
	s->rows = need(CHANNELS * s->modes * SAMPLES * sizeof *x);
	assert_string_equal(ws_run_device(r), device);
	assert_true(memory == 0 || ws_run_bytes(r) <= memory);
	ws_stream stream = { .size = sizeof stream, .read = read_channel, .write = write_channel,
		             .progress = report, .user = s };
	ws_status status = ws_run_execute(r, &stream);
	ws_run_destroy(r);
	ws_ctx_destroy(ctx);
	return status;
}

static void
test_runs(void **state)
{
	(void)state;
	static const struct { const char *names; size_t memory, device_memory; } devices[] = {
		{ "cuda:0", 400 << 10, 0 }, { "cuda:0,1", 800 << 10, 0 },
			{ "cuda:2,0,1,3,4,5,6", 0, 0 },
		{ "cuda:0,1", 3 << 20, 2 << 20 }, /* residues in host memory */
	};
	sink cpu = { .fail_at = CHANNELS };
	setenv("FAKE_DEVICES", "8", 1);
	assert_int_equal(run("cpu", 0, &cpu), WS_OK);
	for (size_t i = 0; i < sizeof devices / sizeof *devices; ++i) {
		sink gpu = { .fail_at = CHANNELS, .device_memory = devices[i].device_memory };
		assert_int_equal(run(devices[i].names, devices[i].memory, &gpu), WS_OK);
		assert_int_equal(gpu.next, CHANNELS);
		assert_memory_equal(gpu.rows, cpu.rows, CHANNELS * cpu.modes * SAMPLES * sizeof *x);
		free(gpu.rows);
	}
	free(cpu.rows);
}

/* Smaller blocks first; where the residues alone are too many for the GPU they
 * are host memory, which counts. */
static void
test_run_memory(void **state)
{
	(void)state;
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_ICEEMDAN,
		.realizations = 300,
		.modes = 3 };
	const size_t residues = 300 * SAMPLES * sizeof *x;
	const struct { size_t device,
		host; bool aside; ws_status status; const char *words; } cases[] = {
		{ 0, 0, false, WS_OK, "1 of 7 channels" },
		{ residues + (2 << 20), 0, false, WS_OK, "3 of 3 channels" },
		{ residues, 0, true, WS_OK, "1 of 7 channels" },
		{ residues, residues + (1 << 20), true, WS_OK, " in host memory\n" },
		{ residues, residues, true, WS_E_NOMEM, "for what the GPU's memory does not hold" },
		{ 200 << 10, 0, true, WS_E_NOMEM, "of its memory are needed" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		ws_ctx *ctx = context("cuda", cases[i].device);
		ws_run *r;
		assert_int_equal(ws_run_create(&r, ctx, "iceemdan", &shape, &o, cases[i].host),
		                 cases[i].status);
		if (cases[i].status != WS_OK) {
			expect_detail(cases[i].words);
		} else {
			assert_non_null(strstr(ws_run_describe(r), cases[i].words));
			assert_int_equal(ws_run_bytes(r) >= residues, cases[i].aside);
			assert_true(cases[i].host == 0 || ws_run_bytes(r) <= cases[i].host);
			assert_true(cases[i].device == 0 ||
			            ws_run_device_bytes(r) <= cases[i].device);
		}
		ws_run_destroy(r);
		ws_ctx_destroy(ctx);
	}
}

static void
test_run_failures(void **state)
{
	(void)state;
	for (size_t c = 0; c < CHANNELS; ++c) {
		sink s = { .fail_at = c, .fail_reading = true };
		assert_int_equal(run("cuda:0,1", 800 << 10, &s), WS_E_IO);
		free(s.rows);
		s = (sink){ .fail_at = c };
		assert_int_equal(run("cuda:0,1", 800 << 10, &s), WS_E_NOSPACE);
		assert_int_equal(s.next, c);
		free(s.rows);
	}
	for (int n = 1; n < 4; ++n) {
		sink s = { .fail_at = CHANNELS, .long_work = true, .cancel_after = n };
		assert_int_equal(run("cuda:0,1", 800 << 10, &s), WS_E_CANCELLED);
		free(s.rows);
	}
	sink s = { .fail_at = CHANNELS, .long_work = true };
	setenv("FAKE_FAIL", "stop", 1);
	assert_int_equal(run("cuda:0,1", 800 << 10, &s), WS_E_BACKEND);
	expect_detail("it was lost");
	free(s.rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bits), cmocka_unit_test(test_device_arrays),
		cmocka_unit_test(test_device_arrays_need_a_gpu),
		cmocka_unit_test_teardown(test_choice, clear_settings),
		cmocka_unit_test_teardown(test_isa_means_cpu, clear_settings),
		cmocka_unit_test_teardown(test_device_memory, clear_settings),
		cmocka_unit_test_teardown(test_failures, clear_settings),
		cmocka_unit_test_teardown(test_names, clear_settings),
		cmocka_unit_test_teardown(test_info, clear_settings),
		cmocka_unit_test_teardown(test_info_sizes, clear_settings),
		cmocka_unit_test_teardown(test_named_backend, clear_settings),
		cmocka_unit_test_teardown(test_runs, clear_settings),
		cmocka_unit_test_teardown(test_run_memory, clear_settings),
		cmocka_unit_test_teardown(test_run_failures, clear_settings),
	};
	return cmocka_run_group_tests(tests, make_input, NULL);
}
