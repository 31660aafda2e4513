/*
 * test_transfer.cpp - rows on their way between host and device (src/cuda/device/transfer.h), with a
 * stand-in for the device (fake_cuda): every row arrives where it belongs and nothing else is
 * touched, whatever its length, stride and number; later work waits; failures are told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

extern "C" {
#include <cmocka.h>
}

#include <vector>

#include "cuda/device/transfer.cu"

/* The user, who cancels when asked so often; 0: never. */
static int patience;

extern "C" void
wsi_progress_poll(wsi_progress *p)
{
	if (patience > 0 && --patience == 0)
		p->cancelled = true;
}

struct fixture {
	transfer *t = NULL;
	cudaStream_t stream = NULL;

	explicit fixture(int most_stride = 1 << 20)
	{
		fake.most_stride = most_stride;
		fake.copies_left = -1;
		fake.pinned = NULL;
		assert_int_equal(transfer_open(&t, 0), cudaSuccess);
		assert_int_equal(cudaStreamCreateWithFlags(&stream, 0), cudaSuccess);
	}

	~fixture()
	{
		transfer_close(t);
		cudaStreamDestroy(stream);
	}
};

/* Rows on either side, told apart by what they hold. */
struct rows {
	size_t bytes, n, stride[2];
	std::vector<char> host, device;
	std::vector<char> which;

	rows(size_t bytes, size_t n, size_t host_gap, size_t device_gap)
		: bytes(bytes), n(n), stride{ bytes + host_gap, bytes + device_gap }, host(n * stride[0]),
		  device(n * stride[1]), which(n, 1)
	{
		for (size_t i = 0; i < host.size(); ++i)
			host[i] = (char)(i * 7 + 1);
		for (size_t i = 0; i < device.size(); ++i)
			device[i] = (char)(i * 13 + 5);
	}

	transfer_rows
	job(bool to_host) const
	{
		return { (char *)host.data(), (char *)device.data(), stride[0], stride[1], bytes, n, to_host,
			 NULL, NULL };
	}

	/* What a copy is to make of both. */
	rows
	copied(bool to_host) const
	{
		rows r = *this;
		for (size_t i = 0; i < n; ++i) {
			char *const h = r.host.data() + i * stride[0], *const d = r.device.data() + i * stride[1];
			if (which[i])
				memcpy(to_host ? h : d, to_host ? d : h, bytes);
		}
		return r;
	}
};

static void
check(const rows &got, const rows &want)
{
	assert_true(got.host == want.host);
	assert_true(got.device == want.device);
}

static void
test_all_shapes(void **)
{
	const size_t P = TRANSFER_PACKET;
	const size_t shapes[][4] = { /* bytes, rows, gaps */
		{ 4, 1, 0, 0 },           { 100, 7, 12, 0 },         { P, 1, 0, 0 },
		{ P + 1, 1, 0, 0 },       { 9 * P + 3, 1, 0, 0 },    { 2048, 1000, 0, 0 },
		{ 2048, 500, 6144, 64 },  { P / 2 + 1, 5, 8, 16 },   { P - 1, 20, 0, 1 },
		{ 3 * P, 4, 1, 2 },       { 1, 70000, 1, 0 }, { 122016, 32, 122016, 96 },
	};
	fixture f;
	for (const auto &shape : shapes)
		for (const bool to_host : { false, true }) {
			rows r(shape[0], shape[1], shape[2], shape[3]);
			const rows want = r.copied(to_host);
			assert_int_equal(transfer_now(f.t, r.job(to_host), f.stream), cudaSuccess);
			cudaStreamSynchronize(f.stream); /* rows to the device are there for what comes next in it */
			check(r, want);
		}
}

static void
test_some_rows_only(void **)
{
	fixture f;
	for (const size_t bytes : { (size_t)1000, TRANSFER_PACKET / 2, TRANSFER_PACKET + 5 })
		for (const size_t every : { 1, 2, 5, 1000 }) {
			rows r(bytes, 24, 24, 8);
			bool which[24];
			for (size_t i = 0; i < r.n; ++i)
				which[i] = (r.which[i] = i % every == every - 1);
			const rows want = r.copied(true);
			transfer_rows job = r.job(true);
			job.which = which;
			assert_int_equal(transfer_now(f.t, job, f.stream), cudaSuccess);
			check(r, want);
		}
}

/* Rows that the driver would not step along; memory that it copies to itself. */
static void
test_who_copies(void **)
{
	fixture f(1 << 14);
	rows far(5000, 60, 1 << 14, 0);
	const rows want = far.copied(true);
	assert_int_equal(transfer_now(f.t, far.job(true), f.stream), cudaSuccess);
	check(far, want);
	rows pinned(5000, 60, 0, 0);
	const rows same = pinned.copied(true);
	fake.pinned = pinned.host.data();
	fake.copies = 0;
	assert_int_equal(transfer_begin(f.t, pinned.job(true), f.stream), cudaSuccess);
	assert_int_equal(transfer_end(f.t), cudaSuccess);
	assert_int_equal(fake.copies, 1);
	check(pinned, same);
}

/* Rows that the caller has in the device's memory: the host does not touch them. */
static void
test_between_device_rows(void **)
{
	for (const int most_stride : { 1 << 20, 1 << 10 }) {
		fixture f(most_stride);
		for (const bool some : { false, true }) {
			rows r((size_t)2000, 24, 24, 8);
			bool which[24];
			for (size_t i = 0; i < r.n; ++i)
				which[i] = (r.which[i] = !some || i % 3 == 1);
			fake.on_device = r.host.data();
			const rows want = r.copied(true);
			transfer_rows job = r.job(true);
			job.which = some ? which : NULL;
			fake.copies = 0;
			assert_int_equal(transfer_now(f.t, job, f.stream), cudaSuccess);
			check(r, want);
			assert_int_equal(fake.copies, some ? 8 : most_stride < 2000 ? 24 : 1);
		}
		fake.on_device = NULL;
	}
}

/* What the device was told before is done before. */
static void
test_waits_for_the_stream(void **)
{
	fixture f;
	for (int i = 0; i < 30; ++i) {
		rows r((size_t)100000, (size_t)(i % 2 ? 1 : 12), 0, 0);
		std::vector<char> late(r.device.size(), (char)(i + 1));
		cudaMemcpyAsync(r.device.data(), late.data(), late.size(), cudaMemcpyDefault, f.stream);
		if (i % 3 == 0) {
			assert_int_equal(transfer_begin(f.t, r.job(true), f.stream), cudaSuccess);
			assert_int_equal(transfer_end(f.t), cudaSuccess);
		} else {
			assert_int_equal(transfer_now(f.t, r.job(true), f.stream), cudaSuccess);
		}
		assert_true(r.host == late);
	}
	assert_int_equal(transfer_end(f.t), cudaSuccess); /* none is under way */
}

/* Wherever a copy fails it is told, and the next one works. */
static void
test_failures(void **)
{
	fixture f;
	for (const bool to_host : { false, true })
		for (int good = 0; good < 15; good += 2) {
			rows r(TRANSFER_PACKET / 3, 45, 0, 0);
			fake.copies_left = good;
			assert_int_equal(transfer_now(f.t, r.job(to_host), f.stream), cudaErrorInvalidValue);
			fake.copies_left = -1;
			const rows want = r.copied(to_host);
			assert_int_equal(transfer_now(f.t, r.job(to_host), f.stream), cudaSuccess);
			check(r, want);
		}
}

/* What was on its way arrives, the rest does not; and the next transfer is whole. */
static void
test_cancelled(void **)
{
	fixture f;
	for (const bool to_host : { false, true })
		for (const bool beside : { false, true }) {
			rows r(TRANSFER_PACKET, 400, 0, 0);
			const rows want = r.copied(to_host);
			wsi_progress progress = {};
			transfer_rows job = r.job(to_host);
			job.progress = &progress;
			patience = 1;
			if (beside) {
				progress.cancelled = true;
				assert_int_equal(transfer_begin(f.t, job, f.stream), cudaSuccess);
				assert_int_equal(transfer_end(f.t), cudaSuccess);
			} else {
				assert_int_equal(transfer_now(f.t, job, f.stream), cudaSuccess);
			}
			assert_true(progress.cancelled);
			assert_false(r.host == want.host && r.device == want.device);
			patience = 0;
			progress.cancelled = false;
			assert_int_equal(transfer_now(f.t, job, f.stream), cudaSuccess);
			check(r, want);
		}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_shapes),
		cmocka_unit_test(test_some_rows_only),
		cmocka_unit_test(test_who_copies), cmocka_unit_test(test_between_device_rows),
		cmocka_unit_test(test_waits_for_the_stream),
		cmocka_unit_test(test_failures), cmocka_unit_test(test_cancelled),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
