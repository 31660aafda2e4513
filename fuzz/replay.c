/*
 * replay.c - runs a fuzz target over files, without a fuzzing engine.
 *
 *     fuzz_edf DIRECTORY|FILE...
 *
 * Each regular file is one input.  A target that misbehaves crashes; a folder
 * that is not there is an empty corpus.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
replay_file(const char *path, size_t size)
{
	/* Exactly size bytes, so that a sanitizer sees the first one past them. */
	uint8_t *data = malloc(size ? size : 1);
	FILE *f = fopen(path, "rb");
	if (!data || !f || fread(data, 1, size, f) != size) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int
replay(const char *path)
{
	struct stat st;
	if (stat(path, &st) != 0)
		return 0;
	if (S_ISREG(st.st_mode))
		return replay_file(path, (size_t)st.st_size);
	DIR *dir = opendir(path);
	if (!dir)
		return 0;
	int n = 0;
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		char child[4096];
		snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
		n += replay(child);
	}
	closedir(dir);
	return n;
}

int
main(int argc, char **argv)
{
	int n = 0;
	for (int i = 1; i < argc; i++)
		n += replay(argv[i]);
	printf("%d inputs replayed\n", n);
	return 0;
}
