/* info_result.h - what wavesift info tells of a result: how it was made, and what is in it. */
#ifndef CLI_INFO_RESULT_H
#define CLI_INFO_RESULT_H

#include <jansson.h>

#include "io/read/recording.h"

/* What is known of modes, over the signals that have them. */
typedef struct cli_info_modes {
	size_t signals, most;
	double *count;           /* [signal]; NULL: it has no modes */
	struct { double *all, *median; } figure[3]; /* [signal][mode], and of each mode; or NULL */
	size_t *found;           /* [mode] signals that have it */
} cli_info_modes;

/* Of a result: its modes, and the first and last value of the axis of frequencies. */
typedef struct cli_info_result {
	const wsi_recording *rec;
	cli_info_modes modes;
	size_t frequencies;      /* 0: it has no such axis */
	double ends[2];
} cli_info_result;

/* rec->arrays are all of its arrays; free r whatever is returned. */
ws_status cli_info_result_read(cli_info_result *r, wsi_recording *rec);
void cli_info_result_print(const cli_info_result *r);
json_t *cli_info_result_json(const cli_info_result *r);
void cli_info_result_free(cli_info_result *r);

#endif
