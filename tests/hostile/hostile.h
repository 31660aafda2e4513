/*
 * hostile.h - files made to do harm, and what the program must do with each (test_hostile.c).
 *
 * Files are made in a folder of the test's own, by name; makers end the test where they fail.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>

#include <hdf5.h>

/* ---- The program (run.c) ------------------------------------------------------------- */

/* cmocka's: finds the program and makes the folder; removes it. */
int hostile_start(void **state);
int hostile_finish(void **state);

/* Complaints since the last call. */
size_t hostile_complaints(void);

/* System calls that fail for the program from now on. */
typedef enum hostile_failure {
	FAILS_NOTHING, FAILS_CLONE, FAILS_PIPE, FAILS_MEMORY
} hostile_failure;
/* False where the system has no means for it. */
bool hostile_fail(hostile_failure failure);

/*
 * Commands on one file, conv with it as masks among them, with --memory 64M.  Whatever the command:
 * it ends within 5 s of the processor, with status 0, 2, 3 or 4, uses at most 64 MB more than
 * --memory in each of its processes, and prints nothing that steers a terminal; a failure is one
 * line on standard error and leaves no output.  info must give this status and, on the stream that
 * tells it, these words (or NULL); emd the status emd_status, or any of these where it is -1.
 * variable: --variable, or NULL.
 */
void try_file(const char *name, int status, const char *words, int emd_status,
              const char *variable);

/* plot of a result: the same, and this status and words. */
void try_result(const char *name, int status, const char *words);
/* hht of the modes that a result holds: likewise. */
void try_stored(const char *name, int status, const char *words);

/* "small.csv", a recording of two channels and so many samples, that is there from the start. */
#define HOSTILE_SAMPLES 3000
/* A file that an option of a command on that recording names: the same, and this status and
 * words. */
void try_option(const char *command, const char *option, const char *name, int status,
                const char *words);

/* ---- Files (files.c) ------------------------------------------------------------------- */

/* Its path; of the last four calls. */
const char *in_folder(const char *name);

void put_file(const char *name, const void *bytes, size_t n);
void put_text(const char *name, const char *text);
/* first, then unit so many times. */
void put_long_text(const char *name, const char *first, const char *unit, size_t times);

/* MAT 5: x(1,samples) double, deflated; samples as the file says, zeros as many as it has. */
void put_mat5_bomb(const char *name, size_t samples, size_t zeros);
/* The same with n values, of which the stream, or where it is not packed the file, has `has`. */
void put_mat5_short(const char *name, size_t n, size_t has, bool packed, bool another);
void put_npz_bomb(const char *name, size_t samples, size_t zeros);
void put_npy(const char *name, const char *shape);
/* An EDF of two channels and four records, and one field of its header replaced. */
void put_edf(const char *name, size_t at, const char *field);
/* A BDF of n samples in one record, its channel the trigger inputs, each another than before. */
void put_triggers(const char *name, size_t n);
/* EDF+ with one record of annotations of so many bytes, which are zeros. */
void put_long_annotations(const char *name, size_t bytes);
/* NPY whose dict is this text, and 80 bytes; its header is longer than two bytes can say. */
void put_npy_dict(const char *name, const char *dict);
void put_npy_long_header(const char *name);
/* BrainVision of one channel, its data in the file of that name. */
void put_vhdr(const char *name, const char *data, const char *channel);

/* What an HDF5 file has; text: another file's name, or a name. */
typedef void maker(hid_t file, const char *text);
maker external_storage, virtual_dataset, growing_virtual_dataset, external_link, external_group,
	link_to_link, plugin_filter, one_huge_chunk, claims, packed_zeros, short_chunk,
	bare_short_chunk, plain_short_chunk, named_array;
/* Packed masks (masks.c).  masks_with_lengths: its text is two numbers. */
maker masks_stored_elsewhere, masks_linked, masks_virtual, masks_claim, masks_of_zeros,
	masks_too_many, masks_overlapping, masks_with_lengths, masks_far_off, masks_of_wild_scales;
/* Whole, but not what readers expect (odd.c).  odd_types, no_space: their text says which;
 * odd_result: what is damaged in a result. */
maker cyclic_groups, deep_groups, soft_loop, many_links, odd_types, no_space, odd_result;
/* The same of a result of wavelets (arrays.c). */
maker odd_arrays;
/* Rows of HOSTILE_SAMPLES zeros, for --noise-file: 72 MB. */
maker noise_of_zeros;

/* name: .h5, or with MATLAB's block before it .mat or .set. */
void make_hdf5(const char *name, maker *make, const char *text);

#endif
