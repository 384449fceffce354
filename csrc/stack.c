/* stack.c - how much C stack a thread has. */
#include "pijit.h"
#include <pthread.h>

/* How far this thread's C stack may grow with the hook on every call. What is left below serves the interpreter without
 * the hook, which needs little, and what it calls in C. `*end`: where the stack ends, and `*half`: where half
 * of it is used up, NULL when that is not known. */
static char *find_stack_limit(char **end, char **half)
{
    char *low = (char *)__builtin_frame_address(0) - (1 << 18);
    *end = *half = NULL;
#if defined(__linux__)
    pthread_attr_t attributes;
    void *base;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &base, &size) == 0) {
            *end = low = base;
            *half = low + size / 2;
            low += size < (8u << 20) ? size / 4 : 2u << 20;
        }
        pthread_attr_destroy(&attributes);
    }
#elif defined(__APPLE__)
    size_t size = pthread_get_stacksize_np(pthread_self());
    *end = low = (char *)pthread_get_stackaddr_np(pthread_self()) - size;
    *half = low + size / 2;
    low += size < (8u << 20) ? size / 4 : 2u << 20;
#endif
    return low;
}

/* `here` is below what was known to be free: is this the end of the stack? */
bool pj_stack_exhausted(char *here)
{
    if (pj_thread.stack_limit == (char *)UINTPTR_MAX) {
        pj_thread.stack_limit = find_stack_limit(&pj_thread.stack_end, &pj_thread.stack_half);
    }
    /* below its end it is another stack, that of a coroutine library: nothing is known about it */
    return here < pj_thread.stack_limit && here >= pj_thread.stack_end;
}

/* The bytes between `here` and the end of the stack; a guess when that is not known. */
size_t pj_stack_left(char *here)
{
    return pj_thread.stack_end != NULL && here > pj_thread.stack_end ? (size_t)(here - pj_thread.stack_end) : 1u << 18;
}
