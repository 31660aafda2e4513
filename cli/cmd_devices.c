/* cmd_devices.c - wavesift devices: what this machine offers. */
#include <jansson.h>
#include <stdio.h>

#include "commands.h"
#include "json.h"
#include "machine.h"
#include "message.h"
#include "options.h"
#include "values.h"

static json_t *
gpu_json(const ws_device *d)
{
	json_t *gpu = json_object();
	json_object_set_new(gpu, "name", cli_json_text(d->name));
	json_object_set_new(gpu, "model", cli_json_text(d->model));
	json_object_set_new(gpu, "detail", cli_json_text(d->detail));
	json_object_set_new(gpu, "memory", json_integer((json_int_t)d->memory));
	json_object_set_new(gpu, "memory_free", json_integer((json_int_t)d->memory_free));
	json_object_set_new(gpu, "usable", json_boolean(d->usable));
	json_object_set_new(gpu, "reason", d->usable ? json_null() : cli_json_text(d->why));
	return gpu;
}

static int
print_json(const ws_ctx *ctx)
{
	json_t *root = json_object(), *cpu = json_object(), *isas = json_array();
	json_t *gpus = json_array();
	char model[128];
	cli_cpu_model(model);
	for (int i = 0; ws_isa_name(i); i++)
		json_array_append_new(isas, cli_json_text(ws_isa_name(i)));
	json_object_set_new(cpu, "model", cli_json_text(model));
	json_object_set_new(cpu, "instruction_sets", isas);
	json_object_set_new(cpu, "threads", json_integer(ws_ctx_threads(ctx)));
	json_object_set_new(cpu, "memory_free", json_integer((json_int_t)cli_memory_free()));
	ws_device d = { .size = sizeof d };
	int n = 0;
	for (; ws_device_info(n, &d) == WS_OK; n++)
		json_array_append_new(gpus, gpu_json(&d));
	json_object_set_new(root, "cpu", cpu);
	json_object_set_new(root, "gpus", gpus);
	char dashed[CLI_SHOWN];
	json_object_set_new(root, "no_gpu", n ? json_null()
	                    : cli_json_text(cli_dashed(ws_error_detail(), dashed)));
	return cli_json_print(root);
}

static void
print_gpu(const ws_device *d)
{
	char free[32], all[32];
	printf("gpu   %s: %s, %s\n", d->name, d->model, d->detail);
	if (d->usable)
		printf("      memory: %s free of %s\n", cli_format_size((double)d->memory_free,
		       free), cli_format_size((double)d->memory, all));
	else
		printf("      not used: %s\n", d->why);
}

static void
print_text(const ws_ctx *ctx)
{
	char model[128], text[32], dashed[CLI_SHOWN];
	cli_cpu_model(model);
	printf("cpu   %s\n      instruction sets:", model);
	for (int i = 0; ws_isa_name(i); i++)
		printf(" %s%s", ws_isa_name(i), i == 0 ? " (used)" : "");
	printf("\n      threads: %d\n", ws_ctx_threads(ctx));
	size_t memory = cli_memory_free();
	if (memory)
		printf("      memory: %s free\n", cli_format_size((double)memory, text));
	ws_device d = { .size = sizeof d };
	int n = 0;
	for (; ws_device_info(n, &d) == WS_OK; n++)
		print_gpu(&d);
	if (!n)
		printf("gpu   none: %s\n", cli_dashed(ws_error_detail(), dashed));
}

int
cli_cmd_devices(const cli_args *args)
{
	ws_ctx *ctx;
	ws_status status = ws_ctx_create(&ctx, NULL);
	if (status != WS_OK)
		return cli_report(status);
	int code = EXIT_DONE;
	if (args->json)
		code = print_json(ctx);
	else
		print_text(ctx);
	ws_ctx_destroy(ctx);
	return code;
}
