/* ints.h - vectors of ints of any width, as they come as indices. */
#ifndef PIJIT_INTS_H
#define PIJIT_INTS_H

#include "pijit.h"

/* `kind` is how many bytes an element has, negative where it is signed; `step`: bytes from one to the next. uint64 is none of
 * them: NumPy does not take it for an index. */
typedef struct {
    const char *data;
    int64_t kind, step, n;
} Ints;

#define KINDS(X) X(-1, int8_t) X(1, uint8_t) X(-2, int16_t) X(2, uint16_t) X(-4, int32_t) X(4, uint32_t) X(-8, int64_t)
#define AT(type, ints, i) (*(const type *)((ints)->data + (i) * (ints)->step))

#endif
