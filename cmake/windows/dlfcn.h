/* dlfcn.h - libraries that are opened at run time, on Windows (cmake/windows.c). */
#ifndef WSI_WINDOWS_DLFCN_H
#define WSI_WINDOWS_DLFCN_H

#define RTLD_NOW 0
#define RTLD_LOCAL 0
#define RTLD_NODELETE 0

typedef struct Dl_info { const char *dli_fname; } Dl_info;

void *dlopen(const char *file, int how);
void *dlsym(void *library, const char *name);
int dlclose(void *library);
const char *dlerror(void);
/* 0: what holds an address is not told. */
int dladdr(const void *address, Dl_info *info);

#endif
