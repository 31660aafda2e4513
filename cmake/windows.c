/* windows.c - the calls of windows.h and windows/dlfcn.h. */
#include <windows.h>

#include <dlfcn.h>
#include <math.h>

long
wsi_windows_processors(void)
{
	return (long)GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);
}

void *
dlopen(const char *file, int how)
{
	(void)how;
	return LoadLibraryA(file);
}

void *
dlsym(void *library, const char *name)
{
	return (void *)GetProcAddress(library, name);
}

int
dlclose(void *library)
{
	return !FreeLibrary(library);
}

const char *
dlerror(void)
{
	return "Windows does not open it";
}

int
dladdr(const void *address, Dl_info *info)
{
	(void)address;
	(void)info;
	return 0;
}

/* For tests: Wine's C library, which others run them by, lacks it. */
double
cabs(double _Complex z)
{
	return hypot(__real__ z, __imag__ z);
}
