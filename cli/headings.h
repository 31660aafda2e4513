/* headings.h - under which heading help lists an option, and which letter stands for it. */
#ifndef CLI_HEADINGS_H
#define CLI_HEADINGS_H

#include "options.h"

/* "Selecting".  Of a transform's option that has none here, the transform's title. */
const char *cli_option_heading(const ws_option *option);
/* 's'; 0: none. */
char cli_option_letter(const ws_option *option);

#endif
