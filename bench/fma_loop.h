/*
 * fma_loop.h - template: multiply-adds on twelve vectors, enough to fill the
 * pipes; the vectors never leave the registers.  Before inclusion: FN, VEC
 * (a vector or a scalar) and TARGET (attributes).
 */
TARGET static void
FN(fma_loop)(long rounds)
{
	VEC a[12], b = (VEC){ 0 } + 0.999f, c = (VEC){ 0 } + 0.001f;
	for (int k = 0; k < 12; ++k)
		a[k] = (VEC){ 0 } + (float)k;
	for (long r = 0; r < rounds; ++r)
		for (int k = 0; k < 12; ++k)
			a[k] = MULTIPLY_ADD(a[k], b, c);
	VEC sum = a[0];
	for (int k = 1; k < 12; ++k)
		sum += a[k];
	__asm__ volatile("" : : "r"(&sum) : "memory");
}
#undef FN
#undef VEC
