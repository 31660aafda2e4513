/* selection.c - lists such as Cz,EEG*,1-4,7: which of some things they name; the shortest of
 * some. */
#include "io/read/selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "base/new.h"
#include "io/read/names.h"
#include "io/read/types.h"

typedef struct selection {
	size_t n;
	const char *const *names;
	bool commas;       /* a name has one */
	const wsi_recording *rec; /* whose channels they are; or NULL */
	bool away;         /* what is named is taken away */
	bool *taken;
	size_t *picked, n_picked;
} selection;

static void
take(selection *s, size_t i)
{
	if (!s->taken[i] && !s->away)
		s->picked[s->n_picked++] = i;
	s->taken[i] = !s->away;
}

/* By exact name; else by name whatever its case, if that is one only. */
static bool
take_name(selection *s, const char *item)
{
	size_t found = 0, last = 0;
	for (size_t i = 0; s->names && i < s->n; i++)
		if (strcmp(s->names[i], item) == 0) {
			take(s, i);
			return true;
		}
	for (size_t i = 0; s->names && i < s->n; i++)
		if (strcasecmp(s->names[i], item) == 0) {
			last = i;
			found++;
		}
	if (found == 1)
		take(s, last);
	return found == 1;
}

static bool
is_name(const void *user, const char *text)
{
	const selection *s = user;
	if (!s->names || (!s->commas && strchr(text, ',')))
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->names[i], text) == 0)
			return true;
	return false;
}

static bool
parse_number(const char *digits, int64_t *value)
{
	errno = 0;
	*value = strtoll(digits, NULL, 10);
	return errno == 0;
}

/* "7" or "2-5".  Returns -1 where item is neither, 0 where out of bounds. */
static int
take_range(selection *s, const char *item)
{
	char low[24];
	int64_t a, b;
	size_t digits = strspn(item, "0123456789");
	if (digits == 0 || digits >= sizeof low || (item[digits] && item[digits] != '-'))
		return -1;
	snprintf(low, sizeof low, "%.*s", (int)digits, item);
	if (!parse_number(low, &a))
		return 0;
	b = a;
	if (item[digits] == '-') {
		const char *high = item + digits + 1;
		if (!*high || strspn(high, "0123456789") != strlen(high))
			return -1;
		if (!parse_number(high, &b))
			return 0;
	}
	if (a < 1 || b < a || (uint64_t)b > s->n)
		return 0;
	for (int64_t i = a; i <= b; i++)
		take(s, (size_t)i - 1);
	return 1;
}

/* All signals of a type, or of any (NULL). */
static bool
take_type(selection *s, const char *type)
{
	bool any = false;
	for (size_t i = 0; s->rec && (!type || wsi_is_type(type)) && i < s->n; i++) {
		const wsi_channel *c = &s->rec->channels[i];
		if (!type ? !c->is_signal : !c->type || strcasecmp(c->type, type) != 0)
			continue;
		take(s, i);
		any = true;
	}
	return any;
}

static bool
take_pattern(selection *s, const char *item)
{
	bool any = false;
	for (size_t i = 0; s->names && strpbrk(item, "*?[") && i < s->n; i++)
		if (fnmatch(item, s->names[i], 0) == 0) {
			take(s, i);
			any = true;
		}
	return any;
}

const char *
wsi_some_names(const char *const *names, size_t n, char text[200])
{
	size_t length = 0, i = 0;
	text[0] = '\0';
	for (; i < n && i < 6 && length < 120; i++)
		length += (size_t)snprintf(text + length, 200 - length, "%s%.24s", i ? ", " : "",
		                           names[i]);
	if (i < n)
		strcpy(text + length, ", ..");
	return text;
}

static ws_status
no_such(const selection *s, const char *item, const char *option, const char *where)
{
	char some[200] = "", meant[WSI_NEAREST_TEXT];
	wsi_nearest near = { .wanted = item, .length = strlen(item) };
	for (size_t i = 0; s->names && i < s->n; i++)
		wsi_nearest_offer(&near, s->names[i]);
	if (s->names)
		wsi_some_names(s->names, s->n, some);
	return WSI_FAIL(WS_E_ARG, "`%s %s`: %s has no such %s; it has %zu%s%s%s", option, item,
	                where, s->names ? "channel" : "epoch", s->n, *some ? ": " : "", some,
	                wsi_nearest_tell(&near, meant));
}

static ws_status
take_item(selection *s, const wsi_name_item *item, const char *option, const char *where)
{
	s->away = s->rec && !item->quoted && item->text[0] == '!' && item->text[1];
	const char *text = item->text + s->away;
	if (s->away && s->n_picked == 0)
		s->away = false, take_type(s, NULL), s->away = true;
	const int range = take_name(s, text) ? 1 : item->quoted ? 0 : take_range(s, text);
	return range > 0 || (range < 0 && (take_pattern(s, text) || take_type(s, text)))
	       ? WS_OK : no_such(s, text, option, where);
}

static ws_status
take_items(selection *s, const char *list, const char *option, const char *where)
{
	/* A name may itself hold commas. */
	if (take_name(s, list))
		return WS_OK;
	for (const char *at = list; at;) {
		wsi_name_item item;
		WSI_TRY(wsi_names_next(&at, is_name, s, option, &item));
		const ws_status status = take_item(s, &item, option, where);
		free(item.text);
		WSI_TRY(status);
	}
	/* Those that were taken away. */
	size_t n = 0;
	for (size_t k = 0; k < s->n_picked; k++)
		if (s->taken[s->picked[k]]) {
			s->taken[s->picked[k]] = false;
			s->picked[n++] = s->picked[k];
		}
	s->n_picked = n;
	return n ? WS_OK : WSI_FAIL(WS_E_ARG, "`%s %s`: leaves nothing of %s", option, list, where);
}

static ws_status
take_list(selection *s, const char *list, const char *option, const char *where, size_t **picked,
          size_t *n_picked)
{
	const size_t n = s->n;
	for (size_t i = 0; s->names && i < n; i++)
		s->commas |= strchr(s->names[i], ',') != NULL;
	s->taken = calloc(n + 1, sizeof *s->taken);
	/* What was taken away may be taken again. */
	s->picked = calloc(2 * n + 1, sizeof *s->picked);
	ws_status status = WS_OK;
	if (!s->taken || !s->picked)
		status = WSI_FAIL(WS_E_NOMEM, "%s: not enough memory for %zu channels", where, n);
	else
		status = take_items(s, list, option, where);
	free(s->taken);
	if (status != WS_OK) {
		free(s->picked);
		s->picked = NULL;
	}
	*picked = s->picked;
	*n_picked = s->n_picked;
	return status;
}

ws_status
wsi_select(const char *list, size_t n, const char *const *names, const char *option,
           const char *where, size_t **picked, size_t *n_picked)
{
	selection s = { .n = n, .names = names };
	return take_list(&s, list, option, where, picked, n_picked);
}

ws_status
wsi_select_channels(const char *list, const wsi_recording *rec, const char *option, size_t **picked,
                    size_t *n_picked)
{
	const size_t n = rec->n_channels;
	const char **names;
	WSI_NEW(names, n + 1, "%s: not enough memory", rec->path);
	for (size_t i = 0; i < n; i++)
		names[i] = rec->channels[i].name;
	selection s = { .n = n, .names = names, .rec = rec };
	const ws_status status = take_list(&s, list, option, rec->path, picked, n_picked);
	free(names);
	return status;
}

void
wsi_describe_list(const unsigned char *chosen, size_t n, char *text, size_t size)
{
	size_t length = 0;
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (!chosen[i])
			continue;
		size_t last = i;
		while (last + 1 < n && chosen[last + 1])
			last++;
		char item[48];
		snprintf(item, sizeof item, last > i ? "%s%zu-%zu" : "%s%zu", length ? "," : "",
		         i + 1, last + 1);
		if (length + strlen(item) + 3 > size) {
			strcpy(text + length, "..");
			return;
		}
		strcpy(text + length, item);
		length += strlen(item);
		i = last;
	}
}
