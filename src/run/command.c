/* command.c - what the program alone is told of a transform. */
#include "run/program.h"
#include "transform/transform.h"

wsi_command
wsi_command_of(const ws_transform *t)
{
	const wsi_transform *row = wsi_transform_find(t->name);
	return (wsi_command){ row->examples, row->group, row->folder ? row->folder : "" };
}
