/* capped.c - the line that says how many signals have as many modes as there may be. */
#include "capped.h"

#include "message.h"

void
cli_capped_add(cli_capped *c, int32_t value)
{
	if (value > 0)
		c->oscillating += value;
	c->unknown += value < 0;
}

void
cli_capped_tell(const cli_capped *c, size_t of, const char *what, int modes)
{
	const long long n = c->oscillating + c->unknown;
	if (n > 0)
		cli_note("%lld of %zu %s%s: %d modes are all that there are by default, and the "
		         "residue %s still; --modes K asks for more", n, of, what,
		         of == 1 ? "" : "s", modes, c->unknown ? "may oscillate" : "oscillates");
}
