/* capped.h - signals that have as many modes as there may be, of which more could be made. */
#ifndef CLI_CAPPED_H
#define CLI_CAPPED_H

#include <stddef.h>
#include <stdint.h>

typedef struct cli_capped {
	int64_t oscillating;             /* whose residue oscillates still */
	int64_t unknown;                 /* whose residue was not looked at */
} cli_capped;

/* value: of WS_EMD_CAPPED, or how many there are. */
void cli_capped_add(cli_capped *c, int32_t value);
/* Tells it, of `of` signals (what: "signal", "decomposition"), each of at most `modes` modes by
 * default.  Not to be called where a number was asked for: then it is known. */
void cli_capped_tell(const cli_capped *c, size_t of, const char *what, int modes);

#endif
