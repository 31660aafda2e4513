/* batch_known.c - recordings that the record of a batch tells to be finished. */
#define _GNU_SOURCE /* st_mtim */
#include "batch_known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/target.h"
#include "wavesift/wavesift.h"

void
cli_known_ask(void)
{
	setenv(CLI_TELLS, "files", 1);
}

/* ---- The record ----------------------------------------------------------------------- */

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

json_t *
cli_known_read(const char *path)
{
	FILE *f = path ? fopen(path, "r") : NULL;
	json_t *known = f ? json_object() : NULL;
	char *line = NULL;
	size_t room = 0;
	while (known && getline(&line, &room, f) > 0) {
		json_t *record = json_loads(line, 0, NULL);
		const char *recording = text_of(record, "recording");
		/* One that failed, or tells nothing, takes away what was known. */
		if (json_object_get(record, "read"))
			json_object_set(known, recording, record);
		else
			json_object_del(known, recording);
		json_decref(record);
	}
	free(line);
	if (f)
		fclose(f);
	return known;
}

static void
put_time(char text[48], const struct stat *st)
{
	snprintf(text, 48, "%lld.%09ld", (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec);
}

void
cli_known_add(json_t *record, json_t *told, const char *result)
{
	struct stat st;
	char changed[48];
	if (!told || stat(result, &st) != 0)
		return;
	put_time(changed, &st);
	json_object_set(record, "read", told);
	json_object_set_new(record, "result_bytes", json_integer((json_int_t)st.st_size));
	json_object_set_new(record, "result_changed", json_string(changed));
}

/* ---- Is it as it was? ------------------------------------------------------------------ */

static bool
is_same_file(const char *path, const json_t *bytes, const char *changed)
{
	struct stat st;
	char now[48];
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	put_time(now, &st);
	return json_is_integer(bytes) && json_integer_value(bytes) == (json_int_t)st.st_size
	       && strcmp(now, changed) == 0;
}

/* How and how fast, of which results tell nothing. */
static bool
decides(const char *word)
{
	static const char *const others[] = { "--threads=", "--memory=", "--device=",
		"--device-memory=", "--mpi=", "--max-time=", "--progress=", "--checkpoint",
		"--resume", "--overwrite", "--quiet", "--verbose", "--json" };
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(word, others[i], strlen(others[i])) == 0)
			return false;
	return true;
}

/* The next word from *i on that decides what is in a result; NULL: there is none. */
static const char *
next_word(const json_t *words, size_t *i)
{
	for (const char *word; *i < json_array_size(words);) {
		word = json_string_value(json_array_get(words, (*i)++));
		if (!word || decides(word))
			return word ? word : "";
	}
	return NULL;
}

static bool
are_same_words(const json_t *then, const json_t *now)
{
	size_t i = 0, k = 0;
	for (;;) {
		const char *a = next_word(then, &i), *b = next_word(now, &k);
		if (!a || !b)
			return a == b;
		if (strcmp(a, b) != 0)
			return false;
	}
}

/* Files in the recording's folder are told without it (resume.c). */
static bool
are_same_files(const json_t *files, const cli_recording *r)
{
	const size_t folder = (size_t)(wsi_base_name(r->path) - r->path);
	bool has_it = false;
	for (size_t i = 0; i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);
		const char *name = text_of(file, "name");
		char path[4096];
		const int n = *name == '/' ? snprintf(path, sizeof path, "%s", name)
		              : snprintf(path, sizeof path, "%.*s%s", (int)folder, r->path, name);
		if (n >= (int)sizeof path
		    || !is_same_file(path, json_object_get(file, "bytes"),
		                     text_of(file, "changed")))
			return false;
		has_it |= strcmp(name, wsi_base_name(r->path)) == 0;
	}
	return has_it;
}

json_t *
cli_known_finished(const json_t *known, const cli_recording *r, const json_t *words,
                   char *const paths[MADE_KINDS])
{
	const json_t *record = json_object_get(known, r->path);
	json_t *told = json_object_get(record, "read");
	struct stat st;
	if (!told || strcmp(text_of(record, "version"), ws_version()) != 0
	    || json_integer_value(json_object_get(told, "numerics")) != ws_numerics_version()
	    || strcmp(text_of(record, cli_made_word(MADE_RESULT)), paths[MADE_RESULT]) != 0
	    || !are_same_words(json_object_get(record, "arguments"), words))
		return NULL;
	for (int kind = 0; kind < MADE_KINDS; kind++)
		if (paths[kind] && stat(paths[kind], &st) != 0)
			return NULL;
	return is_same_file(paths[MADE_RESULT], json_object_get(record, "result_bytes"),
	                    text_of(record, "result_changed"))
	       && are_same_files(json_object_get(told, "files"), r) ? told : NULL;
}
