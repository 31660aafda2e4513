/* options.c - the options of each method of the EMD family. */
#define EMD_FIELD(name) offsetof(ws_emd_opts, name)
#define EMD_OF(opts) (opts)
#include "transform/emd/descriptors.h"

int
wsi_stop_params(ws_stop stop)
{
	const wsi_stop_row *row = wsi_stop_row_of(stop);
	return row ? row->params : 1;
}

const wsi_stop_row *
wsi_stop_row_of(ws_stop stop)
{
#define ROW(number, name, form, n, a, b, c, whose, asks) \
	{ number, n, { a, b, c }, OF_SINGLE_##whose(true ||) false, \
	  OF_JOINT_##whose(true ||) false, ((asks) & WSI_RULE_COUNTS) != 0 },
	static const wsi_stop_row rows[] = { WSI_STOP_RULES(ROW, ROW) };
#undef ROW
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
		if (rows[i].number == stop)
			return &rows[i];
	return NULL;
}

/* ---- Those of each method ---------------------------------------------------------- */

#define ENVELOPES &max_sifts, &check_every, &boundary, &spline
#define OF_ENSEMBLES &seed, &noise_file, &channel_noise

const ws_option *const wsi_emd_options[] = {
	&reference_emd, &modes_rarely, &sifts, &stop_fixed.option, ENVELOPES, NULL,
};
const ws_option *const wsi_eemd_options[] = {
	&reference_emd, &modes_log2, &sifts, &stop_fixed.option, ENVELOPES, &realizations, &pairs,
	&noise, OF_ENSEMBLES, NULL,
};
const ws_option *const wsi_ceemdan_options[] = {
	&reference_ceemdan, &modes_log2, &sifts, &stop_by_rilling.option, ENVELOPES, &realizations,
	&noise, &snr, OF_ENSEMBLES, NULL,
};
const ws_option *const wsi_iceemdan_options[] = {
	&reference_iceemdan, &modes_log2, &sifts, &stop_by_rilling.option, ENVELOPES, &realizations,
	&noise, &snr, OF_ENSEMBLES, NULL,
};
const ws_option *const wsi_memd_options[] = {
	&reference_memd, &modes_rarely, &sifts, &stop_joint.option, &max_sifts, &check_every,
	&boundary, &joint_spline, &directions, &direction_set, &noise_channels, &noise_power,
	&standardize, &joint_seed, NULL,
};

const char *
wsi_emd_name(size_t offset, int value)
{
	const ws_option *const *const lists[] = { wsi_emd_options, wsi_ceemdan_options,
		wsi_iceemdan_options, wsi_memd_options };
	const char *name = "";
	for (size_t i = 0; i < sizeof lists / sizeof *lists && !*name; ++i)
		for (const ws_option *const *o = lists[i]; *o && !*name; ++o)
			if ((*o)->choices && (*o)->offset == offset)
				name = wsi_choice_name((*o)->choices, value);
	return name;
}
