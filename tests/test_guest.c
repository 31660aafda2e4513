/*
 * test_guest.c - the library as part of another process: it reads and writes numbers with a
 * decimal point in a locale that has a comma, leaves signals to the process, and no thread behind.
 */
#define _GNU_SOURCE /* gettid */
#include <dirent.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "core_test.h"
#include "io/read/time_units.h"
#include "result_test.h"

#include "plot/boxplot.h"
#include "plot/plot.h"
#include "plot/spectra.h"
#include "plot_test.h"

#define THREADS 3

/* ---- A locale with a decimal comma -------------------------------------------------- */

/* Reads a file whole into a buffer of the caller's; bytes read. */
static size_t
slurp(const char *path, char *to, size_t most)
{
	FILE *f = fopen(path, "rb");
	if (!f)
		return 0;
	const size_t n = fread(to, 1, most, f);
	fclose(f);
	return n;
}

/*
 * glibc's own C.utf8 with a comma: the character is a string and a number of four bytes.  Locales
 * of countries are often not installed.  False where there is no such file.
 */
static bool
make_comma_locale(void)
{
	char numeric[4096], path[512];
	const size_t n = slurp("/usr/lib/locale/C.utf8/LC_NUMERIC", numeric, sizeof numeric);
	test_path("x");
	snprintf(path, sizeof path, "%s/comma", test_folder);
	if (n == 0 || mkdir(path, 0700) != 0)
		return false;
	for (size_t i = 0; i < n; ++i)
		if (numeric[i] == '.' && numeric[i + 1] == '\0')
			numeric[i] = ',';
	test_file("comma/LC_NUMERIC", numeric, n);
	return setenv("LOCPATH", test_folder, 1) == 0 && setlocale(LC_NUMERIC, "comma");
}

static void
enter_comma(void)
{
	char text[8];
	static int made = -1;
	if (made < 0)
		made = make_comma_locale();
	if (!made || !setlocale(LC_NUMERIC, "comma")) {
		puts("SKIPPED: /usr/lib/locale/C.utf8 is missing, which the locale is made of");
		skip();
	}
	snprintf(text, sizeof text, "%.1f", 0.5);
	assert_string_equal(text, "0,5");
}

static int
leave_comma(void **state)
{
	(void)state;
	assert_non_null(setlocale(LC_ALL, "C"));
	return 0;
}

/* The locale is the caller's again after every call. */
static void
still_comma(void)
{
	char text[8];
	snprintf(text, sizeof text, "%.1f", 0.5);
	assert_string_equal(text, "0,5");
}

static void
refused_in_words(ws_status status, ws_status expected, const char *words)
{
	assert_int_equal(status, expected);
	if (!strstr(ws_error_detail(), words))
		fail_msg("\"%s\" does not say \"%s\"", ws_error_detail(), words);
	still_comma();
}

static void
test_words(void **state)
{
	(void)state;
	enter_comma();
	const ws_shape shape = { .size = sizeof shape, .channels = 1, .samples = 1000 };
	ws_emd_opts o = { .size = sizeof o, .tag = WS_TAG_EMD, .method = WS_METHOD_EEMD,
		.noise = 0.25 };
	ws_ctx *ctx;
	ws_plan *plan;
	ws_run *run;
	assert_int_equal(ws_ctx_create(&ctx, NULL), WS_OK);
	assert_int_equal(ws_plan_create(&plan, ctx, emd_name(&o), &shape, &o), WS_OK);
	assert_non_null(strstr(ws_plan_describe(plan), "noise 0.25 std"));
	ws_plan_destroy(plan);
	assert_int_equal(ws_run_create(&run, ctx, emd_name(&o), &shape, &o, 0), WS_OK);
	const char *blocks = strstr(ws_run_describe(run), "blocks");
	assert_non_null(blocks);
	assert_non_null(strchr(strstr(blocks, "channel, "), '.'));
	ws_run_destroy(run);
	o.noise = 1234567.5;
	refused_in_words(ws_plan_create(&plan, ctx, emd_name(&o), &shape, &o), WS_E_ARG,
	                 "`noise`: 1.23457e+06 is");
	ws_ctx_destroy(ctx);
	char text[WSI_TIME_TEXT];
	assert_string_equal(wsi_format_time(90.5, 60, 2, text), "1.50833333");
	still_comma();
}

/* An EDF of one channel, two samples of two bytes each second, 0.5 a step. */
static const char *
edf_file(void)
{
	char text[1024];
	const int n = snprintf(text, sizeof text,
		""
		"%-8s%-80s%-80s%-8s%-8s%-8d%-44s%-8d%-8s%-4d%-16s%-80s%-8s%-8s%-8s%-8d%-8d%-80s%-8d%-32s",
		"0", "X", "X", "01.01.20", "00.00.00", 512, "", 1, "0.5", 1,
		"Cz", "", "uV", "-16384.", "16383.5", -32768, 32767, "", 2, "");
	assert_int_equal(n, 512);
	memcpy(text + n, (int16_t[]){ 3, -1 }, 4);
	return test_file("x.edf", text, (size_t)n + 4);
}

static void
test_recordings(void **state)
{
	(void)state;
	enter_comma();
	wsi_recording *rec = open_ok(test_text("x.csv",
	                                       "time,a,b\n0.25,0.5,1.25\n0.5,-2.75,1e-3\n"));
	close_to(rec->channels[0].fs, 4, 0);
	close_to(sample(rec, 0, 0, 1), -2.75, 0);
	close_to(sample(rec, 0, 1, 0), 1.25, 0);
	still_comma();
	wsi_recording_close(rec);

	test_text("x.vmrk", "Brain Vision Data Exchange Marker File, Version 1.0\n");
	test_file("x.eeg", (int16_t[]){ 1, 2 }, 4);
	rec = open_ok(test_text("x.vhdr", "Brain Vision Data Exchange Header File Version 1.0\n"
		"[Common Infos]\nDataFile=x.eeg\nMarkerFile=x.vmrk\nDataFormat=BINARY\n"
		"DataOrientation=MULTIPLEXED\nNumberOfChannels=1\nSamplingInterval=0.5\n"
		"[Binary Infos]\nBinaryFormat=INT_16\n[Channel Infos]\nCh1=Cz,,0.25,uV\n"));
	close_to(rec->channels[0].fs, 2e6, 0);
	close_to(sample(rec, 0, 0, 1), 0.5, 0);
	wsi_recording_close(rec);

	rec = open_ok(edf_file());
	close_to(rec->channels[0].fs, 4, 0);
	close_to(sample(rec, 0, 0, 0), 1.5, 1e-9);
	wsi_recording_close(rec);
	refused_in_words(wsi_recording_open(&rec, test_path("x.edf"),
	                                    &(wsi_open_opts){ .fs = -0.5 }),
	                 WS_E_ARG, "a sampling rate of -0.5 Hz");
	still_comma();
}

/* Writes a result; its bytes. */
static size_t
result_bytes(const char *name, char *bytes, size_t most)
{
	const wsi_result_header h = header(2, WS_F64, WS_F64, 0);
	assert_int_equal(write_result(test_path(name), &h, true), WS_OK);
	const size_t n = slurp(test_path(name), bytes, most);
	assert_in_range(n, 1, most - 1);
	return n;
}

static void
test_results(void **state)
{
	(void)state;
	enter_comma();
	static const char *const files[] = { "r.csv", "r.h5", "r.npy", "r.mat" };
	enum { MOST = 1 << 20 };
	char *here = need(MOST), *plain = need(MOST);
	for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
		const size_t n = result_bytes(files[i], here, MOST);
		still_comma();
		if (i > 0) {
			wsi_result *r;
			double v;
			assert_int_equal(wsi_result_open(&r, test_path(files[i]), NULL), WS_OK);
			assert_int_equal(wsi_result_read(r, 1, 2, 0, 7, 1, &v), WS_OK);
			assert_true(v == value(1, 2, 1, 7));
			assert_true(i > 1 || (r->fs == 128 && r->time_origin == 58));
			wsi_result_close(r);
		}
		/* Files of these formats hold no moment of writing. */
		if (i == 0 || i == 2) {
			setlocale(LC_ALL, "C");
			assert_int_equal(result_bytes(files[i], plain, MOST), n);
			assert_memory_equal(here, plain, n);
			setlocale(LC_NUMERIC, "comma");
		}
	}
	free(here);
	free(plain);
}

static ws_status
draw_row(void *user, size_t channel, size_t row, size_t first, size_t count, double *out)
{
	(void)user;
	for (size_t i = 0; i < count; ++i)
		out[i] = 0.013 *
			sin(0.3 * (double)(first + i) / (double)(row + 1) + (double)channel);
	return WS_OK;
}

/* Draws the i-th figure; its bytes. */
static size_t
draw(int i, char *bytes, size_t most)
{
	static const size_t modes[] = { 2, 2 };
	static const ws_mode_figures frequency[] = { { .frequency = 12.5 }, { .frequency = 0.75 },
		                                     { .frequency = 0.01 } };
	static const ws_mode_figures *const frequencies[] = { frequency, frequency };
	const wsi_plot_data data = {
		.source = "x.h5", .title = "EMD", .subtitle = "", .n_channels = 2,
			.channel_names = names,
		.units = units, .modes = modes, .figures = frequencies, .samples = 600, .fs = 256,
		.fs_known = true, .start_time = "", .read = draw_row,
	};
	double values[] = { 0.125, 0.25, 0.375 };
	const wsi_box_group group = { .label = "1", .values = values,
		                      .summary = wsi_tukey_of(values, 3) };
	const wsi_boxplot boxes = { .title = "t", .subtitle = "", .quantity = "q",
		.axis_title = "a",
		                    .top = 1, .n_groups = 1, .groups = &group };
	const char *path = test_path("figure.svg");
	assert_int_equal(i == 0   ? named(wsi_plot_decomposition(&data, on(path)))
	                 : i == 1 ? named(wsi_plot_spectra(&data, on(path)))
	                          : named(wsi_plot_boxes(&boxes, on(path))), WS_OK);
	const size_t n = slurp(path, bytes, most - 1);
	assert_in_range(n, 1, most - 2);
	bytes[n] = '\0';
	/* Without the numbers by which cairo counts the surfaces of a process. */
	char *end = bytes;
	for (const char *p = bytes; *p;) {
		*end++ = *p++;
		if (end - bytes >= 7 && memcmp(end - 7, "surface", 7) == 0)
			p += strspn(p, "0123456789");
	}
	return (size_t)(end - bytes);
}

static void
test_figures(void **state)
{
	(void)state;
	enter_comma();
	enum { MOST = 4 << 20 };
	char *here = need(MOST), *plain = need(MOST);
	for (int i = 0; i < 3; ++i) {
		const size_t n = draw(i, here, MOST);
		still_comma();
		setlocale(LC_ALL, "C");
		assert_int_equal(draw(i, plain, MOST), n);
		assert_memory_equal(here, plain, n);
		setlocale(LC_NUMERIC, "comma");
	}
	free(here);
	free(plain);
}

/* ---- Signals and threads ---------------------------------------------------------------- */

static size_t
threads_now(void)
{
	size_t n = 0;
	DIR *tasks = opendir("/proc/self/task");
	assert_non_null(tasks);
	for (const struct dirent *e; (e = readdir(tasks));)
		n += e->d_name[0] != '.';
	closedir(tasks);
	return n;
}

static atomic_int handled;

static void
count_signal(int signal)
{
	(void)signal;
	atomic_fetch_add(&handled, 1);
}

static size_t threads_before;
static _Atomic size_t most_threads;

/* Called while the work goes on: sends the process a signal, and counts threads. */
static int
at_work(void *user, double done)
{
	(void)user;
	(void)done;
	kill(getpid(), SIGUSR1);
	const size_t n = threads_now();
	if (n > most_threads)
		most_threads = n;
	return 0;
}

/* Are dispositions of all signals, and this thread's mask, what they were? */
typedef struct signals { struct sigaction action[65]; sigset_t mask; } signals;

static void
look_at_signals(signals *s)
{
	memset(s, 0, sizeof *s);
	for (int i = 1; i < 65; ++i)
		sigaction(i, NULL, &s->action[i]); /* fails for those of the C library: zeroes */
	pthread_sigmask(SIG_SETMASK, NULL, &s->mask);
}

static void
same_signals(const signals *a)
{
	signals b;
	look_at_signals(&b);
	for (int i = 1; i < 65; ++i)
		assert_true(a->action[i].sa_handler == b.action[i].sa_handler &&
		            a->action[i].sa_flags == b.action[i].sa_flags);
	for (int i = 1; i < 65; ++i)
		assert_int_equal(sigismember(&a->mask, i), sigismember(&b.mask, i));
}

static void *
decompose_aside(void *seed)
{
	enum { N = 20000, ROWS = 4 };
	double *x = need(ROWS * N * sizeof *x);
	rng r = { *(const uint64_t *)seed };
	for (size_t i = 0; i < ROWS * N; ++i)
		x[i] = rng_normal(&r);
	const job j = { .shape = { .channels = ROWS, .samples = N }, .o = { .sifts = 8 }, .x = x,
		        .threads = THREADS, .progress = at_work };
	result got;
	must_decompose(&j, &got);
	result_free(&got);
	free(x);
	return NULL;
}

static ws_status
read_noise(void *user, size_t channel, void *x)
{
	rng r = { channel };
	(void)user;
	for (size_t i = 0; i < 20000; ++i)
		((double *)x)[i] = rng_normal(&r);
	return WS_OK;
}

static ws_status
drop(void *user, const ws_channel_result *channel)
{
	(void)user;
	(void)channel;
	return WS_OK;
}

/* In several blocks, with what reads and writes beside the work. */
static void
run_blocks(void)
{
	const ws_shape shape = { .size = sizeof shape, .channels = 6, .samples = 20000 };
	const ws_ctx_opts c = { .size = sizeof c, .threads = THREADS, .device = "cpu" };
	const ws_stream stream = { .size = sizeof stream, .read = read_noise, .write = drop,
		                   .progress = at_work };
	ws_ctx *ctx;
	ws_run *run;
	assert_int_equal(ws_ctx_create(&ctx, &c), WS_OK);
	assert_int_equal(ws_run_create(&run, ctx, "emd", &shape, NULL, (size_t)16 << 20), WS_OK);
	assert_int_equal(ws_run_execute(run, &stream), WS_OK);
	ws_run_destroy(run);
	ws_ctx_destroy(ctx);
}

/*
 * A signal to the process, while all that work here block it, waits for a thread of the caller's:
 * none of the library's takes it.  Two of the caller's threads that are not its first work at once.
 */
static void
test_signals_and_threads(void **state)
{
	(void)state;
	signals before;
	sigset_t user, was, pending;
	struct sigaction action = { .sa_handler = count_signal }, old;
	pthread_t callers[2];
	uint64_t seeds[2] = { 1, 2 };
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	sigemptyset(&user);
	sigaddset(&user, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &user, &was);
	look_at_signals(&before);
	threads_before = threads_now();
	for (int i = 0; i < 2; ++i)
		assert_int_equal(pthread_create(&callers[i], NULL, decompose_aside, &seeds[i]), 0);
	for (int i = 0; i < 2; ++i)
		assert_int_equal(pthread_join(callers[i], NULL), 0);
	assert_in_range(most_threads, threads_before + 3, threads_before + 2 * THREADS);
	run_blocks();
	same_signals(&before);
	sigpending(&pending);
	assert_true(sigismember(&pending, SIGUSR1)); /* it was sent.. */
	assert_int_equal(handled, 0);                /* ..and nobody took it */
	/* pthread_join() comes a moment before the kernel takes a thread off its list. */
	for (int i = 0; i < 1000 && threads_now() != threads_before; ++i)
		usleep(1000);
	assert_int_equal(threads_now(), threads_before);
	pthread_sigmask(SIG_SETMASK, &was, NULL);
	assert_int_equal(handled, 1);
	sigaction(SIGUSR1, &old, NULL);
	/* Files too: what sound files hold is tried out in a process of its own. */
	look_at_signals(&before);
	wsi_recording *rec = open_ok(WAVESIFT_SOURCE_DIR "/fuzz/corpus/sound/pcm_16.wav");
	wsi_recording_close(rec);
	same_signals(&before);
}

int
main(void)
{
#define IN_COMMA(test) cmocka_unit_test_teardown(test, leave_comma)
	const struct CMUnitTest tests[] = {
		IN_COMMA(test_words),
		IN_COMMA(test_recordings),
		IN_COMMA(test_results),
		IN_COMMA(test_figures),
		cmocka_unit_test(test_signals_and_threads),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	char path[512];
	snprintf(path, sizeof path, "%s/comma", test_folder);
	remove(test_path("comma/LC_NUMERIC"));
	rmdir(path);
	return failed;
}
