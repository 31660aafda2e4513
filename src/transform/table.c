/* table.c - the table of transforms, in the order in which they are listed; each by its name. */
#include <string.h>

#include "transform/transform.h"

extern const wsi_transform wsi_transform_emd, wsi_transform_eemd, wsi_transform_ceemdan,
	wsi_transform_iceemdan, wsi_transform_memd, wsi_transform_hht, wsi_transform_hhtrials,
	wsi_transform_cwt, wsi_transform_bands, wsi_transform_superlets, wsi_transform_trials,
	wsi_transform_coherence, wsi_transform_conv;

static const wsi_transform *const rows[] = {
	&wsi_transform_emd, &wsi_transform_eemd, &wsi_transform_ceemdan, &wsi_transform_iceemdan,
	&wsi_transform_memd, &wsi_transform_hht, &wsi_transform_hhtrials, &wsi_transform_cwt,
	&wsi_transform_bands, &wsi_transform_superlets, &wsi_transform_trials,
	&wsi_transform_coherence, &wsi_transform_conv,
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

/* Of tests. */
static const wsi_transform *registered;

void
wsi_transform_register(const wsi_transform *t)
{
	registered = t;
}

static const wsi_transform *
row_at(int i)
{
	return i < 0 || i > ROWS ? NULL : i < ROWS ? rows[i] : registered;
}

const wsi_transform *
wsi_transform_find(const char *name)
{
	const wsi_transform *t;
	for (int i = 0; (t = row_at(i)); ++i)
		if (name && strcmp(t->about.name, name) == 0)
			return t;
	return NULL;
}

const ws_transform *
ws_transform_at(int i)
{
	const wsi_transform *t = row_at(i);
	return t ? &t->about : NULL;
}

const ws_transform *
ws_transform_find(const char *name)
{
	const wsi_transform *t = wsi_transform_find(name);
	return t ? &t->about : NULL;
}

const ws_option *
ws_transform_option(const ws_transform *about, int i)
{
	const wsi_transform *t = NULL;
	for (int k = 0; about && (t = row_at(k)) && &t->about != about; ++k)
		;
	for (int k = 0; t && t->options[k]; ++k)
		if (k == i)
			return t->options[k];
	return NULL;
}
