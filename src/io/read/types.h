/*
 * types.h - what channels measure: "eeg", "eog", "ecg", ..
 *
 * A type comes from a table beside the recording (channels_file.h), from its format, or else from
 * the channel's name: a word of it ("EOG horizontal", "VEOG"), or places of the 10-20 system and
 * its refinements ("Fz", "EEG C3-A2", "AF7"); of EDF from a word that tells of the transducer,
 * where no word of the name does.  NULL where nothing tells.
 */
#ifndef WSI_IO_TYPES_H
#define WSI_IO_TYPES_H

#include "io/read/recording.h"

/* The type that a word names, as BIDS and EEGLAB write them ("VEOG", "EKG"); NULL: none. */
const char *wsi_type_of_word(const char *word, size_t length);

/* Is it the name of a type that channels may have? */
bool wsi_is_type(const char *text);

/* The type that the first such word of a text names: of "EOG horizontal"; NULL: none does. */
const char *wsi_type_of_text(const char *text);

/* Types of channels that have none so far, by their names. */
void wsi_recording_find_types(wsi_recording *rec);

/* Does it measure the brain against a reference: EEG and its like? */
bool wsi_type_is_referenced(const char *type);

#endif
