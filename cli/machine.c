/* machine.c - the model of the processor, and the memory that this process may use: what is free,
 * or less where its control group allows less. */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The rest of the first line of path that starts with key, from its value
 * on; 0 where there is none. */
static int
find_line(const char *path, const char *key, char value[128])
{
	FILE *f = fopen(path, "r");
	if (!f)
		return 0;
	char line[512];
	int found = 0;
	while (!found && fgets(line, sizeof line, f)) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		const char *text = line + strlen(key);
		text += strspn(text, " \t:");
		snprintf(value, 128, "%.*s", (int)strcspn(text, "\n"), text);
		found = 1;
	}
	fclose(f);
	return found;
}

void
cli_cpu_model(char model[128])
{
	if (!find_line("/proc/cpuinfo", "model name", model)
	    && !find_line("/proc/cpuinfo", "Model", model))
		strcpy(model, "unknown");
}

/* A number alone in a file; (size_t)-1 where there is none ("max" too). */
static size_t
read_number(const char *folder, const char *name)
{
	char path[1024], text[128];
	char *end;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (!find_line(path, "", text))
		return (size_t)-1;
	unsigned long long v = strtoull(text, &end, 10);
	return end == text ? (size_t)-1 : (size_t)v;
}

/* What one control group leaves; its cached files are given back on demand. */
static size_t
group_free(const char *folder, const char *limit_name, const char *used_name)
{
	size_t limit = read_number(folder, limit_name), used = read_number(folder, used_name);
	char path[1024], text[128];
	if (limit == (size_t)-1 || used == (size_t)-1)
		return (size_t)-1;
	snprintf(path, sizeof path, "%s/memory.stat", folder);
	size_t cache = find_line(path, "inactive_file", text) ? strtoull(text, NULL, 10) : 0;
	used = used > cache ? used - cache : 0;
	return limit > used ? limit - used : 1;
}

static size_t
smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t
cli_memory_free(void)
{
	char text[128], group[128];
	size_t least = (size_t)-1;
	if (find_line("/proc/meminfo", "MemAvailable:", text))
		least = (size_t)strtoull(text, NULL, 10) * 1024;
	else if (sysconf(_SC_AVPHYS_PAGES) > 0 && sysconf(_SC_PAGESIZE) > 0)
		/* No /proc: cached files count as taken. */
		least = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	if (find_line("/proc/self/cgroup", "0::", group)) {
		/* Every group above limits, too. */
		char folder[256];
		snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", group);
		while (strlen(folder) >= strlen("/sys/fs/cgroup")) {
			least = smaller(least, group_free(folder, "memory.max", "memory.current"));
			*strrchr(folder, '/') = '\0';
		}
	}
	least = smaller(least, group_free("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
	                                  "memory.usage_in_bytes"));
	return least == (size_t)-1 ? 0 : least;
}

size_t
cli_memory_default(void)
{
	return cli_memory_free() / 5 * 4;
}
