/* readers.h - every reader there is, and, included here, what readers share. */
#ifndef WSI_IO_READERS_H
#define WSI_IO_READERS_H

#include "base/new.h"
#include "io/read/clean.h"
#include "io/read/file.h"
#include "io/read/recording.h"

/* Those that are asked whose a file is (docs/adding-a-format.md).  EEGLAB before MAT: a .set is a
 * MAT file too.  Text last: what the others know by content may be text as well. */
#define WSI_READERS(ROW) \
	ROW(edf) ROW(brainvision) ROW(eeglab) ROW(mat) ROW(hdf5) ROW(npy) ROW(sound) \
	ROW(text)
#define WSI_READER(name) extern const wsi_reader wsi_reader_##name;
WSI_READERS(WSI_READER)
extern const wsi_reader wsi_reader_raw;

/* What they read, for messages.  Other formats: converted.h. */
#define WSI_FORMATS "EDF, BDF, BrainVision, EEGLAB, MAT, HDF5, NPY, NPZ, CSV, WAV, AIFF, FLAC, OGG"

/* Bytes of the file that probe() sees (fewer if the file is shorter): past
 * the 512 bytes that MATLAB puts before HDF5. */
#define WSI_HEAD_BYTES 4096

#endif
