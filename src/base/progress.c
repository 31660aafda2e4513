/* progress.c - the share that is done, from what threads count, and whether the user said stop. */
#include "base/progress.h"

#include "base/clock.h"
#include "base/fpenv.h"

void
wsi_progress_init(wsi_progress *p, ws_progress callback, void *user)
{
	p->callback = callback;
	p->user = user;
	p->from = p->to = p->part = 0.0;
	p->last = 0.0;
	p->outer = NULL;
	p->before = p->after = 0.0;
	atomic_init(&p->cancelled, false);
}

void
wsi_progress_within(wsi_progress *p, wsi_progress *outer, double before, double after)
{
	wsi_progress_init(p, NULL, NULL);
	p->outer = outer;
	p->before = before;
	p->after = after;
}

void
wsi_progress_step(wsi_progress *p, double from, double to)
{
	p->from = from;
	p->to = to;
	p->part = 0.0;
	wsi_progress_poll(p);
}

void
wsi_progress_part(wsi_progress *p, double part)
{
	if (part > p->part) /* what is done twice is not told twice */
		p->part = part;
	wsi_progress_poll(p);
}

/* Of the whole. */
static double
share_done(const wsi_progress *p)
{
	const double done = p->from + (p->to - p->from) * p->part;
	return done < 0.0 ? 0.0 : done > 1.0 ? 1.0 : done;
}

static void
ask_outer(wsi_progress *p)
{
	wsi_progress_part(p->outer, p->before + (p->after - p->before) * share_done(p));
	if (wsi_cancelled(p->outer))
		wsi_progress_cancel(p);
}

void
wsi_progress_poll(wsi_progress *p)
{
	/* Once stopped the user is not asked again. */
	if (wsi_cancelled(p))
		return;
	if (p->outer)
		ask_outer(p);
	if (!p->callback)
		return;
	const double now = wsi_now_about();
	if (now - p->last < 0.05)
		return;
	p->last = now;
	const int stop = p->callback(p->user, share_done(p));
	wsi_fpenv_set(); /* the user may have loaded a library that sets another */
	if (stop)
		wsi_progress_cancel(p);
}

void
wsi_progress_cancel(wsi_progress *p)
{
	atomic_store_explicit(&p->cancelled, true, memory_order_relaxed);
}
