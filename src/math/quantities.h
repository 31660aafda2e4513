/*
 * quantities.h - what is stored of a coefficient of "cwt": a table, from which its options and
 * arrays follow (docs/adding-a-quantity.md).
 */
#ifndef WSI_MATH_QUANTITIES_H
#define WSI_MATH_QUANTITIES_H

#include <math.h>
#include <stdbool.h>

#include "math/gaussian.h"
#include "wavesift/cwt.h"

/* Number, its array, its name as an option, that of the array, element, and what the array holds:
 * of all frequencies; before "of octave 3". */
#define WSI_QUANTITIES(ROW) \
	ROW(WS_QUANTITY_COMPLEX,   WS_CWT_COEFFICIENTS, "complex",   "coefficients", WSI_COMPLEX, \
	    "complex coefficients", "complex coefficients") \
	ROW(WS_QUANTITY_MAGNITUDE, WS_CWT_MAGNITUDE,    "magnitude", "magnitude",    WSI_REAL, \
	    "magnitude of the coefficients", "magnitude of the coefficients") \
	ROW(WS_QUANTITY_POWER,     WS_CWT_POWER,        "power",     "power",        WSI_REAL, \
	    "squared magnitude", "squared magnitude") \
	ROW(WS_QUANTITY_PHASE,     WS_CWT_PHASE,        "phase",     "phase",        WSI_REAL, \
	    "phase, radians", "phase, radians,")

/* The array of a quantity; -1: there is none. */
WSI_FN int
quantity_array(ws_quantity quantity)
{
	switch ((int)quantity) {
#define WSI_ITS_ARRAY(number, array, name, file, element, text, of_octave) \
	case number: return array;
	WSI_QUANTITIES(WSI_ITS_ARRAY)
#undef WSI_ITS_ARRAY
	default: return -1;
	}
}

/* Has a GPU, and each instruction set of the CPU, a kernel for it?  Of others the CPU stores
 * quantity_value(). */
WSI_FN bool
quantity_has_kernels(ws_quantity quantity)
{
	return quantity >= WS_QUANTITY_COMPLEX && quantity <= WS_QUANTITY_PHASE;
}

/* Of a coefficient, in f64, a quantity without kernels. */
WSI_FN double
quantity_value(ws_quantity quantity, double re, double im)
{
	switch ((int)quantity) {
	default:
		return re * re + im * im;
	}
}

#endif
