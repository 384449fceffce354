/* recipes.h - the kinds of recipes: how words become objects again (docs/native.md). */
#ifndef PIJIT_RECIPES_H
#define PIJIT_RECIPES_H

#include "pijit.h"

/* kind, "name", fields: w word, o object, r recipe, l list of recipes, R rows, n number */
#define RECIPES(X)                                                                                                    \
    X(KEEP, "keep", "")                                                                                               \
    X(UNSET, "unset", "")                                                                                             \
    X(NULL, "null", "")                                                                                               \
    X(CONST, "const", "o")                                                                                            \
    X(INT, "int", "w")                                                                                                \
    X(FLOAT, "float", "w")                                                                                            \
    X(BOOL, "bool", "w")                                                                                              \
    X(COMPLEX, "complex", "w")                                                                                        \
    X(NP, "np", "nw")                                                                                                 \
    X(OBJECT, "object", "w")                                                                                          \
    X(HELD, "held", "w") /* an object; UNSET: nothing; KEEP: what the slot has */                                     \
    X(TUPLE, "tuple", "l")                                                                                            \
    X(LIST, "list", "l")                                                                                              \
    X(SLICE, "slice", "l")                                                                                            \
    X(RANGE, "range", "www")                                                                                          \
    X(RANGE_ITERATOR, "range_iterator", "www")                                                                        \
    X(BOUND_METHOD, "bound_method", "rr")                                                                             \
    X(ITERATOR, "iterator", "r")                                                                                      \
    X(ITERATOR_AT, "iterator_at", "rr")                                                                               \
    X(DICT, "dict", "l")                                                                                              \
    X(INSTANCE, "instance", "ol")                                                                                     \
    X(MADE, "made", "ol")                                                                                             \
    X(FUNCTION, "function", "orrrr")                                                                                  \
    X(CELL, "cell", "")                                                                                               \
    X(ROOT_CELL, "root_cell", "n")                                                                                    \
    X(CELL_OF, "cell_of", "rn")                                                                                       \
    X(IN_CELL, "in_cell", "rr")                                                                                       \
    X(GENERATOR, "generator", "rnol")                                                                                 \
    X(ONE_OF, "one_of", "wl")                                                                                         \
    X(LOADED, "loaded", "rrR")                                                                                        \
    X(INPUT, "input", "n") /* only made here: what a guard's register holds, else (NULL) what c makes of word b */

typedef enum {
#define X(id, name, fields) R_##id,
    RECIPES(X)
#undef X
} RecipeOp;

#endif
