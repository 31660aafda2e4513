/* sound_flac.h - what libsndfile does not tell of a FLAC. */
#ifndef WSI_IO_SOUND_FLAC_H
#define WSI_IO_SOUND_FLAC_H

#include "io/read/sound_file.h"

/* Takes the sum of its samples and how many bits these have.  Of several FLAC files put together
 * into one, shows the first alone, and notes the others: libsndfile seeks among the frames of all
 * of them, and each counts its samples anew.  Other bytes behind the last frame are noted. */
ws_status wsi_flac_look(wsi_recording *rec, wsi_sound_file *s);

#endif
