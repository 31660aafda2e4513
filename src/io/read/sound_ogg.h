/* sound_ogg.h - the checksums that OGG has of its pages, compared before samples are read. */
#ifndef WSI_IO_SOUND_OGG_H
#define WSI_IO_SOUND_OGG_H

#include "io/read/readers.h"

/* Goes through all pages of an OGG file: each has a checksum of all its bytes, and follows the one
 * before by number.  WS_E_FORMAT names the first of which either is wrong, and where something else
 * than pages is.  What is cut off within its last page is left to the decoder.  Notes streams
 * behind the first (chained), which libsndfile does not read. */
ws_status wsi_ogg_check(wsi_recording *rec, const wsi_file *f);

#endif
