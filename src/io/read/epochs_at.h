/* epochs_at.h - epochs cut from a continuous recording around its events (--epochs-at). */
#ifndef WSI_IO_EPOCHS_AT_H
#define WSI_IO_EPOCHS_AT_H

#include "io/read/input.h"

/* Cuts the selection around events.  WS_E_ARG. */
ws_status wsi_input_cut_epochs(wsi_input *in, const wsi_pick *pick);

#endif
