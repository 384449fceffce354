/* places.c - what generated code stores in exact lists and in attributes: numbers and objects that it has at hand.
 *
 * Each gives 0, or 1: nothing was done, as it would run Python or fails. A number that nothing else refers to is written over: as when the old one is
 * let go and the new one is made in its memory, which is what CPython's allocator does. */
#include "helpers.h"
#include "keys.h"
#include "pijit.h"

enum { FIRST_SMALL = -5, LAST_SMALL = 256 }; /* ints that exist once */

static bool write_int_over(PyObject *old, int64_t value)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int64_t before;
    if (!PyLong_CheckExact(old) || Py_REFCNT(old) != 1 || magnitude > PyLong_MASK || (value >= FIRST_SMALL && value <= LAST_SMALL) ||
        !pj_long_compact(old, &before)) {
        return false;
    }
    pj_long_set_compact(old, value < 0, (digit)magnitude);
    return true;
}

static bool write_float_over(PyObject *old, double value)
{
    if (!PyFloat_CheckExact(old) || Py_REFCNT(old) != 1) {
        return false;
    }
    ((PyFloatObject *)old)->ob_fval = value;
    return true;
}

static PyObject **item_at(PyObject *list, int64_t index)
{
    return PyList_CheckExact(list) && index >= 0 && index < PyList_GET_SIZE(list) ? &((PyListObject *)list)->ob_item[index] : NULL;
}

/* Both take over the value, which may be NULL: there was no memory for it. */
static int64_t replace(PyObject **place, PyObject *value)
{
    if (value == NULL) {
        PyErr_Clear();
        return 1;
    }
    PyObject *old = *place;
    *place = value;
    Py_DECREF(old);
    return 0;
}

static int64_t append(PyObject *list, PyObject *value)
{
    if (value == NULL || !PyList_CheckExact(list)) {
        PyErr_Clear();
        Py_XDECREF(value);
        return 1;
    }
    Py_ssize_t length = PyList_GET_SIZE(list);
    if (length < ((PyListObject *)list)->allocated) {
        PyList_SET_ITEM(list, length, value);
        Py_SET_SIZE(list, length + 1);
        return 0;
    }
    int failed = PyList_Append(list, value);
    Py_DECREF(value);
    if (failed) {
        PyErr_Clear();
    }
    return failed != 0;
}

/* The object of a number that is item `which` of `source`, if that is a list which still holds it (borrowed), else NULL. */
static PyObject *int_in(PyObject *source, int64_t which, int64_t value)
{
    PyObject **place = source == NULL ? NULL : item_at(source, which);
    int64_t held;
    return place != NULL && pj_unbox_int(*place, &held) == 0 && held == value ? *place : NULL;
}

static PyObject *float_in(PyObject *source, int64_t which, double value)
{
    PyObject **place = source == NULL ? NULL : item_at(source, which);
    return place != NULL && PyFloat_CheckExact(*place) && memcmp(&((PyFloatObject *)*place)->ob_fval, &value, sizeof(value)) == 0 ? *place : NULL;
}

static bool replaceable(PyObject **place)
{
    return place != NULL && pj_quiet(*place);
}

static int64_t put_object(PyObject **place, PyObject *value)
{
    return replaceable(place) ? replace(place, Py_XNewRef(value)) : 1;
}

static int64_t put_int(PyObject **place, int64_t value, PyObject *source, int64_t which)
{
    PyObject *known = int_in(source, which, value);
    if (known != NULL) {
        return put_object(place, known);
    }
    if (!replaceable(place)) {
        return 1;
    }
    return write_int_over(*place, value) ? 0 : replace(place, PyLong_FromLongLong(value));
}

static int64_t put_float(PyObject **place, double value, PyObject *source, int64_t which)
{
    PyObject *known = float_in(source, which, value);
    if (known != NULL) {
        return put_object(place, known);
    }
    if (!replaceable(place)) {
        return 1;
    }
    return write_float_over(*place, value) ? 0 : replace(place, PyFloat_FromDouble(value));
}

int64_t pj_store_int(PyObject *list, int64_t index, int64_t value, PyObject *source, int64_t which)
{
    return put_int(item_at(list, index), value, source, which);
}

int64_t pj_store_float(PyObject *list, int64_t index, double value, PyObject *source, int64_t which)
{
    return put_float(item_at(list, index), value, source, which);
}

int64_t pj_store_object(PyObject *list, int64_t index, PyObject *value)
{
    return put_object(item_at(list, index), value);
}

int64_t pj_append_int(PyObject *list, int64_t value, PyObject *source, int64_t which)
{
    PyObject *known = int_in(source, which, value);
    return append(list, known != NULL ? Py_NewRef(known) : PyLong_FromLongLong(value));
}

int64_t pj_append_float(PyObject *list, double value, PyObject *source, int64_t which)
{
    PyObject *known = float_in(source, which, value);
    return append(list, known != NULL ? Py_NewRef(known) : PyFloat_FromDouble(value));
}

int64_t pj_append_object(PyObject *list, PyObject *value)
{
    return append(list, Py_XNewRef(value));
}

/* Where the owner has an attribute that is there. Not what is in a dict, too, which others may watch. */
static PyObject **attribute_at(PyObject *owner, PyObject **place)
{
    return *place != NULL && pj_instance_dict(owner) == NULL ? place : NULL;
}

int64_t pj_put_int(PyObject *owner, PyObject **place, int64_t value, PyObject *source, int64_t which)
{
    return put_int(attribute_at(owner, place), value, source, which);
}

int64_t pj_put_float(PyObject *owner, PyObject **place, double value, PyObject *source, int64_t which)
{
    return put_float(attribute_at(owner, place), value, source, which);
}

int64_t pj_put_object(PyObject *owner, PyObject **place, PyObject *value)
{
    return put_object(attribute_at(owner, place), value);
}
