/* mat5_array.h - the parser of arrays of MAT 5, and where their parts lie. */
#ifndef WSI_IO_MAT5_ARRAY_H
#define WSI_IO_MAT5_ARRAY_H

#include "io/read/mat_var.h"
#include "io/read/mat_stream.h"

enum { MI_INT8 = 1, MI_UINT8, MI_INT16, MI_UINT16, MI_INT32, MI_UINT32, MI_SINGLE, MI_DOUBLE = 9,
       MI_INT64 = 12, MI_UINT64, MI_MATRIX, MI_COMPRESSED, MI_UTF8, MI_UTF16, MI_UTF32 };

/* A part of an array: type and place of its bytes in the variable. */
typedef struct mat5_part {
	uint64_t at, bytes;
	wsi_sample_type type;
} mat5_part;

/* Where a variable lies, and what it holds. */
typedef struct mat5_place {
	uint64_t begin, end;      /* of the variable in the file */
	bool packed, checked;
	bool top;                 /* it is a variable itself */
	mat5_part parts[2];            /* of numbers and texts: real, imaginary */
	mat5_part rows, starts;        /* of sparse ones, too */
} mat5_place;

typedef struct mat5_tag {
	uint32_t type;
	uint64_t bytes, rest;     /* rest: and padding, still to come */
	bool small;
	unsigned char data[4];    /* where it is small */
} mat5_tag;

/* Where the parser is. */
typedef struct mat5_parser {
	wsi_mat *m;
	wsi_mat_stream s;
	const wsi_mat_var *top;
	bool head;                /* no more than the head of the variable is wanted */
	uint64_t keep;            /* values of so many bytes at most are read on the way */
} mat5_parser;

uint32_t wsi_mat5_word(const wsi_mat *m, const unsigned char *b);
/* WS_E_FORMAT, which names the variable. */
WSI_LOOK_AT ws_status wsi_mat5_damaged(const mat5_parser *p, const char *what);
/* The tag at the stream's place; all of the element lies before end. */
WSI_LOOK_AT ws_status wsi_mat5_next_tag(mat5_parser *p, uint64_t end, mat5_tag *t);
/* A matrix of so many bytes from the stream's place on, depth arrays inside others. */
WSI_LOOK_AT ws_status wsi_mat5_parse(mat5_parser *p, uint64_t bytes, int depth, wsi_mat_var *v);
/* Room for the values of a part. */
WSI_LOOK_AT ws_status wsi_mat5_make_room(wsi_mat *m, const mat5_part *a, unsigned char **values);

#endif
