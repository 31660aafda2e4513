/* values.c - numbers, sizes, times and names as people write and read them. */
#include "values.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/rising.h"
#include "base/status.h"
#include "io/read/readers.h"

bool
cli_parse_real(const char *text, double *value)
{
	char *end;
	double v = strtod(text, &end);
	if (end == text || *end || isspace((unsigned char)*text) || !isfinite(v))
		return false;
	*value = v;
	return true;
}

bool
cli_parse_size(const char *text, size_t *bytes)
{
	char *end;
	double v = strtod(text, &end);
	if (end == text || isspace((unsigned char)*text))
		return false;
	static const char units[] = "KMGT";
	const char *unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		v = ldexp(v, 10 * (int)(unit - units + 1));
		end++;
		if (*end == 'i')
			end++;
	}
	if (*end == 'B')
		end++;
	if (*end || !(v >= 1) || v >= 0x1p63)
		return false;
	*bytes = (size_t)v;
	return true;
}

const char *
cli_format_size(double bytes, char text[32])
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB" };
	int u = 0;
	while (bytes >= 1024 && u < 5) {
		bytes /= 1024;
		u++;
	}
	snprintf(text, 32, u && bytes < 9.95 ? "%.1f %s" : "%.0f %s", bytes, units[u]);
	return text;
}

const char *
cli_format_seconds(double s, char text[32])
{
	if (s < 0.0995)
		snprintf(text, 32, "%.1f ms", s * 1e3);
	else if (s < 99.5)
		snprintf(text, 32, s < 9.995 ? "%.2f s" : "%.1f s", s);
	else if (s < 5970)
		snprintf(text, 32, "%d min %d s", (int)(s + 0.5) / 60, (int)(s + 0.5) % 60);
	else if (s < 360000)
		snprintf(text, 32, "%d h %d min", (int)(s / 60 + 0.5) / 60,
		         (int)(s / 60 + 0.5) % 60);
	else if (s < 3 * 31557600.0)
		snprintf(text, 32, "%.1f days", s / 86400);
	else
		snprintf(text, 32, "%.1f years", s / 31557600);
	return text;
}

const char *
cli_format_figures(double value, int figures, char text[32])
{
	if (!isfinite(value)) {
		snprintf(text, 32, "-");
		return text;
	}
	double size = fabs(value);
	/* Digits before the point; those after it fill up the figures. */
	int before = size > 0 ? (int)floor(log10(size)) + 1 : 1;
	int after = figures - before;
	if (size != 0 && (size < 1e-4 || size >= 1e9))
		snprintf(text, 32, "%.*e", figures - 1, value);
	else
		snprintf(text, 32, "%.*f", after < 0 ? 0 : after > 9 ? 9 : after, value);
	return text;
}

const char *
cli_shown(const char *text, char shown[CLI_SHOWN])
{
	const size_t n = strlen(text), most = (CLI_SHOWN - 4) / 2;
	size_t kept = n < most ? n : most;
	/* Not within a letter. */
	while (kept < n && kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
		kept--;
	const size_t end = wsi_clean_into(text, kept, shown);
	if (n > most)
		strcpy(shown + end, "..");
	return shown;
}

double
cli_median(double *x, size_t n)
{
	qsort(x, n, sizeof *x, wsi_rising);
	return n == 0 ? NAN : (x[(n - 1) / 2] + x[n / 2]) / 2;
}

void
cli_print_file(const char *what, const char *path)
{
	struct stat st;
	char text[32], name[CLI_SHOWN];
	if (stat(path, &st) == 0)
		printf("%-7s %s (%s)\n", what, cli_shown(path, name),
		       cli_format_size((double)st.st_size, text));
}

char *
cli_path_in(const char *folder, const char *name)
{
	const size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);
	if (path)
		snprintf(path, size, "%s/%s", folder, name);
	return path;
}

ws_status
cli_name_output(char output[CLI_PATH], const char *given, const char *name, const char *command,
                const char *ending)
{
	const int n = given ? snprintf(output, CLI_PATH, "%s", given)
	              : snprintf(output, CLI_PATH, "%.*s%s%s%s", cli_stem_length(name), name,
	                         command ? "_" : "", command ? command : "", ending);
	return n > 0 && n < CLI_PATH ? WS_OK
	       : WSI_FAIL(WS_E_ARG, "%.80s..: its name is too long for a file; choose a shorter "
	                  "one", output);
}

int
cli_stem_length(const char *name)
{
	const char *dot = strrchr(name, '.');
	return (int)(dot && dot > name ? (size_t)(dot - name) : strlen(name));
}
