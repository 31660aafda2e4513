/*
 * decode.c - wavesift-decode: decodes one HDF5, MAT, EEGLAB or sound file for the process that
 * started it (io/decode/decoder.h, io/decode/wire.h).
 *
 *     wavesift-decode PARENT MEMORY
 *
 * PARENT is the process it dies with, MEMORY the bytes it may take; descriptors 3, 4 and 5 are the
 * socket, the file and the memory for samples.  It gives up its rights before it looks at the
 * file.
 */
#define _GNU_SOURCE /* syscall */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>


#include "base/stack.h"
#include "base/status.h"
#include "decode/lockdown.h"
#include "decode/watch.h"
#include "io/result/arrays.h"
#include "io/read/describe.h"
#include "io/hdf5/h5_sums.h"
#include "io/read/open.h"
#include "io/read/readers.h"
#include "io/result/modes.h"

#define MOST_QUESTION (1u << 20)

static const char source[] = "/proc/self/fd/4";

/* The file, once it is open. */
static wsi_recording recording;

static double *samples;
static size_t n_samples;  /* that it has room for */

static const wsi_reader *
reader_for(int what)
{
	switch (what) {
	case WSI_WIRE_RECORDING_HDF5: return &wsi_reader_hdf5;
	case WSI_WIRE_RECORDING_MAT: return &wsi_reader_mat;
	case WSI_WIRE_RECORDING_EEGLAB: return &wsi_reader_eeglab;
	case WSI_WIRE_RECORDING_SOUND: return &wsi_reader_sound;
	case WSI_WIRE_RECORDING_ARRAYS: return &wsi_reader_arrays;
	case WSI_WIRE_RECORDING_MODES_HDF5: return &wsi_reader_modes_hdf5;
	case WSI_WIRE_RECORDING_MODES_MAT: return &wsi_reader_modes_mat;
	default: return NULL;
	}
}

static ws_status
open_file(int what, char *path, const wsi_open_opts *opts, wsi_wire *answer)
{
	if (recording.reader)
		return WSI_FAIL(WS_E_INTERNAL, "%s: is open already", path);
	recording.reader = reader_for(what);
	recording.path = path;
	if (what == WSI_WIRE_VERIFY) {
		size_t arrays, chunks;
		WSI_TRY(wsi_h5_sums_verify(path, source, opts->memory, &arrays, &chunks));
		wsi_wire_put_size(answer, arrays);
		wsi_wire_put_size(answer, chunks);
	} else if (!recording.reader) {
		return WSI_FAIL(WS_E_INTERNAL, "a question without sense");
	} else {
		recording.source = source;
		recording.format = recording.reader->name;
		recording.opts = *opts;
		WSI_TRY(wsi_reader_open(&recording));
		wsi_recording_put(answer, &recording);
	}
	return answer->failed ? WSI_FAIL(WS_E_NOMEM, "%s: no memory for its description", path)
	                      : WS_OK;
}

static ws_status
read_samples(const wsi_wire_read *r)
{
	if (r->at > n_samples || r->count > n_samples - r->at)
		return WSI_FAIL(WS_E_INTERNAL, "more samples are wanted than there is room for");
	return recording.reader->read(&recording, r->epoch, r->channel, r->first, r->count,
	                              samples + r->at);
}

static const char *
its_name(void)
{
	return recording.path ? recording.path : "the file";
}

/* A failure that a library took for something else comes before what it says. */
static ws_status
look_again(ws_status status)
{
	bool no_memory;
	const int error = wsi_watch_take(&no_memory);
	if (error)
		return WSI_FAIL(WS_E_IO, "%s: cannot be read: %s", its_name(), strerror(error));
	if (no_memory)
		return WSI_FAIL(WS_E_NOMEM, "%s: reading it takes more memory than `memory` leaves",
		                its_name());
	return status;
}

/* What a question's body asks for; what is not free()d is needed until the end. */
static ws_status
act(int what, wsi_wire *question, size_t memory, wsi_wire *answer)
{
	if (what != WSI_WIRE_READ) {
		const char *path = wsi_wire_get_text(question);
		const char *variable = wsi_wire_get_text(question);
		char *name = path ? strdup(path) : NULL,
			*array = variable ? strdup(variable) : NULL;
		const bool masks = wsi_wire_get_size(question) != 0;
		const double fs = wsi_wire_get_real(question);
		const bool with_events = wsi_wire_get_size(question) != 0;
		const bool any_arrays = wsi_wire_get_size(question) != 0;
		if (!name || (variable && !array))
			return WSI_FAIL(WS_E_NOMEM, "no memory");
		return open_file(what, name, &(wsi_open_opts){ .variable = array,
			.memory = memory, .masks = masks, .fs = fs,
			.with_events = with_events, .any_arrays = any_arrays }, answer);
	}
	wsi_wire_read r;
	wsi_wire_get(question, &r, sizeof r);
	if (question->failed || !recording.reader)
		return WSI_FAIL(WS_E_INTERNAL, "a question without sense");
	return read_samples(&r);
}

/* Waits for a question, acts and answers; false when nobody asks any more. */
static bool
serve(size_t memory)
{
	wsi_wire_head head;
	unsigned char body[sizeof(wsi_wire_read)];
	wsi_wire question = { .bytes = body }, answer = { 0 };
	if (wsi_wire_receive(WSI_WIRE_SOCKET, &head, sizeof head, -1) != 0
	    || head.version != WSI_WIRE_VERSION || head.bytes > MOST_QUESTION)
		return false;
	if (head.bytes > sizeof body)
		question.bytes = malloc(head.bytes);
	question.size = head.bytes;
	if (!question.bytes
	    || wsi_wire_receive(WSI_WIRE_SOCKET, question.bytes, question.size, -1) != 0)
		return false;
	const ws_status status = look_again(act(head.what, &question, memory, &answer));
	const char *detail = ws_error_detail();
	const void *bytes = status == WS_OK ? (const void *)answer.bytes : detail;
	head.what = status;
	head.bytes = status == WS_OK ? answer.size : strlen(detail);
	const bool sent = wsi_wire_send(WSI_WIRE_SOCKET, &head, sizeof head, -1) == 0
	                  && wsi_wire_send(WSI_WIRE_SOCKET, bytes, head.bytes, -1) == 0;
	if (question.bytes != body)
		free(question.bytes);
	wsi_wire_free(&answer);
	return sent;
}

/* Descriptors of the process that started us that it did not mean for us. */
static void
close_others(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, WSI_WIRE_END, ~0u, 0) == 0)
		return;
#endif
	const long most = sysconf(_SC_OPEN_MAX);
	for (int fd = WSI_WIRE_END; fd < (most > 0 ? most : 1024); ++fd)
		close(fd);
}

static bool
map_samples(void)
{
	struct stat st;
	if (fstat(WSI_WIRE_SAMPLES, &st) != 0 || st.st_size <= 0)
		return false;
	void *memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED,
	                    WSI_WIRE_SAMPLES, 0);
	if (memory == MAP_FAILED)
		return false;
	samples = memory;
	n_samples = (size_t)st.st_size / sizeof *samples;
	close(WSI_WIRE_SAMPLES);
	return true;
}

/* What the libraries are to leave alone, before a file is opened. */
static bool
tame_libraries(void)
{
	return H5dont_atexit() >= 0 && H5open() >= 0 && H5PLset_loading_state(0) >= 0
	       && H5Lunregister(H5L_TYPE_EXTERNAL) >= 0;
}

static int
run(int argc, char **argv)
{
	if (argc != 3 || !map_samples()) {
		fprintf(stderr, "wavesift-decode is started by wavesift\n");
		return 2;
	}
	close_others();
	const size_t memory = strtoull(argv[2], NULL, 10);
	if (!wsi_die_with((pid_t)strtol(argv[1], NULL, 10)))
		return 0;
	if (!tame_libraries() || !wsi_lock_down(WSI_WIRE_FILE, memory))
		_exit(WSI_WIRE_NOT_LOCKED);
	wsi_watch_start(memory);
	while (serve(memory))
		continue;
	_exit(0);
}

int
main(int argc, char **argv)
{
	return wsi_on_common_stack(run, argc, argv);
}
