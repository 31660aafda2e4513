/*
 * table.h - template: the table of an instruction set and type, after its slots, which have the
 * names of its members.  Before inclusion, beside what real.h wants: ISA_NAME, and MEAN_SCRATCH,
 * the bytes that mean_sub works in.
 */
static const wsi_ops FN(ops) = {
	.isa = ISA_NAME,
	.type = REAL_BITS == 64 ? WS_F64 : WS_F32,
	.element = sizeof(REAL),
	.mean_scratch = MEAN_SCRATCH,
	.subtract = FN(subtract),
	.add_scaled = FN(add_scaled),
	.sum_rows = FN(sum_rows),
	.add = FN(add),
	.divide = FN(divide),
	.shift = FN(shift),
	.scale = FN(scale),
	.noise = FN(noise),
	.minmax = FN(minmax),
	.block_sums = FN(block_sums),
	.sum_and_peak = FN(sum_and_peak),
	.half_waves = FN(half_waves),
	.mark = FN(mark),
	.mean_sub = FN(mean_sub),
	.project = FN(project),
	.project_sample = FN(project_sample),
	.interleave = FN(interleave),
	.deinterleave = FN(deinterleave),
	.extrapolate = FN(extrapolate),
	.joint_scratch = FN(joint_scratch),
	.joint_mean = FN(joint_mean),
	.cwt = &FN(cwt_ops),
	.conv = &FN(conv_ops),
};
