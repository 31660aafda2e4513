/* structs.c - options structs of any row: their sizes and tags, their defaults, those within
 * others. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "base/status.h"
#include "transform/transform.h"

/* Where each has its tag. */
#define TAG_AT sizeof(size_t)
#define TAGGED (TAG_AT + sizeof(unsigned))

static unsigned
tag_of(const void *opts)
{
	unsigned tag;
	memcpy(&tag, (const char *)opts + TAG_AT, sizeof tag);
	return tag;
}

static void
begin(void *opts, size_t size, unsigned tag)
{
	memcpy(opts, &size, size < sizeof size ? size : sizeof size);
	if (size >= TAGGED)
		memcpy((char *)opts + TAG_AT, &tag, sizeof tag);
}

/* "WS_TAG_EMD" of a tag; false: it is made of no letters. */
static bool
name_tag(unsigned tag, char name[16])
{
	int n = snprintf(name, 16, "WS_TAG_");
	bool good = true;
	for (; tag; tag >>= 8) {
		const unsigned char c = tag & 0xff;
		good &= c >= 'a' && c <= 'z';
		name[n++] = (char)toupper(c);
	}
	name[n] = '\0';
	return good && n > 7;
}

static ws_status
check_tag(const char *name, unsigned tag, unsigned given)
{
	char want[16], have[16];
	if (given == tag)
		return WS_OK;
	name_tag(tag, want);
	if (!name_tag(given, have))
		return WSI_FAIL(WS_E_ARG, "%s.tag is %u: set it to %s", name, given, want);
	return WSI_FAIL(WS_E_ARG, "options tagged %s are given where %s are needed: set their tag "
	                "to %s", have, name, want);
}

static bool
all_zero(const char *bytes, size_t n)
{
	while (n && !bytes[n - 1])
		--n;
	return n == 0;
}

/* The struct within opts, which are of this version's size. */
static ws_status
take_within(const wsi_within *w, void *opts)
{
	char *inner = (char *)opts + w->offset, copy[1024];
	size_t size;
	if (all_zero(inner, w->room)) {
		begin(inner, w->size, w->tag);
		return WS_OK;
	}
	memcpy(&size, inner, sizeof size);
	WSI_TRY(wsi_sized_check(w->name, size, w->least));
	if (size > w->room || !all_zero(inner + size, w->room - size))
		return WSI_FAIL(WS_E_ARG, "%s.size is %zu: set it to sizeof(%s), and leave what is "
		                "behind it 0", w->name, size, w->name);
	WSI_TRY(check_tag(w->name, w->tag, tag_of(inner)));
	WSI_TRY(wsi_sized_copy(w->name, copy, w->size, w->least, inner));
	memcpy(inner, copy, w->size);
	return WS_OK;
}

ws_status
wsi_options_take(const wsi_transform *t, void *to, const void *from)
{
	const size_t size = t->about.options_size;
	if (!from) {
		ws_options_init(&t->about, to, size);
		return WS_OK;
	}
	WSI_TRY(wsi_sized_check(t->options_name, *(const size_t *)from, TAGGED));
	WSI_TRY(check_tag(t->options_name, t->about.options_tag, tag_of(from)));
	WSI_TRY(wsi_sized_copy(t->options_name, to, size, TAGGED, from));
	return t->within.name ? take_within(&t->within, to) : WS_OK;
}

ws_status
wsi_options_whole(const wsi_transform *t, const void *opts)
{
	const size_t size = *(const size_t *)opts;
	if (size < t->about.options_size)
		return WSI_FAIL(WS_E_ARG, "%s.size is %zu: here it must be as ws_transform tells, "
		                "%zu", t->options_name, size, t->about.options_size);
	return check_tag(t->options_name, t->about.options_tag, tag_of(opts));
}

void
ws_options_init(const ws_transform *about, void *opts, size_t size)
{
	const wsi_transform *t = about ? wsi_transform_find(about->name) : NULL;
	if (!t || !opts || !size)
		return;
	memset(opts, 0, size);
	begin(opts, size, about->options_tag);
	if (t->within.name && size >= t->within.offset + t->within.room)
		begin((char *)opts + t->within.offset, t->within.size, t->within.tag);
}

void
ws_emd_opts_init(ws_emd_opts *opts, size_t size)
{
	ws_options_init(ws_transform_find("emd"), opts, size);
}

void
ws_hht_opts_init(ws_hht_opts *opts, size_t size)
{
	ws_options_init(ws_transform_find("hht"), opts, size);
}

void
ws_cwt_opts_init(ws_cwt_opts *opts, size_t size)
{
	ws_options_init(ws_transform_find("cwt"), opts, size);
}

void
ws_conv_opts_init(ws_conv_opts *opts, size_t size)
{
	ws_options_init(ws_transform_find("conv"), opts, size);
}
