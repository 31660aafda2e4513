/* split.cu - lengths of transforms that are done in two passes, each in shared memory. */
#include "cuda/cwt/split.h"

constexpr size_t MOST = 4096;   /* points of a pass */
constexpr int MOST_STAGES = 5;

static const unsigned char radices[] = { 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16 };

/* Stages of each length with radices of up to `most`, 0: it has other factors; and the last radix
 * of them, which is as small as may be. */
struct stage_table {
	unsigned char stages[MOST + 1], radix[MOST + 1];

	explicit stage_table(unsigned char most)
	{
		for (size_t n = 0; n <= MOST; ++n)
			stages[n] = radix[n] = 0;
		for (size_t n = 2; n <= MOST; ++n)
			for (unsigned char r : radices)
				if (r <= most && n % r == 0)
					take(n, r);
	}

	/* r behind what n / r has: the largest of its radices decides between equals. */
	void
	take(size_t n, unsigned char r)
	{
		const size_t rest = n / r;
		if (rest > 1 && !stages[rest])
			return;
		const unsigned char largest = rest > 1 && radix[rest] > r ? radix[rest] : r;
		const int with = stages[rest] + 1;
		if (with > MOST_STAGES || (stages[n] && with > stages[n]) ||
		    (with == stages[n] && largest >= radix[n]))
			return;
		stages[n] = (unsigned char)with;
		radix[n] = largest;
	}
};

/* Radices that stay in registers. */
static const stage_table &
table_of(size_t bytes)
{
	static const stage_table f32(16), f64(12);
	return bytes > 8 ? f64 : f32;
}

size_t
cwt_pass_bytes(const cwt_pass &pass, size_t bytes)
{
	return ((size_t)pass.n + 2 * ((size_t)pass.n << pass.columns)) * bytes;
}

bool
cwt_pass_alone(size_t n, size_t bytes, cwt_pass *pass)
{
	const stage_table &t = table_of(bytes);
	*pass = {};
	if (n > MOST || !t.stages[n])
		return false;
	pass->n = (unsigned short)n;
	for (size_t rest = n; rest > 1; rest /= t.radix[rest])
		pass->radix[pass->stages++] = t.radix[rest];
	return true;
}

static bool
pass_of(size_t n, size_t bytes, cwt_pass *pass)
{
	if (!cwt_pass_alone(n, bytes, pass))
		return false;
	/* Stores of 64 bytes that lie together, more where that makes small blocks. */
	int columns = bytes > 8 ? 2 : 3;
	while (columns < 4 && (n << columns) * bytes < 12 << 10)
		++columns;
	pass->columns = (unsigned char)columns;
	while (pass->columns > 1 && cwt_pass_bytes(*pass, bytes) > CWT_PASS_SHARED / 2)
		--pass->columns;
	return cwt_pass_bytes(*pass, bytes) <= CWT_PASS_SHARED;
}

/* How many times p divides n, which is divided by it as often. */
static int
times_in(unsigned *n, unsigned p)
{
	int times = 0;
	for (; *n % p == 0; *n /= p)
		++times;
	return times;
}

bool
cwt_split_of(size_t n, size_t bytes, cwt_split *split)
{
	const stage_table &t = table_of(bytes);
	if (n < 4 || n > MOST * MOST)
		return false;
	unsigned rest = (unsigned)n;
	const int twos = times_in(&rest, 2), threes = times_in(&rest, 3);
	const int fives = times_in(&rest, 5);
	if (rest != 1)
		return false;
	/* Few stages, then factors that are near to each other, the first not below the second. */
	unsigned least = 0, best = 0;
	for (unsigned f = 0, five = 1; f <= (unsigned)fives && five <= MOST; ++f, five *= 5)
		for (unsigned h = 0, b3 = five; h <= (unsigned)threes && b3 <= MOST; ++h, b3 *= 3)
			for (unsigned w = 0, b = b3; w <= (unsigned)twos && b <= MOST;
			     ++w, b *= 2) {
				const unsigned a = (unsigned)n / b;
				if (b > a || a > MOST || !t.stages[a] || !t.stages[b])
					continue;
				const unsigned stages = t.stages[a] + t.stages[b];
				const unsigned cost = 16 * stages + a * 4 / b;
				if (least == 0 || cost < least) {
					least = cost;
					best = b;
				}
			}
	return best && pass_of(n / best, bytes, &split->first) &&
	       pass_of(best, bytes, &split->second);
}
