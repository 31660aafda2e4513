/* groups.cu - lines that are summed together, and the items that groups are cut into. */
#include <algorithm>

#include "cuda/conv/direct.cuh"

const direct_code *direct_code_f64(const direct_kind &kind);
const direct_code *direct_code_f32(const direct_kind &kind);
const direct_code *direct_code_parted(const direct_kind &kind);
const direct_code *direct_code_tensor(const direct_kind &kind);

static const direct_code *
code_of_kind(const direct_kind &kind)
{
	if (kind.accumulators > 1)
		return direct_code_parted(kind);
	if (kind.tensor)
		return direct_code_tensor(kind);
	return kind.sums == WS_F64 ? direct_code_f64(kind) : direct_code_f32(kind);
}

int
direct_tile(const direct_kind &kind)
{
	return code_of_kind(kind)->tile;
}

int
direct_rows(const direct_kind &kind)
{
	return code_of_kind(kind)->rows;
}

size_t
direct_stack_bytes(const direct_kind &kind)
{
	return code_of_kind(kind)->stack;
}

cudaError_t
direct_blocks(const direct_kind &kind, const cudaDeviceProp &facts, int every, int *blocks)
{
	return code_of_kind(kind)->blocks(every, facts.multiProcessorCount, blocks);
}

cudaError_t
direct_launch(const direct_kind &kind, const direct_job &job, int blocks, cudaStream_t stream)
{
	return code_of_kind(kind)->launch(job, blocks, stream);
}

/* ---- Groups ------------------------------------------------------------------------------- */

/* What a tap of a group costs, in multiply-adds of an output, by its rows: fewer rows share loads
 * less; and what a group costs besides, in taps of one row. */
static double
tap_cost(int rows)
{
	return rows == 1 ? 1.5 : rows == 2 ? 2.4 : rows == 4 ? 4.3 : rows == 8 ? 8.2 : 8.6;
}
#define GROUP_COST 8.0

/* Sizes of groups of a kind, and which of them has room for `rows`. */
static bool
is_size(const direct_kind &kind, int rows, int most)
{
	if (kind.tensor)
		return rows <= 2 || rows == most;
	return rows == 1 || rows == most || (kind.dense && rows < most && (rows & (rows - 1)) == 0);
}

static int
size_for(const direct_kind &kind, int used, int most)
{
	int size = used;
	while (!is_size(kind, size, most))
		++size;
	return size;
}

/* How many lines end a group at each line, so that all groups together cost least. */
static std::vector<unsigned char>
choose(const std::vector<direct_row> &lines, const direct_kind &kind, int limit)
{
	const int most = direct_rows(kind);
	std::vector<unsigned char> used(lines.size() + 1);
	std::vector<double> best(lines.size() + 1, 0.0);
	for (size_t i = 1; i <= lines.size(); ++i) {
		const direct_row &last = lines[i - 1];
		for (int r = 1; r <= limit && (size_t)r <= i; ++r) {
			const double cost = best[i - r] + GROUP_COST +
				tap_cost(size_for(kind, r, most)) * (double)(last.d1 - last.d0);
			if (r == 1 || cost < best[i]) {
				best[i] = cost;
				used[i] = (unsigned char)r;
			}
		}
	}
	return used;
}

direct_tables
direct_group_lines(const std::vector<direct_row> &lines, const direct_kind &kind, size_t tiles,
                   int blocks)
{
	direct_tables t = {};
	size_t sections = 0;
	for (const direct_row &row : lines)
		sections += (size_t)(row.d1 - row.d0 - 1) / WSI_CONV_SECTION + 1;
	int limit = direct_rows(kind);
	if (kind.tensor && sections * tiles * (size_t)(direct_tile(kind) / TENSOR_TILE) /
	                   TENSOR_ROWS < (size_t)blocks / 2)
		limit = 2;
	while (limit > 1 && limit < TENSOR_ROWS &&
	       sections * tiles / (size_t)limit < (size_t)blocks / 2)
		limit = kind.dense ? limit / 2 : 1;
	const std::vector<unsigned char> used = choose(lines, kind, limit);
	t.rows = lines;
	/* From the last, which is the longest. */
	for (size_t i = lines.size(); i > 0; i -= used[i]) {
		direct_group g = {};
		g.used = used[i];
		g.rows = (unsigned)size_for(kind, used[i], direct_rows(kind));
		g.first = (unsigned)(i - used[i]);
		g.d0 = lines[g.first].d0;
		g.d1 = lines[g.first].d1;
		for (size_t k = g.first; k < i; ++k) {
			g.d0 = std::min(g.d0, lines[k].d0);
			g.d1 = std::max(g.d1, lines[k].d1);
		}
		t.groups.push_back(g);
	}
	return t;
}

/* ---- Items --------------------------------------------------------------------------------- */

/* Sets branches of 2^level sections, or none where one would hold the whole; d0 .. d1 - 1: the
 * offsets at which some output takes a sample.  Returns the sums of branches. */
static size_t
branch(direct_group *g, int level, long long d0, long long d1, const direct_span &span,
       const direct_kind &kind)
{
	g->level = -1;
	g->node0 = 0;
	g->nodes = 1;
	if (d1 <= d0)
		return 0;
	const long long first = conv_section(d0) >> level, last = conv_section(d1 - 1) >> level;
	if (first == last)
		return 0;
	g->level = level;
	g->node0 = (int)first;
	g->nodes = (int)(last - first + 1);
	return (size_t)g->nodes * g->used * (size_t)span.outputs * (size_t)span.channels *
	       (size_t)code_of_kind(kind)->parts;
}

/* As tree_levels() of cpu/conv/conv.c. */
int
direct_levels(long long d0, long long d1)
{
	const long long j0 = -conv_section(d0), j1 = conv_section(d1 - 1);
	int levels = 1;
	while ((1ll << (levels - 1)) < 1 + (j0 > j1 ? j0 : j1))
		levels++;
	return levels + 1;
}

/* Of all channels. */
static unsigned long long
tiles_of(const direct_group &g, const direct_kind &kind, const direct_span &span)
{
	const int tile = g.rows == (unsigned)TENSOR_ROWS ? TENSOR_TILE : direct_tile(kind);
	return (unsigned long long)((span.outputs + tile - 1) / tile) *
	       (unsigned long long)span.channels;
}

void
direct_lay_out(direct_tables &t, const direct_kind &kind, const direct_span &span)
{
	double taps = 0.0;
	for (const direct_group &g : t.groups)
		taps += (double)(g.d1 - g.d0) * (double)tiles_of(g, kind, span);
	/* Items much longer than what each block has to do make the others wait. */
	const double most = 1.5 * taps / span.blocks;
	int least = 0;
	while (least < WSI_CONV_LEVELS && WSI_CONV_SECTION * (double)(2ll << least) <= most)
		++least;
	for (int level = least;; ++level) {
		t.items = 0;
		t.levels = 1;
		t.partial = 0;
		t.joins = 0;
		for (direct_group &g : t.groups) {
			const long long d0 = std::max((long long)g.d0, -span.last);
			const long long d1 = std::min((long long)g.d1, span.n - span.n0);
			/* Branches must be much shorter than the whole: their sums go to memory. */
			const double worth = WSI_CONV_SECTION * (double)(2ll << level);
			const bool whole = level > WSI_CONV_LEVELS ||
				(double)(d1 - d0) <= std::max(most, worth);
			g.partial = t.partial;
			t.partial += whole ? branch(&g, 0, 0, 0, span, kind)
			             : branch(&g, level, d0, d1, span, kind);
			g.item = t.items;
			t.items += tiles_of(g, kind, span) * (unsigned)g.nodes;
			g.join = t.joins;
			t.joins += g.level >= 0 ? g.used * (size_t)span.channels : 0;
			if (g.level < 0 && d1 > d0)
				t.levels = std::max(t.levels, direct_levels(d0, d1));
			else if (g.level >= 0)
				t.levels = std::max(t.levels, g.level + 1);
		}
		if (t.partial <= span.partial || level > WSI_CONV_LEVELS)
			return;
	}
}
