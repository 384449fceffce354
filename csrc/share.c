/* share.c - kernels on several threads. The calling thread, which keeps the interpreter's lock, works as the others do and waits for them:
 * nothing of Python happens meanwhile. The helpers know nothing but plain memory, begin with the caller's floating-point state, and what
 * flags they raise is part of what comes back. They are made when they are first needed; a forked child makes its own. */
#include "helpers.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#define MOST 64          /* threads, the caller among them */
#define PIECES 4         /* for each thread: one that the system holds up leaves the rest to the others */
#define TILE 1024        /* a long only axis is cut where tiles begin: then each is done as it would be by one thread */

typedef int64_t (*Kernel)(int64_t low, int64_t high, int64_t *p);

static struct {
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    int helpers;           /* threads that there are */
    int wanted;            /* that may still join the job */
    int busy;              /* that are at it */
    bool taken;            /* by a caller */
    Kernel kernel;
    int64_t *p;
    int64_t high, piece;
    atomic_int_fast64_t next, status;
    fenv_t state;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

static void work(void)
{
    int64_t status = 0;
    for (;;) {
        int64_t low = atomic_fetch_add(&pool.next, pool.piece);
        if (low >= pool.high) {
            break;
        }
        status |= pool.kernel(low, pool.high - low < pool.piece ? pool.high : low + pool.piece, pool.p);
    }
    atomic_fetch_or(&pool.status, status);
}

static void *help(void *ignored)
{
    (void)ignored;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.wanted == 0) {
            pthread_cond_wait(&pool.wake, &pool.lock);
        }
        pool.wanted--;
        pool.busy++;
        pthread_mutex_unlock(&pool.lock);
        fesetenv(&pool.state);
        pj_fp_clear();
        work();
        atomic_fetch_or(&pool.status, pj_fp_get());
        pthread_mutex_lock(&pool.lock);
        if (--pool.busy == 0) {
            pthread_cond_signal(&pool.done);
        }
    }
    return NULL;
}

/* Helpers inherit nothing of the program: no signal is theirs. */
static void make_helpers(int wanted)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pool.helpers >= wanted || pthread_attr_init(&attributes) != 0) {
        return;
    }
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t thread; pool.helpers < wanted && pthread_create(&thread, &attributes, help, NULL) == 0;) {
        pool.helpers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&pool.lock);
}

static void in_child(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.helpers = pool.wanted = pool.busy = 0;
    pool.taken = false;
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, in_parent, in_child);
}

/* Whether the pool is the caller's; another interpreter of the process may have it. */
static bool take(int threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&pool.lock);
    bool free = !pool.taken;
    if (free) {
        make_helpers(threads - 1);
        free = pool.taken = pool.helpers > 0;
    }
    pthread_mutex_unlock(&pool.lock);
    return free;
}

/* A kernel for a part of its first axis, as kernel(low, high, p) does it, on so many threads if it is worth it. `units`: of work. */
int64_t pj_share(Kernel kernel, int64_t low, int64_t high, int64_t *p, int64_t units, int64_t threads)
{
    threads = threads < MOST ? threads : MOST;
    threads = threads < high - low ? threads : high - low;
    if (threads < 2 || units < PJ_WORTH || !take((int)threads)) {
        return kernel(low, high, p);
    }
    int64_t piece = (high - low + PIECES * threads - 1) / (PIECES * threads);
    if (piece > TILE) {
        piece = (piece + TILE - 1) / TILE * TILE;
    }
    pthread_mutex_lock(&pool.lock);
    pool.kernel = kernel;
    pool.p = p;
    pool.high = high;
    pool.piece = piece;
    atomic_store(&pool.next, low);
    atomic_store(&pool.status, 0);
    fegetenv(&pool.state);
    pool.wanted = (int)threads - 1;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.lock);
    work();
    pthread_mutex_lock(&pool.lock);
    pool.wanted = 0;
    while (pool.busy > 0) {
        pthread_cond_wait(&pool.done, &pool.lock);
    }
    pool.taken = false;
    int64_t status = atomic_load(&pool.status);
    pthread_mutex_unlock(&pool.lock);
    return status;
}
