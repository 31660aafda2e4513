/* bids.c - data sets that are laid out as BIDS has it. */
#include "bids.h"

#include <dirent.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/status.h"
#include "io/read/readers.h"
#include "message.h"
#include "values.h"

ws_status
cli_bids_no_memory(void)
{
	return WSI_FAIL(WS_E_NOMEM, "not enough memory for the names of a data set");
}

bool
cli_bids_is(const char *folder)
{
	char *path = cli_path_in(folder, CLI_BIDS_DESCRIPTION);
	struct stat st;
	const bool is = path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
	free(path);
	return is;
}

/* ---- Names: sub-01_ses-2_task-rest_run-1_eeg.edf ------------------------------------- */

const char *
cli_bids_suffix(const char *name)
{
	const char *last = strrchr(name, '_');
	return last ? last + 1 : name;
}

/* The value of an entity, "rest" of "task"; its length in *n.  NULL: the name has none. */
static const char *
entity(const char *name, const char *key, size_t *n)
{
	const size_t length = strlen(key);
	while (name) {
		if (strncmp(name, key, length) == 0 && name[length] == '-') {
			*n = strcspn(name + length + 1, "_.");
			return name + length + 1;
		}
		name = strchr(name, '_');
		name += name != NULL;
	}
	return NULL;
}

/* A recording of a kind and format that there are readers of; *known: of a format of BIDS. */
static bool
is_recording(const char *name, bool *known)
{
	static const char *const kinds[] = { "eeg.", "ieeg.", "emg.", "meg." };
	static const char *const formats[] = { ".edf", ".bdf", ".vhdr", ".set" };
	static const char *const others[] = { ".fif", ".nwb", ".mefd", ".con", ".sqd", ".kdf" };
	const char *suffix = cli_bids_suffix(name);
	bool kind = false, read = false;
	*known = false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		kind |= strncmp(suffix, kinds[i], strlen(kinds[i])) == 0;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		read |= wsi_name_ends(name, formats[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		*known |= kind && wsi_name_ends(name, others[i]);
	return kind && read && strncmp(name, "sub-", 4) == 0;
}

/* ---- Options ------------------------------------------------------------------------- */

#define N_ENTITIES 4

static const struct {
	const char *option, *key;
} entities[N_ENTITIES] = {
	{ "subject", "sub" }, { "session", "ses" }, { "task", "task" }, { "run", "run" },
};

static const char *
list_of(const cli_args *a, int which)
{
	const char *const lists[N_ENTITIES] = { a->subject, a->session, a->task, a->run };
	return lists[which];
}

/* Takes an item off a list, without "sub-" before it; false at the end. */
static bool
next_item(const char **list, const char *key, char item[128])
{
	if (!**list)
		return false;
	const size_t n = strcspn(*list, ","), length = strlen(key);
	const char *from = *list;
	*list += n + ((*list)[n] == ',');
	const bool prefixed = n > length && strncmp(from, key, length) == 0 && from[length] == '-';
	const size_t skip = prefixed ? length + 1 : 0;
	/* What is longer is in no name, and is looked for as such. */
	snprintf(item, 128, "%.*s", n - skip < 128 ? (int)(n - skip) : 0, from + skip);
	return true;
}

static bool
is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/* Has the recording's name the entity with this value, or one that the pattern matches? */
static bool
has_item(const char *name, int which, const char *item)
{
	char value[128];
	size_t n;
	const char *found = entity(name, entities[which].key, &n);
	if (!found || n >= sizeof value)
		return false;
	snprintf(value, sizeof value, "%.*s", (int)n, found);
	/* An index may have zeros before it. */
	if (strcmp(entities[which].key, "run") == 0 && is_number(value) && is_number(item))
		return strtoul(value, NULL, 10) == strtoul(item, NULL, 10);
	return fnmatch(item, value, 0) == 0;
}

static bool
is_wanted(const char *name, const cli_args *args)
{
	for (int i = 0; i < N_ENTITIES; i++) {
		const char *list = list_of(args, i);
		char item[128];
		bool any = !list;
		while (list && !any && next_item(&list, entities[i].key, item))
			any = has_item(name, i, item);
		if (!any)
			return false;
	}
	return true;
}

ws_status
cli_bids_check(const cli_inputs *in, const cli_args *args)
{
	for (int i = 0; i < N_ENTITIES; i++) {
		const char *list = list_of(args, i);
		char item[128];
		while (list && next_item(&list, entities[i].key, item)) {
			bool any = false, sets = false;
			for (size_t k = 0; k < in->n && !any; k++) {
				const cli_recording *r = &in->all[k];
				sets |= r->dataset != NULL;
				any = r->dataset && has_item(wsi_base_name(r->path), i, item);
			}
			if (!sets && !any)
				return WSI_FAIL(WS_E_ARG, "`%s`: no input is the root of a BIDS "
				                "data set, which has a " CLI_BIDS_DESCRIPTION,
				                entities[i].option);
			if (!any)
				return WSI_FAIL(WS_E_ARG, "`%s %s`: no recording of these is of it",
				                entities[i].option, item);
		}
	}
	return WS_OK;
}

/* ---- Tables beside a recording ----------------------------------------------------------- */

/* How many entities a table's name has, if the recording's has them all; else -1. */
static int
shared_entities(const char *table, const char *recording)
{
	int n = 0;
	for (const char *end; (end = strchr(table, '_')); table = end + 1, n++) {
		const size_t length = (size_t)(end - table);
		const char *at = recording;
		while (at && !(strncmp(at, table, length) == 0 && at[length] == '_')) {
			at = strchr(at, '_');
			at += at != NULL;
		}
		if (!at)
			return -1;
	}
	return n;
}

/* The table "..suffix" of a folder that holds for a recording; of several the one whose name has
 * most entities; NULL: there is none. */
static ws_status
find_in(char **path, const char *folder, const char *recording, const char *suffix)
{
	char *best = NULL;
	int most = -1;
	DIR *d = opendir(folder);
	for (struct dirent *e; d && (e = readdir(d));) {
		if (strcmp(cli_bids_suffix(e->d_name), suffix) != 0)
			continue;
		const int n = shared_entities(e->d_name, recording);
		if (n <= most)
			continue;
		free(best);
		best = strdup(e->d_name);
		most = n;
		if (!best)
			break;
	}
	if (d)
		closedir(d);
	*path = best ? cli_path_in(folder, best) : NULL;
	free(best);
	return most >= 0 && !*path ? cli_bids_no_memory() : WS_OK;
}

/* Has a table its names alone, of which the first is this? */
static bool
is_bare(const char *path, const char *name)
{
	FILE *f = fopen(path, "r");
	bool below = false, rows = false;
	/* What cannot be read, or is no such table, is told when it is read. */
	if (!f)
		return false;
	int c = getc(f);
	for (; *name && c == *name; c = getc(f))
		name++;
	for (; !*name && !rows && c != EOF; c = getc(f)) {
		rows = below && c != '\n' && c != '\r' && c != ' ' && c != '\t';
		below |= c == '\n';
	}
	fclose(f);
	return !*name && !rows;
}

/* "eeg", in which recordings of that kind lie. */
static bool
is_data_folder(const char *name)
{
	static const char *const kinds[] = { "eeg", "ieeg", "emg", "meg" };
	bool is = false;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		is |= strcmp(name, kinds[i]) == 0;
	return is;
}

bool
cli_bids_is_recording(const char *path)
{
	bool known;
	return is_recording(wsi_base_name(path), &known);
}

/* Of a recording outside of any data set its own folder alone. */
ws_status
cli_bids_find(char **path, const char *recording, const char *suffix)
{
	const char *name = wsi_base_name(recording);
	char *folder = malloc(strlen(recording) + 3);
	if (!folder)
		return cli_bids_no_memory();
	sprintf(folder, "%s%.*s", name == recording ? "./" : "", (int)(name - recording),
	        recording);
	ws_status status = WS_OK;
	*path = NULL;
	for (char *slash; status == WS_OK && !*path && (slash = strrchr(folder, '/'));) {
		*slash = '\0';
		status = find_in(path, slash == folder ? "/" : folder, name, suffix);
		/* Subjects and sessions have folders below that of the data set. */
		const char *own = wsi_base_name(folder);
		if (strncmp(own, "sub-", 4) != 0 && strncmp(own, "ses-", 4) != 0
		    && !is_data_folder(own))
			break;
	}
	free(folder);
	if (*path && is_bare(*path, strcmp(suffix, "events.tsv") == 0 ? "onset" : "name")) {
		free(*path);
		*path = NULL;
	}
	return status;
}

static ws_status
add(cli_inputs *in, const char *path, const char *root)
{
	WSI_TRY(cli_inputs_add(in, path));
	cli_recording *r = &in->all[in->n - 1];
	r->dataset = strdup(root);
	return r->dataset ? WS_OK : cli_bids_no_memory();
}

/* ---- All recordings ------------------------------------------------------------------------- */

typedef struct search {
	cli_inputs *in;
	const cli_args *args;
	size_t unread;           /* of formats that are not read */
} search;

/* Subjects lie in the root; what else is there (derivatives, sourcedata, code) is not searched. */
static ws_status
take_entry(void *user, const char *root, FTS *walk, FTSENT *e)
{
	search *s = user;
	bool known;
	switch (e->fts_info) {
	case FTS_D:
		if ((e->fts_level == 1 && strncmp(e->fts_name, "sub-", 4) != 0)
		    || (e->fts_level > 0 && *e->fts_name == '.'))
			fts_set(walk, e, FTS_SKIP);
		s->unread += is_recording(e->fts_name, &known) || known;
		return WS_OK;
	case FTS_F:
	case FTS_SLNONE:
	case FTS_NS:
		if (e->fts_level < 2 || !is_wanted(e->fts_name, s->args))
			return WS_OK;
		if (is_recording(e->fts_name, &known))
			return add(s->in, e->fts_path, root);
		s->unread += known;
		return WS_OK;
	default:
		return WS_OK;
	}
}

ws_status
cli_bids_add(cli_inputs *in, const char *path, const cli_args *args)
{
	const size_t before = in->n;
	search s = { in, args, 0 };
	WSI_TRY(cli_inputs_walk(in, path, take_entry, &s));
	if (s.unread)
		cli_note("%s: %zu recording%s of formats that wavesift does not read", path,
		         s.unread, s.unread == 1 ? " is left out," : "s are left out,");
	return in->n > before ? WS_OK
	       : WSI_FAIL(WS_E_IO, "%s: this data set has no such recording of EEG, iEEG or EMG "
	                  "(.edf, .bdf, .vhdr, .set)", path);
}
