/*
 * sound_size.h - how many samples a sound file has, whatever its header says; and a file that
 * libsndfile understands, where the header is wrong.
 *
 * WAV, RF64 and AIFF tell the bytes of their samples.  Recorders that died leave 0 there, programs
 * that write to a pipe 2 or 4 GiB, and those that know no RF64 what is left over past 4 GiB.  Such
 * a file is shown to libsndfile with another header: what stands before its samples, with the
 * right sizes.  FLAC and OGG are looked through for what their own sums do not tell libsndfile, and
 * for streams behind the first.
 */
#ifndef WSI_IO_SOUND_SIZE_H
#define WSI_IO_SOUND_SIZE_H

#include "io/read/layout.h"
#include "io/read/sound_file.h"

/* Opens rec->source and looks at it.  WS_E_FORMAT: it is none of the formats, or an OGG page is
 * damaged.  Adds notes on samples that lack or that no header tells of. */
ws_status wsi_sound_look(wsi_recording *rec, wsi_sound_file *s);
void wsi_sound_file_close(wsi_sound_file *s);

/* Of a WAV whose samples are plain numbers; WS_E_UNSUPPORTED: it is another sound. */
ws_status wsi_sound_layout(wsi_recording *rec, wsi_layout *out);

/* Does a file start as one of the formats?  libsndfile knows more, and guesses (and prints) where
 * there is nothing to go by. */
bool wsi_is_sound(const unsigned char *head, size_t n);

#endif
