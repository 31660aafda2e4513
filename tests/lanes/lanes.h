/*
 * lanes.h - a GPU's lanes on the CPU: each thread of a block is a fiber that runs until it meets
 * others, at a shuffle, a vote or a barrier.  So kernels run as they are, and what they compute can
 * be looked at without a GPU; a meeting that not all of a warp or block come to is found, since
 * nobody gets any further.  How fast they are, and what only threads at the same time would do, it
 * cannot tell.
 *
 * Blocks that wait for each other (teams) have a thread of the CPU each.  What is thread_local is
 * shared by a block.
 */
#ifndef LANES_H
#define LANES_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <functional>
#include <memory>
#include <thread>
#include <vector>

struct dim3 {
	unsigned x, y, z;
	constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

namespace lanes {

constexpr size_t STACK = 512 << 10;

/* In which order the lanes of a block come, between two meetings; where warps are eager, one goes
 * as far as it gets without others, from the first on or from the last: who relies on an order has
 * forgotten a barrier. */
enum order { FORWARD, BACKWARD, MIXED, EAGER, EAGER_BACKWARD, ORDERS };
inline order in_order = FORWARD;

/* The card that is played, and what came of its launches. */
struct played_card {
	size_t shared = 240 << 10;    /* bytes that a block may have */
	size_t code = ~(size_t)0;     /* kernels are left out of its code that want more */
	bool looks = false; /* launches are only looked at: one block, and nothing to do */
	bool missing = false;         /* a kernel that is left out was launched */
};
inline played_card card;

struct block;

enum purpose { SHUFFLE, VOTE, BARRIER };

/* Those who are to come to a meeting. */
struct meeting {
	unsigned members, arrived = 0, held = 0;
	purpose why = BARRIER;
	unsigned long long word[2][32]; /* [of two that follow each other][lane] what each brings */
	int any[2] = {};
};

struct lane {
	dim3 index;
	unsigned number;
	ucontext_t first;
	jmp_buf at;
	bool begun = false, done = false;
};

struct block {
	dim3 index, size, grid;
	std::function<void()> body;
	std::vector<lane> all;
	std::vector<meeting> warps;
	meeting whole;
	lane *now = nullptr;
	jmp_buf scheduler;
	unsigned long long progress = 0; /* meetings held, lanes done */
	bool polls = false;

	void run();
	bool run_lane(lane &l);
};

inline thread_local block *current;
inline thread_local std::vector<std::unique_ptr<char[]>> stacks; /* for the next block, too */

inline void
yield()
{
	lane *me = current->now;
	if (!_setjmp(me->at))
		_longjmp(current->scheduler, 1);
}

inline void
give_up(const char *what)
{
	fprintf(stderr, "lanes: %s in block %u %u\n", what, current->index.x, current->index.y);
	abort();
}

/* Waits for all others of a meeting. */
inline void
meet(meeting &m, purpose why)
{
	const unsigned number = m.held;
	if (m.arrived > 0 && m.why != why)
		give_up("lanes of a warp meet for different purposes");
	m.why = why;
	if (++m.arrived == m.members) {
		m.arrived = 0;
		++m.held;
		++current->progress;
	} else {
		while (m.held == number)
			yield();
	}
}

inline void
begin()
{
	block *b = current;
	lane *me = b->now;
	b->body();
	me->done = true;
	++b->progress;
	_longjmp(b->scheduler, 1);
}

/* Until it waits; false where it has ended before. */
inline bool
block::run_lane(lane &l)
{
	if (l.done)
		return false;
	now = &l;
	if (_setjmp(scheduler))
		return true;
	if (l.begun)
		_longjmp(l.at, 1);
	l.begun = true;
	getcontext(&l.first);
	l.first.uc_stack.ss_sp = stacks[l.number].get();
	l.first.uc_stack.ss_size = STACK;
	l.first.uc_link = nullptr;
	makecontext(&l.first, begin, 0);
	setcontext(&l.first);
	return true;
}

/* Lanes first .. end - 1, until none of them gets any further; returns how many had not ended. */
inline unsigned
run_eagerly(block &b, unsigned first, unsigned end)
{
	for (;;) {
		const unsigned long long before = b.progress;
		unsigned left = 0;
		for (unsigned i = first; i < end; ++i)
			left += b.run_lane(b.all[i]);
		if (left == 0 || b.progress == before)
			return left;
	}
}

inline void
block::run()
{
	const unsigned n = size.x * size.y * size.z;
	current = this;
	all = std::vector<lane>(n);
	warps = std::vector<meeting>((n + 31) / 32);
	for (unsigned i = 0; i < n; ++i) {
		all[i].number = i;
		all[i].index = dim3(i % size.x, i / size.x % size.y, i / (size.x * size.y));
		if (i == stacks.size())
			stacks.emplace_back(new char[STACK]);
		++warps[i / 32].members;
	}
	whole.members = n;
	for (unsigned left = n; left > 0;) {
		const unsigned long long before = progress;
		polls = false;
		left = 0;
		if (in_order >= EAGER)
			for (unsigned w = 0; w < warps.size(); ++w) {
				const unsigned first =
					(in_order == EAGER ? w : (unsigned)warps.size() - 1 - w) *
					32;
				left += run_eagerly(*this, first, first + 32 < n ? first + 32 : n);
			}
		else
			for (unsigned i = 0; i < n; ++i) /* 7919 is prime, and no block's size */
				left += run_lane(all[in_order == FORWARD    ? i
				                     : in_order == BACKWARD ? n - 1 - i
				                                            : i * 7919 % n]);
		if (left > 0 && progress == before && !polls)
			give_up("nobody gets any further");
		if (polls)
			std::this_thread::yield();
	}
}

inline void
run_block(dim3 index, dim3 size, dim3 grid, const std::function<void()> &body)
{
	block b;
	b.index = index;
	b.size = size;
	b.grid = grid;
	b.body = body;
	b.run();
}

/* All blocks of a grid, at once or one after the other. */
inline void
launch(dim3 grid, dim3 size, bool together, const std::function<void()> &body)
{
	std::vector<std::thread> threads;
	for (unsigned y = 0; y < grid.y; ++y)
		for (unsigned x = 0; x < grid.x; ++x)
			if (together)
				threads.emplace_back(
					[=] { run_block(dim3(x, y), size, grid, body); });
			else
				run_block(dim3(x, y), size, grid, body);
	for (std::thread &t : threads)
		t.join();
}

inline meeting &
warp()
{
	return current->warps[current->now->number / 32];
}

/* What lane `from` brings to a meeting of the warp to which this one brings a. */
template <class T>
T
exchange(T a, int from)
{
	static_assert(sizeof(T) <= 8, "one word");
	meeting &m = warp();
	unsigned long long *const word = m.word[m.held & 1];
	memcpy(&word[current->now->number % 32], &a, sizeof a);
	meet(m, SHUFFLE);
	memcpy(&a, &word[from & 31], sizeof a);
	return a;
}

inline unsigned
ballot(bool a)
{
	meeting &m = warp();
	unsigned long long *const word = m.word[m.held & 1];
	word[current->now->number % 32] = a;
	meet(m, VOTE);
	unsigned all = 0;
	for (unsigned i = 0; i < m.members; ++i)
		all |= (unsigned)word[i] << i;
	return all;
}

inline bool
barrier(bool a)
{
	meeting &m = current->whole;
	int *const any = &m.any[m.held & 1];
	*any |= a;
	if (m.arrived + 1 == m.members)
		m.any[m.held + 1 & 1] = 0; /* of the next, before anyone comes to it */
	meet(m, BARRIER);
	return *any;
}

} // namespace lanes

#endif
