/*
 * text_cells.c - cells of a table (text_table.h) become numbers.
 *
 * Numbers of at most 19 digits are made without strtod(), to the same bits: digits and power of ten
 * are exact in long double, so their quotient or product is rounded once, to 64 bits; rounding it
 * to 53 is right unless it lies half way between two doubles, which strtod() decides.
 */
#include "io/read/text_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool
text_is_error(const char *text)
{
	/* What Excel and LibreOffice write, also in German. */
	static const char *const words[] = {
		"#N/A", "#NV", "#VALUE!", "#DIV/0!", "#NUM!", "#REF!", "#NAME?", "#NULL!",
		"#WERT!", "#ZAHL!", "#BEZUG!", "#SPILL!", "#CALC!", "#N/V",
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
		const size_t n = strlen(words[i]);
		if (strncasecmp(text, words[i], n) == 0 && strchr("\t ,;|\"", text[n]))
			return true;
	}
	return false;
}

bool
text_is_missing(const char *field)
{
	static const char *const words[] = {
		"NA", "N/A", "NaN", "-NaN", "null", "None", "<NA>", "NaT", "n.a.", "missing", "-",
		"--", "---", ".", "?", "1.#QNAN", "-1.#IND", "1.#IND",
	};
	if (*field == '\0')
		return true;
	if (*field == '#')
		return text_is_error(field);
	/* NASA's tables. */
	if (*field == '*')
		return strspn(field, "*") == strlen(field);
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
		if (strcasecmp(field, words[i]) == 0)
			return true;
	/* What C writes of other NaN. */
	field += *field == '-';
	return strncasecmp(field, "nan(", 4) == 0 && field[strlen(field) - 1] == ')';
}

char *
text_bare(char *field)
{
	const size_t n = strlen(field);
	if (n < 2 || field[0] != '\'' || field[n - 1] != '\'')
		return field;
	field[n - 1] = '\0';
	return field + 1;
}

bool
text_has_decimal_comma(const char *field)
{
	const char *comma = strchr(field, ',');
	return comma && strspn(field, "+-0123456789.") == (size_t)(comma - field) &&
	       comma[1] != '\0' && strspn(comma + 1, "0123456789eE+-") == strlen(comma + 1);
}

/* ---- Numbers --------------------------------------------------------------- */

#define MOST_POWER 27   /* 10^27 is exact in 64 bits */

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "[+-]digits[.digits][e[+-]digits]" and nothing else, of at most 19 digits. */
typedef struct number {
	uint64_t digits;
	int n, exponent;
	bool negative, point, whole;
} number;

static inline bool
scan(const char *s, char mark, number *x)
{
	*x = (number){ .negative = *s == '-' };
	s += *s == '-' || *s == '+';
	for (; is_digit(*s); ++s, ++x->n)
		x->digits = 10 * x->digits + (uint64_t)(*s - '0');
	if (*s == mark) {
		x->point = true;
		for (++s; is_digit(*s); ++s, ++x->n, --x->exponent)
			x->digits = 10 * x->digits + (uint64_t)(*s - '0');
	}
	if (x->n == 0 || x->n > 19)
		return false;
	x->whole = !x->point;
	if (*s == 'e' || *s == 'E') {
		const bool negative = *++s == '-';
		int power = 0, n = 0;
		s += *s == '-' || *s == '+';
		for (; is_digit(*s) && n < 4; ++s, ++n)
			power = 10 * power + (*s - '0');
		if (n == 0)
			return false;
		x->exponent += negative ? -power : power;
		x->whole = false;
	}
	return *s == '\0';
}

static inline bool
make_number(const number *x, double *value)
{
#if LDBL_MANT_DIG == 64
	static const long double powers[MOST_POWER + 1] = {
		1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
		1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
		1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L,
	};
	if (x->exponent < -MOST_POWER || x->exponent > MOST_POWER)
		return false;
	const long double digits = (long double)x->digits;
	const long double result = x->exponent < 0 ? digits / powers[-x->exponent]
	                                           : digits * powers[x->exponent];
	uint64_t mantissa;
	memcpy(&mantissa, &result, sizeof mantissa);
	if ((mantissa & 0x7ff) == 0x400)
		return false;
	*value = x->negative ? -(double)result : (double)result;
	return true;
#else
	static const double powers[] = {
		1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
		1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	};
	if (x->digits >> 53 || x->exponent < -22 || x->exponent > 22)
		return false;
	const double size = x->exponent < 0 ? (double)x->digits / powers[-x->exponent]
	                                    : (double)x->digits * powers[x->exponent];
	*value = x->negative ? -size : size;
	return true;
#endif
}

/* What scan() does not take: many digits, large exponents, infinity. */
static bool
parse_by_library(const char *field, double *value)
{
	const char *digits = field + (*field == '-' || *field == '+');
	char *end;
	/* strtod() takes "0x10", "nan(..)" and blanks before a number. */
	if (!is_digit(*digits) && *digits != '.' && strcasecmp(digits, "inf") != 0 &&
	    strcasecmp(digits, "infinity") != 0)
		return false;
	if (*digits == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return false;
	*value = strtod(field, &end);
	return *end == '\0' && end > field;
}

/* With this decimal mark; point: it has one. */
static bool
parse(char *field, char mark, double *value, bool *point, bool *whole)
{
	number x;
	if (scan(field, mark, &x) && make_number(&x, value)) {
		*point = x.point;
		*whole = x.whole;
		return true;
	}
	char *comma = mark == ',' ? strchr(field, ',') : NULL;
	if (mark == ',' && strchr(field, '.'))
		return false;
	if (comma)
		*comma = '.';
	const bool ok = parse_by_library(field, value);
	*point = strchr(field, '.') != NULL;
	*whole = ok && strspn(field, "+-0123456789") == strlen(field);
	if (comma)
		*comma = ',';
	return ok;
}

/* "1,234": digits behind the comma are three, those before three at most and no zero. */
static bool
may_be_thousands(const char *field)
{
	field += *field == '-' || *field == '+';
	const size_t before = strspn(field, "0123456789");
	return before >= 1 && before <= 3 && *field != '0' &&
	       strspn(field + before + 1, "0123456789") == 3 && field[before + 4] == '\0';
}

bool
text_parse_cell(text_state *s, char *field, double *value)
{
	bool point, whole;
	if (parse(field, s->point, value, &point, &whole)) {
		if (s->point == '.')
			s->points |= point;
		else if (point)
			s->commas_sure |= !may_be_thousands(field);
		s->integers &= whole;
		return true;
	}
	if (text_is_missing(field)) {
		*value = NAN;
		s->integers = false;
		return true;
	}
	/* The first number with a comma shows what the decimal mark is. */
	if (s->point == '.' && !s->points && s->delimiter != ',' && text_has_decimal_comma(field)) {
		s->point = ',';
		return text_parse_cell(s, field, value);
	}
	return false;
}

bool
text_is_cell(const text_state *s, const char *field)
{
	double value;
	bool point, whole;
	char copy[64];
	if (text_is_missing(field))
		return true;
	if (strlen(field) >= sizeof copy)
		return parse_by_library(field, &value);
	strcpy(copy, field);
	return parse(copy, '.', &value, &point, &whole) ||
	       (s->delimiter != ',' && text_has_decimal_comma(copy) &&
	        parse(copy, ',', &value, &point, &whole));
}

ws_status
text_refuse_cell(const wsi_recording *rec, size_t column)
{
	const text_state *s = rec->state;
	const char *field = s->fields[column];
	char *shown = wsi_clean_text(field, strnlen(field, 40));
	const char *name = s->names ? s->names[column] : "";
	const bool is_time = s->times != TEXT_UNTIMED && column == s->time_column;
	const bool date = is_time && (s->times == TEXT_DATES || s->times == TEXT_OPEN_DATES);
	const char *what
		= date ? "is not a date (2009-08-24 is)"
		: is_time && s->times == TEXT_CLOCK ? "is not a time of the day (10:20:30 is)"
		: s->point == ',' && strchr(field, '.')
		  ? "has a decimal point where others have decimal commas; write one of them "
		  "throughout"
		: text_has_decimal_comma(field)
		  ? s->points ? "has a decimal comma where others have decimal points; write one "
		  "of "
		                "them throughout"
		              : "has a decimal comma; write decimal points"
		: "is not a number; remove the column or mark missing values by NA";
	const ws_status status = WSI_FAIL(WS_E_FORMAT, "%s: line %zu, column %zu%s%.40s%s: '%s' %s",
	                                  rec->path, s->line_number, column + 1,
	                                  *name != '\0' ? " (" : "", name,
	                                  *name != '\0' ? ")" : "", shown ? shown : "", what);
	free(shown);
	return status;
}
