/* batch_arguments.c - the command line of the process that analyses one recording of a batch. */
#include "batch_arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/new.h"
#include "options.h"

typedef struct words {
	char **all;      /* NULL at the end */
	size_t n;
	bool failed;
} words;

static void __attribute__((format(printf, 2, 3)))
add(words *w, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	const int length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	char *word = length >= 0 ? malloc((size_t)length + 1) : NULL;
	if (word)
		vsnprintf(word, (size_t)length + 1, format, again);
	va_end(again);
	w->failed |= !word;
	if (word)
		w->all[w->n++] = word;
}

/* What is one recording's, and not all of theirs. */
static bool
is_replaced(const ws_option *o)
{
	return cli_option_of_many(o) || strcmp(o->name, "progress") == 0
	       || strcmp(o->name, "max-time") == 0 || cli_option_is_written(o);
}

static void
add_share(words *w, const cli_share *share)
{
	if (share->threads)
		add(w, "--threads=%d", share->threads);
	if (share->memory)
		add(w, "--memory=%zu", share->memory);
	if (share->device)
		add(w, "--device=%s", share->device);
	if (share->device_memory)
		add(w, "--device-memory=%zu", share->device_memory);
}

ws_status
cli_arguments_make(char ***arguments, const cli_args *args, const cli_recording *r,
                   char *const paths[MADE_KINDS], const cli_share *share)
{
	words w = { .all = calloc((size_t)args->n_given + MADE_KINDS + 16, sizeof *w.all) };
	*arguments = w.all;
	WSI_HAVE(w.all, "%s: not enough memory to start its process", r->path);
	add(&w, "%s", args->command_line[0]);
	add(&w, "%s", args->command.name);
	for (int i = 0; i < args->n_given; i++) {
		const cli_given *g = &args->given[i];
		if (is_replaced(g->option))
			continue;
		if (g->text)
			add(&w, "--%s=%s", g->option->name, g->text);
		else
			add(&w, "--%s", g->option->name);
	}
	for (int kind = 0; kind < MADE_KINDS; kind++)
		if (paths[kind])
			add(&w, "--%s=%s", cli_made_option((cli_made)kind), paths[kind]);
	/* Of an option that is given twice the last counts. */
	add_share(&w, share);
	/* It inherits what the launcher tells of us. */
	if (args->ranks)
		add(&w, "--mpi=never");
	if (share->max_time > 0)
		add(&w, "--max-time=%.3f", share->max_time);
	add(&w, "--progress=%s", args->dry_run ? "never" : "always");
	add(&w, "--");
	add(&w, "%s", r->path);
	if (!w.failed)
		return WS_OK;
	cli_arguments_free(w.all);
	*arguments = NULL;
	return WSI_FAIL(WS_E_NOMEM, "%s: not enough memory to start its process", r->path);
}

void
cli_arguments_free(char **arguments)
{
	for (char **word = arguments; word && *word; word++)
		free(*word);
	free(arguments);
}
