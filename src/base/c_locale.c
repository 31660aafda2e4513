/*
 * c_locale.c - numbers that are written and read have a decimal point, whatever the locale of the
 * process that the library is part of.
 */
#include "base/c_locale.h"

#include <stdio.h>

#ifdef _WIN32
#include <stdlib.h>
#include <string.h>

void
wsi_c_locale_enter(wsi_c_locale *l)
{
	l->of_thread = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
	l->before = strdup(setlocale(LC_ALL, NULL));
	if (l->before)
		setlocale(LC_ALL, "C");
}

void
wsi_c_locale_leave(const wsi_c_locale *l)
{
	if (l->before)
		setlocale(LC_ALL, l->before);
	free(l->before);
	_configthreadlocale(l->of_thread);
}
#else
void
wsi_c_locale_enter(wsi_c_locale *l)
{
	l->before = (locale_t)0;
	l->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (l->c != (locale_t)0)
		l->before = uselocale(l->c);
}

void
wsi_c_locale_leave(const wsi_c_locale *l)
{
	if (l->c == (locale_t)0)
		return;
	uselocale(l->before);
	freelocale(l->c);
}
#endif

int
wsi_vsnprintf(char *out, size_t size, const char *format, va_list args)
{
	wsi_c_locale l;
	wsi_c_locale_enter(&l);
	const int n = vsnprintf(out, size, format, args);
	wsi_c_locale_leave(&l);
	return n;
}

int
wsi_snprintf(char *out, size_t size, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const int n = wsi_vsnprintf(out, size, format, args);
	va_end(args);
	return n;
}
