/* info_result.h - what wavesift info tells of a result: how it was made, and what is in it. */
#ifndef CLI_INFO_RESULT_H
#define CLI_INFO_RESULT_H

#include <jansson.h>

#include "io/read/recording.h"

/* rec->arrays are all of its arrays.  What cannot be read of them is left out. */
void cli_info_result_print(wsi_recording *rec);
json_t *cli_info_result_json(wsi_recording *rec);

#endif
