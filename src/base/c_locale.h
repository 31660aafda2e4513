/*
 * c_locale.h - numbers that are written and read have a decimal point, whatever the locale of the
 * process that the library is part of.
 */
#ifndef WSI_C_LOCALE_H
#define WSI_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

#ifdef _WIN32
typedef struct wsi_c_locale { char *before; int of_thread; } wsi_c_locale;
#else
typedef struct wsi_c_locale { locale_t c, before; } wsi_c_locale;
#endif

/* This thread is in the "C" locale until wsi_c_locale_leave().  Pairs may be nested.  Where a
 * machine has no memory for it nothing changes; with glibc it takes none. */
void wsi_c_locale_enter(wsi_c_locale *l);
void wsi_c_locale_leave(const wsi_c_locale *l);

/* snprintf and vsnprintf there. */
int wsi_snprintf(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int wsi_vsnprintf(char *out, size_t size, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

#endif
