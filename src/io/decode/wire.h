/*
 * wire.h - what wavesift and its decoder tell each other (decoder.h): messages over a socket, and
 * the values in them.
 *
 * Both ends are one build on one machine, so numbers are as the machine has them.  The reading end
 * trusts no length: what does not fit makes the whole message damaged.
 */
#ifndef WSI_IO_WIRE_H
#define WSI_IO_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Descriptors that the decoder is started with. */
enum { WSI_WIRE_SOCKET = 3, WSI_WIRE_FILE = 4, WSI_WIRE_SAMPLES = 5, WSI_WIRE_END = 6 };

/* Its exit status where it cannot give up its rights. */
#define WSI_WIRE_NOT_LOCKED 120

/* Changes whenever messages do: a decoder of another build is refused. */
#define WSI_WIRE_VERSION 9

/* What wavesift asks.  A recording is opened by one of the libraries' readers.  VERIFY: the
 * checksums of a result; how many arrays and chunks have them. */
typedef enum wsi_wire_what {
	WSI_WIRE_RECORDING_HDF5, WSI_WIRE_RECORDING_MAT, WSI_WIRE_RECORDING_EEGLAB,
	WSI_WIRE_RECORDING_SOUND, WSI_WIRE_RECORDING_ARRAYS, WSI_WIRE_RECORDING_MODES_HDF5,
	WSI_WIRE_RECORDING_MODES_MAT, WSI_WIRE_VERIFY, WSI_WIRE_READ
} wsi_wire_what;

/* Before each message.  what: of an answer a ws_status, whose detail follows where it is none of
 * success. */
typedef struct wsi_wire_head {
	int32_t what;
	int32_t version;
	uint64_t bytes;   /* that follow */
} wsi_wire_head;

/* WSI_WIRE_READ: samples into the shared memory, from value number at of it on. */
typedef struct wsi_wire_read {
	uint64_t epoch, channel, first, count, at;
} wsi_wire_read;

/* A message being made or taken apart. */
typedef struct wsi_wire {
	unsigned char *bytes;
	size_t size, room;
	size_t at;        /* of the next value to take */
	bool failed;      /* no memory while it was made; too short when taken apart */
} wsi_wire;

void wsi_wire_free(wsi_wire *w);
void wsi_wire_put(wsi_wire *w, const void *bytes, size_t n);
void wsi_wire_put_size(wsi_wire *w, size_t value);
void wsi_wire_put_real(wsi_wire *w, double value);
void wsi_wire_put_text(wsi_wire *w, const char *text);  /* NULL stays NULL */

void wsi_wire_get(wsi_wire *w, void *bytes, size_t n);  /* zeros where there are not n */
size_t wsi_wire_get_size(wsi_wire *w);
double wsi_wire_get_real(wsi_wire *w);
/* Lies in the message, NUL at its end; or NULL. */
const char *wsi_wire_get_text(wsi_wire *w);
/* A number of things of at least so many bytes each: 0, and failed, where fewer follow. */
size_t wsi_wire_get_count(wsi_wire *w, size_t least);

/* All n bytes; 0, or errno, or -1 where the other end is gone.  wait_ms bounds the call
 * (ETIMEDOUT); -1: for ever. */
int wsi_wire_send(int socket, const void *bytes, size_t n, int wait_ms);
int wsi_wire_receive(int socket, void *bytes, size_t n, int wait_ms);

#endif
