/*
 * races.h - tells valgrind's helgrind and drd what they cannot see: that what one thread did comes
 * before what another does next, where neither a lock nor the end of a thread says so.
 *
 * A few instructions without effect outside of valgrind; none where its headers are missing, or
 * with -DNVALGRIND.
 */
#ifndef WSI_RACES_H
#define WSI_RACES_H

#include <stddef.h>

#if !defined(NVALGRIND) && defined(__has_include)
#if __has_include(<valgrind/helgrind.h>) && __has_include(<valgrind/drd.h>)
#define WSI_RACES_TOLD
/* In this order: the latter then leaves out the macros whose names both have. */
#include <valgrind/helgrind.h>
#include <valgrind/drd.h>
#endif
#endif

/* All that this thread has done comes before what others do after wsi_happens_after(tag). */
static inline void
wsi_happens_before(const volatile void *tag)
{
#ifdef WSI_RACES_TOLD
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_SEND_PRE, tag, 0, 0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_BEFORE, tag, 0, 0, 0, 0);
#else
	(void)tag;
#endif
}

/* The n bytes there are atomic: drd leaves them alone until they are freed.  It would take the
 * system's waking of a sleeper for a write. */
static inline void
wsi_is_atomic(const volatile void *at, size_t n)
{
#ifdef WSI_RACES_TOLD
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_START_SUPPRESSION, at, n, 0, 0, 0);
#else
	(void)at;
	(void)n;
#endif
}

static inline void
wsi_happens_after(const volatile void *tag)
{
#ifdef WSI_RACES_TOLD
	VALGRIND_DO_CLIENT_REQUEST_STMT(_VG_USERREQ__HG_USERSO_RECV_POST, tag, 0, 0, 0, 0);
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__DRD_ANNOTATE_HAPPENS_AFTER, tag, 0, 0, 0, 0);
#else
	(void)tag;
#endif
}

#endif
