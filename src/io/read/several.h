/* several.h - several arrays of a file, or parts of its structs, as the channels of one recording:
 * --variable A,B,C. */
#ifndef WSI_IO_SEVERAL_H
#define WSI_IO_SEVERAL_H

#include "io/read/recording.h"

/* The reader of opts.variable where it names more than one, NULL where it does not: commas within
 * brackets set nothing apart.  Channels of an array are called by their own names, or as the array,
 * "A", or "A 1", "A 2" of more than one. */
const wsi_reader *wsi_reader_of_several(const char *variable);

/* A recording of several: the reader of its arrays; else that of the recording. */
const wsi_reader *wsi_reader_beneath(const wsi_recording *rec);

#endif
