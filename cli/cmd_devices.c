/* cmd_devices.c - wavesift devices: what this machine offers. */
#include <jansson.h>
#include <stdio.h>

#include "commands.h"
#include "json.h"
#include "machine.h"
#include "message.h"
#include "values.h"

static const char no_cuda[] = "not used: this build has no CUDA backend";

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
	for (int i = 0; cli_gpu_model(i, model); i++) {
		json_t *gpu = json_object();
		json_object_set_new(gpu, "model", cli_json_text(model));
		json_object_set_new(gpu, "used", json_false());
		json_object_set_new(gpu, "reason", cli_json_text(no_cuda));
		json_array_append_new(gpus, gpu);
	}
	json_object_set_new(root, "cpu", cpu);
	json_object_set_new(root, "gpus", gpus);
	return cli_json_print(root);
}

static void
print_text(const ws_ctx *ctx)
{
	char model[128], text[32];
	cli_cpu_model(model);
	printf("cpu   %s\n      instruction sets:", model);
	for (int i = 0; ws_isa_name(i); i++)
		printf(" %s%s", ws_isa_name(i), i == 0 ? " (used)" : "");
	printf("\n      threads: %d\n", ws_ctx_threads(ctx));
	size_t memory = cli_memory_free();
	if (memory)
		printf("      memory: %s free\n", cli_format_size((double)memory, text));
	int cards = 0;
	for (; cli_gpu_model(cards, model); cards++)
		printf("cuda  %s: %s\n", model, no_cuda);
	if (!cards)
		printf("cuda  no card found\n");
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
