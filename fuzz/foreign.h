/*
 * foreign.h - for targets whose formats are read by HDF5: what it leaks on damaged
 * files is known (fuzz/known/README.md); what we leak is still reported.
 */
#ifndef WSI_FUZZ_FOREIGN_H
#define WSI_FUZZ_FOREIGN_H

#include "fuzz.h"

const char *__lsan_default_suppressions(void);

const char *
__lsan_default_suppressions(void)
{
	return "leak:libhdf5\n";
}

#endif
