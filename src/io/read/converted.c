/* converted.c - formats that other libraries read. */
#include "io/read/converted.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/target.h"
#include "io/read/readers.h"

/* What follows the name of a format: the library that reads it. */
typedef enum library { MNE, OBSPY, WFDB, SOUNDFILE, GUNZIP } library;

static bool
is_fif(const unsigned char *head, size_t n)
{
	/* The first tag: its kind is that of a file's name, of 20 bytes. */
	static const unsigned char tag[12] = { 0, 0, 0, 100, 0, 0, 0, 31, 0, 0, 0, 20 };
	return n >= sizeof tag && memcmp(head, tag, sizeof tag) == 0;
}

/* SAC: the version of its header is 6 or 7, in either byte order. */
static bool
is_sac(const unsigned char *head, size_t n)
{
	if (n < 632)
		return false;
	const unsigned char *v = head + 304;
	return (v[0] >= 6 && v[0] <= 7 && !v[1] && !v[2] && !v[3])
	       || (v[3] >= 6 && v[3] <= 7 && !v[0] && !v[1] && !v[2]);
}

/* miniSEED 2: six digits and the quality of the data; 3: "MS" and its version. */
static bool
is_miniseed(const unsigned char *head, size_t n)
{
	if (n >= 40 && memcmp(head, "MS\3", 3) == 0)
		return true;
	if (n < 48 || !memchr("DRQMV", head[6], 5) || (head[7] != ' ' && head[7] != 0))
		return false;
	for (size_t i = 0; i < 6; ++i)
		if (!isdigit(head[i]))
			return false;
	return true;
}

static bool
is_cnt(const unsigned char *head, size_t n)
{
	return n >= 12 && memcmp(head, "Version 3.0", 11) == 0;
}

static bool
is_gdf(const unsigned char *head, size_t n)
{
	return n >= 256 && memcmp(head, "GDF ", 4) == 0 && head[5] == '.';
}

/* Behind comments "100 2 360 650000", and a line for each signal: its file, a number for the
 * format, .. */
static bool
is_wfdb(const unsigned char *head, size_t n)
{
	char text[512], name[2][64];
	unsigned signals, format;
	double fs;
	const size_t most = n < sizeof text - 1 ? n : sizeof text - 1;
	memcpy(text, head, most);
	text[most] = '\0';
	const char *line = text;
	while (line && *line == '#')
		line = (line = strchr(line, '\n')) ? line + 1 : NULL;
	return line && sscanf(line, "%63s %u %lf%*[^\n] %63s %u", name[0], &signals, &fs, name[1],
	                      &format) == 5
	       && signals > 0 && strchr(name[1], '.');
}

/* Sony's Wave64, Sun's and Apple's containers, MP3 with its tag. */
static bool
is_sound(const unsigned char *head, size_t n)
{
	return n >= 40 && (memcmp(head, "riff\x2e\x91\xcf\x11", 8) == 0
	                   || memcmp(head, ".snd", 4) == 0
	                   || memcmp(head, "caff", 4) == 0 || memcmp(head, "ID3", 3) == 0);
}

static bool
is_gzip(const unsigned char *head, size_t n)
{
	return n >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

/* By content, or where there is no telling by the name. */
static const struct {
	const char *name;
	library by;
	bool (*is)(const unsigned char *head, size_t n);
	const char *endings[4];
} formats[] = {
	{ "FIF (MNE, MEGIN)", MNE, is_fif, { ".fif", ".fif.gz" } },
	{ "miniSEED", OBSPY, is_miniseed, { ".mseed", ".miniseed", ".ms3" } },
	{ "Neuroscan CNT", MNE, is_cnt, { NULL } },
	{ "GDF", MNE, is_gdf, { NULL } },
	{ "WFDB (PhysioNet)", WFDB, NULL, { ".hea", ".dat" } },
	{ "sound of another kind (W64, AU, CAF, MP3)", SOUNDFILE, is_sound, { NULL } },
	{ "sound of another kind (MP3)", SOUNDFILE, NULL, { ".mp3" } },
	{ "compressed by gzip", GUNZIP, is_gzip, { NULL } },
	{ "SAC", OBSPY, NULL, { ".sac" } },
	{ "CTF", MNE, NULL, { ".ds", ".meg4" } },
	{ "KIT", MNE, NULL, { ".con", ".sqd" } },
	{ "EGI MFF", MNE, NULL, { ".mff" } },
};

/* Names that a shell takes as they are: others would steer the line that people copy. */
static bool
is_plain(const char *path)
{
	for (const char *c = path; *c; ++c)
		if (!isalnum((unsigned char)*c) && !strchr("._/+@%=:-", *c))
			return false;
	return *path != '\0' && *path != '-' && strlen(path) < 200;
}

/* Its last part without ending, for the name of what it becomes. */
static int
stem_length(const char *path, const char **stem)
{
	const size_t n = strlen(path);
	*stem = wsi_base_name(path);
	/* Of a folder that is named with a slash behind it. */
	if (!**stem && *stem > path)
		for (--*stem; *stem > path && (*stem)[-1] != '/'; --*stem)
			;
	const char *dot = strchr(*stem + 1, '.');
	return (int)(dot ? (size_t)(dot - *stem) : n - (size_t)(*stem - path));
}

static ws_status
refuse(const char *path, const char *format, library by)
{
	static const char *const names[] = { "MNE", "ObsPy", "wfdb", "soundfile" };
	static const char *const lines[] = {
		"import sys, mne, h5py; r = mne.io.read_raw(sys.argv[1]); "
		"f = h5py.File(sys.argv[2], 'w'); f['data'] = r.get_data(); "
		"f.attrs.update(fs=r.info['sfreq'], channel_names=r.ch_names)",
		"import sys, obspy, h5py; s = obspy.read(sys.argv[1]); "
		"f = h5py.File(sys.argv[2], 'w'); f['data'] = [t.data for t in s]; "
		"f.attrs.update(fs=s[0].stats.sampling_rate, channel_names=[t.id for t in s])",
		"import sys, wfdb, h5py; r = wfdb.rdrecord(sys.argv[1][:-4]); "
		"f = h5py.File(sys.argv[2], 'w'); f['data'] = r.p_signal.T; "
		"f.attrs.update(fs=r.fs, channel_names=r.sig_name)",
		"import sys, soundfile, h5py; x, fs = soundfile.read(sys.argv[1], always_2d=True); "
		"f = h5py.File(sys.argv[2], 'w'); f['data'] = x.T; f.attrs.update(fs=fs)",
	};
	const bool plain = is_plain(path);
	const char *stem;
	const int n = stem_length(path, &stem);
	if (by == GUNZIP)
		return WSI_FAIL(WS_E_FORMAT, "%s: is %s; unpack it with gunzip, and name what "
		                "comes out", path, format);
	return WSI_FAIL(WS_E_FORMAT, "%s: is %s, which is not read here; convert it by %s: python3 "
	                "-c \"%s\" %s %.*s.h5", path, format, names[by], lines[by],
	                plain ? path : "FILE", plain ? n : 4, plain ? stem : "FILE");
}

static bool
has_name(const char *path, const char *const endings[4])
{
	const size_t n = strlen(path);
	/* Of a folder, with its slash. */
	char *name = strndup(path, n > 1 && path[n - 1] == '/' ? n - 1 : n);
	bool has = false;
	for (int i = 0; name && i < 4 && endings[i]; ++i)
		has |= wsi_name_ends(name, endings[i]);
	free(name);
	return has;
}

/* Stands NAME.hea beside NAME.dat? */
static bool
has_header(const char *path)
{
	struct stat st;
	char *header = strdup(path);
	const size_t n = strlen(path);
	if (header && n > 4)
		memcpy(header + n - 4, ".hea", 4);
	const bool has = header && stat(header, &st) == 0;
	free(header);
	return has;
}

ws_status
wsi_converted_check(const unsigned char *head, size_t n, const char *path)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i) {
		const bool named = has_name(path, formats[i].endings);
		const bool gzip = named && is_gzip(head, n);
		const bool sac = named && strcmp(formats[i].name, "SAC") == 0;
		const bool binary = n == 0 || memchr(head, 0, n);
		if (sac ? is_sac(head, n) : formats[i].is ? gzip || formats[i].is(head, n)
		    : named && (formats[i].by != WFDB ? binary
		                : wsi_name_ends(path, ".hea")
		                ? is_wfdb(head, n) : has_header(path)))
			return refuse(path, formats[i].name, formats[i].by);
	}
	return WS_OK;
}
