/* names.c - lists of names that people write, for every option that takes one. */
#include "io/read/names.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"

/* A quoted item at text, without its quotes into out; returns where it ends, or NULL where its
 * quotes do not, or something follows them. */
static const char *
take_quoted(const char *text, char *out)
{
	const char *c = text + 1;
	for (; *c != '\0' && (*c != '"' || c[1] == '"'); ++c) {
		c += *c == '"';
		*out++ = *c;
	}
	*out = '\0';
	return *c == '"' && (c[1] == ',' || c[1] == '\0') ? c + 1 : NULL;
}

/* The longest run of pieces from text on that is a name; 0: none is. */
static size_t
longest_name(const char *text, bool (*is_name)(const void *user, const char *text),
             const void *user, char *copy)
{
	/* No name is longer. */
	size_t most = strnlen(text, 1024);
	while (text[most] != '\0' && text[most] != ',' && most > 0)
		--most;
	memcpy(copy, text, most);
	for (size_t n = most; n > 0;) {
		copy[n] = '\0';
		if (is_name(user, copy))
			return n;
		while (n > 0 && copy[n - 1] != ',')
			--n;
		n -= n > 0;
	}
	return 0;
}

ws_status
wsi_names_next(const char **at, bool (*is_name)(const void *user, const char *text),
               const void *user, const char *option, wsi_name_item *item)
{
	const char *text = *at;
	char *copy = malloc(strlen(text) + 1);
	*item = (wsi_name_item){ .text = copy };
	WSI_HAVE(copy, "`%s`: no memory for its list", option);
	size_t n = is_name ? longest_name(text, is_name, user, copy) : 0;
	const char *end = text + n;
	if (n > 0) {
		item->quoted = true;
	} else if (*text == '"') {
		end = take_quoted(text, copy);
		item->quoted = true;
	} else {
		n = strcspn(text, ",");
		end = text + n;
		memcpy(copy, text, n);
	}
	if (n > 0)
		copy[n] = '\0';
	if (end && end > text) {
		*at = *end == ',' ? end + 1 : NULL;
		return WS_OK;
	}
	free(copy);
	*item = (wsi_name_item){ 0 };
	return end ? WSI_FAIL(WS_E_ARG, "`%s %s`: an item of the list is empty", option, text)
	           : WSI_FAIL(WS_E_ARG, "`%s %s`: a quote does not end where its name does", option,
	                      text);
}

/* ---- Events ---------------------------------------------------------------------------------- */

typedef struct labelled {
	const wsi_event *events;
	size_t n;
} labelled;

static bool
is_label(const void *user, const char *text)
{
	const labelled *all = user;
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->events[i].label, text) == 0)
			return true;
	return false;
}

ws_status
wsi_names_of_events(const char *list, const char *option, const wsi_event *events, size_t n,
                    bool *named, ws_status (*none)(const void *user, const char *item),
                    const void *user)
{
	const labelled all = { events, n };
	for (const char *at = list; at;) {
		wsi_name_item item;
		bool any = false;
		WSI_TRY(wsi_names_next(&at, is_label, &all, option, &item));
		for (size_t i = 0; i < n; i++)
			if (strcmp(item.text, events[i].label) == 0 ||
			    (!item.quoted && fnmatch(item.text, events[i].label, 0) == 0))
				any = named[i] = true;
		const ws_status status = any ? WS_OK : none(user, item.text);
		free(item.text);
		WSI_TRY(status);
	}
	return WS_OK;
}
