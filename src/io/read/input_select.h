/* input_select.h - channels, epochs and samples that options ask for, of a recording. */
#ifndef WSI_IO_INPUT_SELECT_H
#define WSI_IO_INPUT_SELECT_H

#include "io/read/input.h"

/* Selects from rec, which is then the input's; reads nothing.  On failure rec is closed
 * and nothing is held. */
ws_status wsi_input_select(wsi_input *in, wsi_recording *rec, const wsi_pick *pick);

#endif
