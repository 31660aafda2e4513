/* sound_file.h - a sound file, and what of it libsndfile is shown. */
#ifndef WSI_IO_SOUND_FILE_H
#define WSI_IO_SOUND_FILE_H

#include "io/read/readers.h"

typedef struct wsi_sound_file {
	wsi_file file;
	unsigned char *head;   /* in place of the file's first bytes; NULL: it is read as it is */
	size_t head_bytes;
	uint64_t data, bytes;  /* then: where samples begin in the file, and how many bytes */
	bool wide;             /* it is an RF64 */
	uint64_t position;     /* of what is shown; the next read is from there */
	unsigned char md5[16]; /* of a FLAC's samples as it tells it */
	bool has_md5;
	int bits;              /* of a FLAC's samples */
} wsi_sound_file;

#endif
