/* library.c - libraries that are opened at run time: where they lie. */
#define _GNU_SOURCE
#include "base/library.h"

#include <dlfcn.h>
#ifdef __GLIBC__
#include <link.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the folder of installed programs to that of libraries. */
#ifndef WSI_LIBRARIES
#define WSI_LIBRARIES "../lib"
#endif

static const char here;

#ifdef __GLIBC__
/* The file that holds this code; info: of it.  NULL where nothing tells. */
static const char *
own_file(Dl_info *info)
{
	struct link_map *map;
	/* Programs have no name in the map. */
	return dladdr1(&here, info, (void **)&map, RTLD_DL_LINKMAP) && map->l_name[0]
	       ? map->l_name : "/proc/self/exe";
}
#else
static const char *
own_file(Dl_info *info)
{
	return dladdr(&here, info) ? info->dli_fname : NULL;
}
#endif

/* The folder of the file that holds this code. */
static bool
own_folder(char folder[PATH_MAX])
{
	Dl_info info;
	const char *file = own_file(&info);
	if (!file || !realpath(file, folder))
		return false;
	*strrchr(folder, '/') = '\0';
	return true;
}

bool
wsi_library_find(const char *name, char path[PATH_MAX])
{
	static const char *const places[] = { "", "/" WSI_LIBRARIES };
	char folder[PATH_MAX] = "";
	const bool own = own_folder(folder);
	for (size_t i = 0; own && i < sizeof places / sizeof *places; ++i) {
		const int n = snprintf(path, PATH_MAX, "%s%s/%s", folder, places[i], name);
		if (n < PATH_MAX && access(path, F_OK) == 0)
			return true;
	}
	return false;
}
