/* describe.h - what a recording is, as a message between wavesift and its decoder. */
#ifndef WSI_IO_DESCRIBE_H
#define WSI_IO_DESCRIBE_H

#include "io/decode/wire.h"
#include "io/read/recording.h"

void wsi_recording_put(wsi_wire *w, const wsi_recording *rec);
/* Believes nothing: texts are cleaned.  WS_E_FORMAT, WS_E_NOMEM; rec is closed as ever. */
ws_status wsi_recording_take(wsi_wire *w, wsi_recording *rec);

#endif
