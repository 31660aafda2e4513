/*
 * patch_eeglab.h - an EEGLAB data set written anew: a MAT file of version 5, whose variables are
 * copied but for what the samples are, or are called.
 *
 * EEG.data, where it holds the samples, becomes plain floating point, so that they lie at known
 * places; where they lie beside, it and EEG.datfile get the new file's name.  EEG.icaact, which was
 * computed from the samples, becomes empty.  What was packed is written unpacked.
 */
#ifndef WSI_IO_PATCH_EEGLAB_H
#define WSI_IO_PATCH_EEGLAB_H

#include "io/read/layout.h"
#include "io/read/recording.h"
#include "io/write/patch_file.h"

/* WS_E_UNSUPPORTED: it is of another version. */
ws_status wsi_patch_check_set(const wsi_recording *rec);
/* Where samples lie in a file beside. */
void wsi_patch_lay_out_beside(const wsi_recording *rec, wsi_layout *layout);
/* Writes the set; beside: the name of its file of samples, or NULL: they are in it, and layout is
 * told where. */
ws_status wsi_patch_write_set(const wsi_recording *rec, const wsi_patch_file *f, const char *beside,
                              wsi_layout *layout);

#endif
