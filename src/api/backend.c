/* backend.c - see backend.h. */
#define _GNU_SOURCE
#include "api/backend.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libwavesift_cuda.so"

/* From the folder of installed programs to that of libraries. */
#ifndef WSI_LIBRARIES
#define WSI_LIBRARIES "../lib"
#endif

/* The folder of the file that holds this code. */
static bool
own_folder(char folder[PATH_MAX])
{
	static const char here = 0;
	Dl_info info;
	struct link_map *map;
	const char *file = "/proc/self/exe"; /* programs have no name in the map */
	if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) && map->l_name[0])
		file = map->l_name;
	if (!realpath(file, folder))
		return false;
	*strrchr(folder, '/') = '\0';
	return true;
}

static bool
find_library(char path[PATH_MAX])
{
	static const char *const places[] = { "", "/" WSI_LIBRARIES };
	char folder[PATH_MAX];
	if (!own_folder(folder))
		return false;
	for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
		int n = snprintf(path, PATH_MAX, "%s%s/" LIBRARY, folder, places[i]);
		if (n < PATH_MAX && access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static void
tell(wsi_why *why, const char *what, const char *detail)
{
	snprintf(why->text, sizeof why->text, "%.120s: %s", what, detail);
}

void
wsi_backend_load(wsi_loaded *l)
{
	*l = (wsi_loaded){ 0 };
	char path[PATH_MAX];
	if (!find_library(path)) {
		tell(&l->why, "no GPU backend is installed", LIBRARY " is not beside "
		     "this program or library; use the CPU, or a build with CUDA");
		return;
	}
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
}

void
wsi_backend_unload(wsi_loaded *l)
{
	if (l->library)
		dlclose(l->library);
	*l = (wsi_loaded){ 0 };
}
