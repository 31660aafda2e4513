/*
 * backend.c - finds and opens the library that holds the GPU's backend, what ops/backend.h
 * describes.
 */
#define _GNU_SOURCE
#include "api/backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/library.h"

#define LIBRARY "libwavesift_cuda.so"

static void
tell(wsi_why *why, const char *what, const char *detail)
{
	snprintf(why->text, sizeof why->text, "%.120s: %s", what, detail);
}

static bool
find_library(char path[PATH_MAX], wsi_why *why)
{
	if (wsi_library_find(LIBRARY, path))
		return true;
	tell(why, "no GPU backend is installed", LIBRARY " is not beside this program or library; "
	     "use the CPU, or a build with CUDA");
	return false;
}

/* Of a name without a folder too, which dlopen() would look for in folders of its own. */
static bool
named_library(char path[PATH_MAX], const char *file, wsi_why *why)
{
	if (realpath(file, path))
		return true;
	char what[160];
	snprintf(what, sizeof what, "backend %.110s", file);
	tell(why, what, strerror(errno));
	return false;
}

/* Both sides are of one version; were they built from the same sources? */
static bool
agrees(const char *path, const wsi_backend *backend, wsi_why *why)
{
	static const char *const names[] = { "its table", "wsi_params", "wsi_engine", "wsi_extent",
		                             "wsi_sift_job", "wsi_joint_job", "wsi_progress",
		                             "the numerics version" };
	const wsi_shared shared = WSI_SHARED;
	const size_t *ours = &shared.backend, *theirs = &backend->shared.backend;
	_Static_assert(sizeof shared == sizeof names / sizeof *names * sizeof *ours,
	               "a name for each");
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
		if (ours[i] != theirs[i]) {
			char detail[128];
			snprintf(detail, sizeof detail, "is of another build of wavesift (%s: "
			         "%zu, not %zu); reinstall both", names[i], theirs[i], ours[i]);
			tell(why, path, detail);
			return false;
		}
	return true;
}

void
wsi_backend_load(wsi_loaded *l, const char *file)
{
	*l = (wsi_loaded){ 0 };
	char path[PATH_MAX];
	if (file ? !named_library(path, file, &l->why) : !find_library(path, &l->why))
		return;
	/* A CUDA runtime that was unmapped may be called at exit all the same. */
	l->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!l->library) {
		tell(&l->why, "the GPU backend cannot be opened; reinstall it", dlerror());
		return;
	}
	wsi_backend_entry_fn entry;
	*(void **)&entry = dlsym(l->library, WSI_BACKEND_ENTRY);
	l->backend = entry ? entry(WSI_BACKEND_VERSION) : NULL;
	if (!l->backend)
		tell(&l->why, path, entry ? "is of another version of wavesift; reinstall both"
		                          : "is no GPU backend of wavesift; reinstall it");
	else if (!agrees(path, l->backend, &l->why))
		l->backend = NULL;
}

void
wsi_backend_unload(wsi_loaded *l)
{
	if (l->library)
		dlclose(l->library);
	*l = (wsi_loaded){ 0 };
}
