/*
 * text_table.h - a table of numbers while it is read; shared by the files text*.c.
 *
 *     text_lines.c   bytes of the file -> lines -> fields
 *     text_cells.c   fields -> numbers
 *     text_head.c    what stands before the numbers: titles, names, units, comments
 *     text_names.c   names and units of columns; text_told.c: what comments tell
 *     text_rows.c    the numbers, row by row
 *     text_stamps.c  the times of rows (text_time.c: their units and spacing, text_dates.c)
 *     text_settle.c  what of them all rows settle; text_rates.c: the rate and gaps that follow
 *     text_columns.c which columns are channels
 *     text.c         the recording that it makes
 */
#ifndef WSI_IO_TEXT_TABLE_H
#define WSI_IO_TEXT_TABLE_H

#include "io/read/readers.h"
#include "io/result/sha256.h"
#include "io/read/text_time.h"

#define TEXT_BLANKS '\0'  /* the delimiter of columns set apart by blanks */
#define TEXT_BLOCK ((size_t)64 << 10)
#define TEXT_NO_PARTS UINT32_MAX /* of an open date: there is none */
#define TEXT_HEADS 3      /* lines before the numbers that are kept: names, units */

typedef enum text_line_kind { TEXT_END, TEXT_ROW, TEXT_BLANK, TEXT_COMMENT } text_line_kind;

/* What times a table has. */
typedef enum text_times {
	TEXT_UNTIMED,
	TEXT_NUMBERS,      /* in a unit */
	TEXT_DATES,        /* that tell their order */
	TEXT_OPEN_DATES,   /* 03/04/2020 */
	TEXT_CLOCK,        /* hh:mm:ss */
	TEXT_CALENDAR      /* year, month, day.. in a column each */
} text_times;

/* Rate and start that comments or titles tell. */
typedef struct text_told {
	double rate;            /* Hz; 0: none */
	bool differ;            /* several rates were told */
	char *names;            /* of columns, as JSON has them: "nSeq", "I1"; or NULL */
	bool rows_of_samples;   /* the samples of one signal stand in rows */
	char start[40];         /* a date, or "" */
} text_told;

typedef struct text_state {
	size_t columns, rows;
	double *values;         /* [row][column], times included */
	size_t first_row;       /* rows before it are no samples: names, or start and rate */
	size_t *column_of;      /* [channel] */

	/* ---- While the file is read: */
	int fd;                 /* or -1 */
	bool piped;             /* it is standard input */
	char *block;            /* of the file, as it was read */
	size_t held, taken;     /* bytes of it, and those that lines have */
	wsi_sha256 hash;        /* of the lines so far */
	char *line;
	size_t line_room, line_number;
	size_t line_start;      /* of its first byte that is no blank */
	size_t most;            /* bytes of memory that the table may take */
	size_t room;            /* of values */

	char delimiter;
	bool delimiter_told;    /* by a first line "sep=;" */
	char point;             /* the decimal mark, '.' until numbers show that it is ',' */
	bool points;            /* a number had a decimal point */
	bool commas_sure;       /* one had a comma that sets off no thousands */
	bool integers;          /* the row that was read last holds nothing but whole numbers */
	bool torn;              /* in this line a quote does not end where a field does */
	char **fields;          /* [columns] into line */

	/* Before the numbers: */
	char *heads[TEXT_HEADS];      /* the last lines, the last first */
	bool head_is_comment[TEXT_HEADS];
	size_t head_line[TEXT_HEADS]; /* their numbers */
	size_t words;                 /* lines that are no comments */
	size_t first_words;           /* number of the first one */
	size_t head_columns;          /* fields of the last line of all */
	size_t blank_rows;            /* of nothing but missing values, after the last of them */
	size_t blank_columns;         /* fields of the last of these */
	char *suspect;                /* what is wrong with a line that is nearly one of numbers */
	text_told told;

	bool *skipped;          /* [columns] that hold other dates; NULL: none does */
	char **names, **units;  /* [columns], NULL where there are none */
	bool corner;            /* the header lacks the name of the first column */
	bool corner_row;        /* heads[0] is ",0,1": names, or a row */
	bool untimed_head;      /* the first row has no time: it is a title */
	bool open;              /* a quote of the fields split last does not end */
	bool numeric_row;       /* they might have been, but for such a row */
	bool numeric_names; /* names are 0, 1, .. and stand in row 0, unless rows say otherwise */

	/* Times: */
	text_times times;
	size_t time_column;
	size_t time_columns;    /* a date and a clock in two; or those of a calendar */
	text_time_name time_name;
	bool compact;           /* among dates 20090824 */
	text_clock_form clock;  /* of "12:30" */
	double unit;            /* s, of numbers */
	const char *unit_text;  /* behind each of them, " sec"; or NULL */
	bool months;            /* rows are years, and columns behind the time their months */
	size_t partial;         /* fields of a last row of these that is not whole; 0: none */
	text_stamp first_stamp; /* of the first row, in its unit */
	double first_time;
	text_date first_date;
	bool dated;             /* the first row has one */
	double resolution;      /* the finest of the times, s */
	int finest;             /* digits behind their point; -1: none looked at */
	double clock_before, clock_days;
	bool of_year;           /* a calendar counts days of the year */
	uint32_t *parts;        /* [rows] of open dates */
	bool dots;              /* they have dots */
	bool numbered;          /* there is a time, or lines are kept (keeps_lines) */
	size_t *lines;          /* [rows] then: their numbers, as much room as rows of values */

	/* Behind the numbers: */
	size_t comments, first_comment;  /* lines */
	size_t footer;          /* the first line of words after the last row; 0: none */
	char *footer_detail;    /* what is wrong with it if numbers follow */
	size_t blanks;          /* lines of a table of one column since its last number */
	size_t inserted;        /* missing values that they stand for */
	bool alternating;       /* so far as many before each number */
	size_t between;         /* so many */
} text_state;

/* ---- text.c */
/* Begins to read rec->path, or standard input; rec->state is made.  text_end() is due whatever
 * becomes of it; it leaves what the table is read from, too. */
ws_status text_begin(wsi_recording *rec);
void text_end(wsi_recording *rec);

/* ---- text_lines.c */
/* The next line, its end taken off, in s->line. */
ws_status text_next_line(wsi_recording *rec, text_line_kind *kind);
/* Adds the next line to the one that there is, apart by a blank. */
ws_status text_join_line(wsi_recording *rec);
/* Cuts the line into fields and returns their number; fields[] takes the first max.  A delimiter
 * at the end of the line makes none. */
size_t text_split(text_state *s, char *line, size_t max);
/* By what stands between the fields of a line. */
char text_find_delimiter(const char *line);
/* Fields that a copy of a line has; *fields, of one allocation, are the caller's to free. */
ws_status text_fields_of(wsi_recording *rec, const char *line, char ***fields, size_t *n);

/* ---- text_cells.c */
bool text_is_missing(const char *field);
/* "#N/A" and what else spreadsheets write for no value, at the end of the text or of a field. */
bool text_is_error(const char *text);
/* A number, or NaN of what is missing.  s: learns the decimal mark. */
bool text_parse_cell(text_state *s, char *field, double *value);
/* Is it a number or missing, whatever the decimal mark? */
bool text_is_cell(const text_state *s, const char *field);
bool text_has_decimal_comma(const char *field);
/* Without the single quotes around it, in place, which PhysioNet writes around names and times. */
char *text_bare(char *field);
ws_status text_refuse_cell(const wsi_recording *rec, size_t column);

/* ---- text_head.c */
/* From the beginning to the first row of numbers, which is in s->fields; *more false: there is
 * none. */
ws_status text_read_head(wsi_recording *rec, bool *more);

/* ---- text_told.c */
/* Rate, start and names that a comment or a title tells. */
ws_status text_listen(wsi_recording *rec, const char *line, bool comment);

/* ---- text_names.c */
/* "----- ====": nothing but marks. */
bool text_is_rule(const char *line);

/* The unit that the name of a column ends with, "anomaly (degC)" or "Fp1 [uV]"; false: none that is
 * known. */
bool text_unit_in(const char *name, char unit[24]);
/* A number, a date or a clock, or missing. */
bool text_is_datum(const text_state *s, const char *field);
/* How many of the fields are data, how many of these are no missing ones, and how many begin like
 * numbers.  Quotes of PhysioNet are taken off. */
typedef struct text_counted {
	size_t data, told, nearly;
} text_counted;
text_counted text_count_data(const text_state *s, char **fields, size_t n);
/* Clean copies of fields, the first shift of columns empty. */
ws_status text_copy_fields(wsi_recording *rec, char **fields, size_t n, size_t shift,
                           char ***copies);
/* s->names and s->units from the lines before the first row of numbers. */
ws_status text_find_names(wsi_recording *rec);
/* The lines before have n columns, another number than this one. */
ws_status text_refuse_header(const wsi_recording *rec, size_t n);

/* ---- text_stamps.c */
/* Which columns are times?  From names, units and the first row. */
ws_status text_find_times(wsi_recording *rec);
/* "0.004 sec", as MATLAB writes durations: the unit with its blank, and s in it; or NULL. */
const char *text_unit_behind(const char *field, double *seconds);
/* The moment of a row, in s from that of the first row (open dates: of its clock). */
bool text_parse_stamp(text_state *s, double *value);

/* ---- text_settle.c */
/* After the last row: values[][time_column] of open dates and calendars; the unit of stamps. */
ws_status text_settle_times(wsi_recording *rec);

/* ---- text_rates.c */
/* *rate from the times and from what is told, 0 where there is none, and where times begin.  A rate
 * that the user gives takes their place. */
ws_status text_take_times(wsi_recording *rec, double *rate);

/* ---- text_columns.c */
ws_status text_set_channels(wsi_recording *rec);
/* Sample i of a table of years by months. */
static inline double
text_month(const text_state *s, size_t i)
{
	return s->values[i / 12 * s->columns + s->time_column + 1 + i % 12];
}

/* ---- text_rows.c */
ws_status text_read_rows(wsi_recording *rec);

#endif
