"""What the table of known callables covers: each expression runs natively, without a break, and does what NumPy does."""

from __future__ import annotations

import numpy as np
import pytest
from differential import check, check_calls

pytestmark = pytest.mark.shared

RNG = np.random.default_rng(0)
ARGUMENTS = {
    "a": RNG.random((4, 6)) + 0.5, "b": RNG.random((4, 6)) + 0.5, "v": RNG.random(6), "w": RNG.random(6), "i": RNG.integers(0, 4, 5),
    "m": RNG.random((4, 6)) > 0.5, "s": RNG.random((4, 4)) + 4 * np.eye(4), "k": RNG.integers(0, 9, (4, 6)), "c": RNG.random((4, 6)) + 1j,
    "n": 3, "x": 2.5, "t": RNG.random((2, 3, 4)), "z": np.float64(1.5), "h": RNG.random(6).astype("f2"), "g": np.arange(6).astype(">i4"),
    "st": np.zeros(3, [("x", "f8"), ("y", "i4")]), "dt": np.arange(4).astype("M8[D]"), "u": np.array(["a", "bb", "c"]),
    "o": np.array([1, 2.5, 3], object), "l": RNG.random(6).astype(np.longdouble), "r": np.random.default_rng(5),
}  # fmt: skip

# Separated by bars.
EXPRESSIONS = {
    "ufuncs with keywords": """
        np.add(a,b,out=a) | np.add(a,b,where=m)[m] | np.add(a,b,out=b,where=m) | np.add(a,b,dtype=np.float32) |
        np.add(a,b,dtype='f4',casting='same_kind') | np.multiply(k,2,casting='unsafe')
    """,
    "methods of ufuncs": """
        np.add.reduce(a) | np.add.reduce(a,axis=1) | np.add.accumulate(v) | np.multiply.outer(v,w) | np.add.reduceat(v,[0,2,4]) |
        np.add.at(v,i,1) | np.maximum.reduce(a,axis=(0,1)) | np.subtract.outer(v,w)
    """,
    "ufuncs": """
        np.divmod(a,b) | np.modf(a) | np.frexp(a) | divmod(a,b) | np.ldexp(a,k) | np.hypot(a,b) | np.arctan2(a,b) | np.logaddexp(a,b) |
        np.gcd(k,k+1) | np.heaviside(a,b) | np.spacing(a) | np.isnat(dt) | np.float_power(a,b) | np.cbrt(a) | np.nextafter(a,b) |
        np.remainder(a,b) | np.fmod(a,b) | np.copysign(a,b) | np.exp2(a) | np.rint(a)
    """,
    "reductions": """
        a.sum(axis=(0,1)) | a.sum(axis=-1) | t.sum(axis=(0,2)) | t.sum(axis=(0,2),keepdims=True) | a.sum(dtype=np.float32) |
        a.sum(initial=2.0) | a.sum(where=m) | a.prod(axis=1) | a.mean(axis=0) | a.mean(axis=(0,1)) | a.var() | a.var(axis=0,ddof=1) |
        a.std(axis=1) | a.min(axis=0) | a.max() | a.max(axis=1,initial=0,where=m) | np.argmin(a) | a.argmax(axis=1) | np.any(m,axis=0) |
        np.all(m) | np.count_nonzero(m) | np.count_nonzero(a,axis=1) | np.ptp(a) | np.ptp(a,axis=0) | np.median(a) | np.median(a,axis=0) |
        np.percentile(a,30) | np.quantile(a,[.1,.5],axis=1) | np.nansum(a) | np.nanmean(a,axis=0) | np.nanmax(a) | np.nanmin(a) |
        np.nanstd(a) | np.nanvar(a) | np.nanmedian(a) | np.nanprod(a) | np.nanargmax(a) | np.nancumsum(a) | np.nanpercentile(a,5) |
        np.nanquantile(a,.5) | np.cumsum(a) | np.cumsum(a,axis=1) | np.cumprod(v) | np.trace(s) | np.average(a) | np.average(v,weights=w) |
        np.linalg.norm(a) | np.linalg.norm(a,axis=1) | k.sum() | k.sum(axis=0) | c.sum() | c.mean(axis=1)
    """,
    "creation": """
        np.zeros((n,2)) | np.ones(n) | np.empty(0) | np.full((2,n),x) | np.full(n,1,dtype=np.int8) | np.zeros_like(a) |
        np.ones_like(a,dtype=int) | np.full_like(a,3) | np.arange(n) | np.arange(0,1,0.25) | np.arange(n,dtype=float) | np.arange(n,20,3) |
        np.linspace(0,1,n) | np.linspace(0,1,7,dtype=np.float32) | np.linspace(0,1,5,retstep=True) | np.eye(n) | np.eye(3,4,k=1) |
        np.identity(n) | np.array([x,2.0]) | np.array([v,w]) | np.array(x) | np.array([1,n,3]) | np.array([[x,1],[2,n]]) | np.array(a) |
        np.array(a,dtype=np.float32) | np.asarray([1.0,x]) | np.fromfunction(lambda p,q:p+q,(3,3)) | np.meshgrid(v,w) |
        np.meshgrid(v,w,indexing='ij') | np.indices((2,3)) | np.tri(n) | np.tril(s) | np.triu(s,1) | np.diag(v) | np.diag(s) |
        np.mgrid[0:3,0:2] | np.ogrid[0:3,0:2] | np.logspace(0,2,5) | np.geomspace(1,8,4) | np.diagflat(v) | np.vander(v,3) | np.copy(a) |
        np.ascontiguousarray(a.T) | np.asfortranarray(a) | np.frombuffer(b'12345678') | np.r_[v,w] | np.c_[v,w]
    """,
    "shapes and views": """
        a[::2] | a[::-1,1:] | a[...,0] | a[...,None] | a[None] | a[1:,::-2] | a.reshape(6,4) | a.reshape(-1) | a.T.reshape(-1) |
        a.reshape((2,-1)) | a.reshape(24,order='F') | np.reshape(a,(3,8)) | a.ravel() | a.T.ravel() | a.flatten() | a.transpose() |
        t.transpose(1,0,2) | np.transpose(t,(2,0,1)) | a.T | np.swapaxes(t,0,1) | t.swapaxes(0,2) | np.moveaxis(t,0,-1) |
        np.squeeze(a[None]) | a[None].squeeze(0) | np.expand_dims(v,0) | np.expand_dims(v,(0,2)) | np.broadcast_to(v,(4,6)) |
        np.roll(v,2) | np.roll(a,(1,2),axis=(0,1)) | np.flip(a) | np.flip(a,0) | np.fliplr(a) | np.flipud(a) | np.concatenate([v,w]) |
        np.concatenate((a,b),axis=1) | np.stack([v,w]) | np.stack((v,w),axis=1) | np.hstack([v,w]) | np.vstack((v,w)) | np.dstack([v,w]) |
        np.column_stack((v,w)) | np.split(v,3) | np.split(a,[1,3],axis=1) | np.array_split(v,4) | np.hsplit(a,2) | np.vsplit(a,2) |
        np.tile(v,2) | np.tile(a,(2,1)) | np.repeat(v,2) | np.repeat(a,2,axis=1) | np.repeat(v,[1,0,2,1,1,1]) | np.pad(a,1) |
        np.pad(v,(1,2),mode='edge') | np.atleast_1d(x) | np.atleast_2d(v) | np.atleast_3d(v) | np.rot90(a) | np.append(v,w) |
        np.insert(v,1,x) | np.delete(v,1) | np.resize(v,(3,4)) | np.rollaxis(t,2) | np.broadcast_arrays(v,a) | np.trim_zeros(v) |
        np.block([[s,s],[s,s]])
    """,
    "attributes": """
        a.shape | a.size | a.ndim | a.dtype | a.strides | a.itemsize | a.nbytes | c.real | c.imag | a.real | a.imag | np.real(c) |
        np.imag(c) | np.angle(c) | np.conj(c) | a.flat[3] | a.flags.c_contiguous | a.base is None | np.ndim(a) | np.size(a) | np.shape(a) |
        np.size(a,1) | len(a) | a.item(3) | v.tolist() | a.copy() | a.view() | a.view(np.int64) | v.astype(int) |
        v.astype(np.float32,copy=False) | a.dtype.kind | a.dtype==np.float64 | a.mT | a.dtype==float | a.dtype!="f4" | t.mT
    """,
    "indexing, searching, sorting": """
        v[i] | a[i] | a[i,i] | a[:,i] | a[i][:,i] | a[m] | v[v>0.5] | a[m.any(axis=1)] | a[i,1] | a[[0,1]] | a[np.ix_([0,1],[2,3])] |
        np.take(v,i) | np.take(a,i,axis=1) | v.take(i,mode='wrap') | np.put(v,i,0) | v.put(i,1) | np.where(m) | np.where(m,a,b) |
        np.where(m,a,0) | np.nonzero(m) | m.nonzero() | np.choose(k%2,[a,b]) | np.select([m,~m],[a,b]) | np.clip(a,.6,.9) |
        a.clip(.6,None) | a.clip(min=.7) | k.clip(1,5) | np.searchsorted(np.sort(v),w) | np.digitize(v,np.array([.2,.5])) |
        np.bincount(i) | np.bincount(i,minlength=7) | np.bincount(i,weights=v[:5]) | np.histogram(v,4) |
        np.histogram(v,bins=4,range=(0,1),weights=w) | np.histogram2d(v,w,3) | np.interp(x,v,w) | np.interp(v,np.arange(6.),w) |
        np.diff(v) | np.diff(a,axis=0) | np.diff(v,n=2) | np.gradient(v) | np.gradient(a) | np.gradient(a,axis=1) | np.convolve(v,w) |
        np.convolve(v,w,'same') | np.correlate(v,w) | np.unique(i) | np.unique(i,return_counts=True) | np.unique(i,return_inverse=True) |
        np.sort(a) | np.sort(a,axis=0) | v.sort() | np.argsort(v) | v.argsort() | np.argsort(a,axis=0,kind='stable') | np.partition(v,2) |
        np.argpartition(v,2) | v.partition(2) | np.isin(i,[1,2]) | np.lexsort((v,w)) | np.argwhere(m) | np.flatnonzero(m) |
        np.extract(m,a) | np.compress([True,False],a,axis=0) | np.take_along_axis(a,np.argsort(a),1) |
        np.put_along_axis(a,np.argsort(a),0,1) | np.unravel_index(7,(3,4)) | np.ravel_multi_index((1,2),(3,4)) | np.tril_indices(3) |
        np.triu_indices(3,1) | np.diag_indices(3) | np.fill_diagonal(s,0) | np.copyto(a,b) | np.place(a,m,0) | np.putmask(a,m,0) |
        np.union1d(i,i) | np.intersect1d(i,i) | np.setdiff1d(i,i) | np.ediff1d(v) | np.isclose(a,b) | np.allclose(a,b) |
        np.array_equal(a,b) | np.nan_to_num(a) | np.around(a,2) | a.round(1) | np.round(x,1) | np.fix(a) | np.sinc(v) | np.i0(v) |
        np.unwrap(v) | np.trapezoid(v) | np.polyfit(v,w,1) | np.polyval(v,x) | np.cov(a) | np.corrcoef(a) | np.vectorize(abs)(v) |
        np.piecewise(v,[v<.5],[0,1])
    """,
    "linear algebra": """
        s@v[:4] | a@b.T | v@w | np.dot(a,b.T) | np.dot(v,w) | a.dot(v) | np.vdot(v,w) | np.inner(a,b) | np.outer(v,w) |
        np.matmul(t,t.transpose(0,2,1)) | np.tensordot(a,b,axes=([1],[1])) | np.tensordot(a,b,2) | np.einsum('ij,ij->i',a,b) |
        np.einsum('ij,kj',a,b) | np.kron(s,s) | np.cross(v[:3],w[:3]) | np.linalg.inv(s) | np.linalg.solve(s,s[0]) | np.linalg.det(s) |
        np.linalg.eig(s) | np.linalg.eigh(s+s.T) | np.linalg.eigvals(s) | np.linalg.eigvalsh(s) | np.linalg.svd(a) |
        np.linalg.svd(a,full_matrices=False) | np.linalg.qr(a) | np.linalg.cholesky(s@s.T) | np.linalg.lstsq(a,v[:4],rcond=None) |
        np.linalg.pinv(a) | np.linalg.matrix_rank(a) | np.linalg.matrix_power(s,3) | np.linalg.slogdet(s) | np.linalg.cond(s) |
        np.linalg.norm(v,1) | np.linalg.norm(s,'fro') | np.linalg.multi_dot([s,s,s]) | np.linalg.tensorinv(np.eye(4).reshape(2,2,2,2)) |
        np.linalg.vecdot(v,w) | np.linalg.trace(s) | np.linalg.svdvals(a)
    """,
    "transforms": """
        np.fft.fft(v) | np.fft.ifft(v) | np.fft.rfft(v) | np.fft.irfft(v) | np.fft.fft2(a) | np.fft.ifft2(a) | np.fft.fftn(t) |
        np.fft.rfft2(a) | np.fft.fftfreq(6) | np.fft.rfftfreq(6,0.1) | np.fft.fftshift(v) | np.fft.ifftshift(a) | np.fft.fft(a,axis=0) |
        np.fft.fft(v,n=8) | np.fft.hfft(v)
    """,
    "random numbers": """
        np.random.rand(n) | np.random.randn(2,n) | np.random.randint(0,9,n) | np.random.random(n) | np.random.uniform(0,1,n) |
        np.random.normal(size=n) | np.random.choice(v,3) | np.random.permutation(v) | np.random.shuffle(v) | np.random.exponential(1,n) |
        np.random.rand() | np.random.randint(5) | r.random(n) | r.random() | r.uniform(0,1) | r.uniform(size=n) | r.integers(0,9) |
        r.integers(0,9,n) | r.standard_normal() | r.standard_normal((2,n)) | r.normal() | r.normal(0,2,n) | r.exponential() |
        r.choice(v,2) | r.permutation(v) | r.shuffle(v) | r.poisson(3,n) | r.gamma(2,1,n) | r.binomial(5,.5,n) | r.beta(1,2,n) |
        r.multivariate_normal(v[:2],np.eye(2)) | np.random.default_rng(3).random(2) | r.integers(0,9,endpoint=True) | r.random(out=v) |
        r.random(n,dtype=np.float32) | r.permuted(a) | r.bytes(3) | r.dirichlet(v)
    """,
    "dtypes and operators": """
        h+1 | h.sum() | np.exp(h) | g+1 | g*2.5 | g.sum() | l*2 | l.sum() | np.sin(l) | st['x'] | st['x']+1 | st[0] | dt+1 |
        dt[1:]-dt[:-1] | dt.max() | u=='a' | np.char.add(u,'x') | np.sort(u) | o+1 | o.sum() | np.uint8(255)+k | k.astype(np.uint8)*2 |
        k//2 | k%3 | k**2 | k<<1 | k&3 | ~k | k/0.5 | c*c | np.abs(c) | c**2 | c/c | np.exp(c) | np.sqrt(c) | c.conj() | a**2.5 | a**-1 |
        a**k | 2.0**a | np.power(a[:1],2.0) | a[:,:1]**b | np.power(k,2) | a.astype('f4')*x | -m | m.sum() | m*a | m&(a>1) | abs(a) |
        round(x,1) | a//b | a%b | a>b | a==b | not m.any() | a if x>1 else b | a@s[:,:1].ravel() if n>5 else v | sum(v) | max(v) | min(v) |
        list(v) | tuple(v) | c*1j | a*1j | k*2j+1 | a.astype("f4")*(1+2j) | 1j/c | c**2j |
        v[0]*1j
    """,
}

# What the interpreter does: dtypes that are not native, objects that are not made here, code of the user's.
BREAKS = set(
    """
    np.isnat(dt) | np.fromfunction(lambda p,q:p+q,(3,3)) | a.flat[3] | a.flags.c_contiguous | a.base is None | np.vectorize(abs)(v) |
    np.piecewise(v,[v<.5],[0,1]) | r.random(out=v) | h+1 | h.sum() | np.exp(h) | g+1 | g*2.5 | g.sum() | l*2 | l.sum() | np.sin(l) |
    st['x'] | st['x']+1 | st[0] | dt+1 | dt[1:]-dt[:-1] | dt.max() | u=='a' | np.char.add(u,'x') | np.sort(u) | o+1 | o.sum() | -m |
    list(v) | tuple(v)
    """.replace("\n    ", " ").strip().split(" | ")
)


STATEMENTS = (
    "a[...] = b", "a[1:-1] = b[:2]", "a[...] *= 2", "a[1:] += a[:-1]", "a[m] = 0", "a[m] += b[m]", "v[i] += 1", "a[i, 1] = x", "a[:, 0] = v[:4]",
    "a[..., 0] -= 1", "c.imag[...] = 2", "a.T[...] = b.T", "k[...] = a", "k += 1", "k //= 2", "k <<= 1", "a **= 2", "a /= 0.5", "m |= ~m",
    "c *= 1j", "np.exp(a, out=a)", "np.add(a, b, a)", "np.sqrt(a, out=a, where=m)", "np.cumsum(v, out=w)", "a.sum(axis=0, out=v)", "v.fill(3)",
    "np.add.at(v, i, 1)", "for row in a: row += 1", "for row in a: x = x + row.sum()", "for row in t:\n        for y in row: y *= 2",
    "for p, (y, z) in enumerate(zip(a, b)): y[p] = z[0]", "for row in a[:0]: x = 1", "for row in a[::-1]: v = row",
    "for p, y in enumerate(v): w[p] = y", "for p, y in zip(v, w): x += p * y",
)  # fmt: skip


def run(text):
    stats = check_calls(text, [tuple(ARGUMENTS.values())] * 2, configurations=("jit",))
    assert not stats.failures, text
    return bool(stats.breaks or stats.exits)


@pytest.mark.filterwarnings("ignore::FutureWarning")  # of looking at what broadcast_arrays gives
@pytest.mark.parametrize("group", EXPRESSIONS)
def test_expressions(group):
    every = " ".join(EXPRESSIONS[group].split()).split(" | ")
    broken = {e for e in every if run(f"def f({', '.join(ARGUMENTS)}):\n    y = {e}\n    return y\n")}
    assert broken == BREAKS & set(every)


@pytest.mark.parametrize("statement", STATEMENTS)
def test_statement(statement):
    assert not run(f"def f({', '.join(ARGUMENTS)}):\n    {statement}\n    return a, b, v, w, k, c, m, x, t\n")


GIVEN_TWICE = """
    np.pad(a, 1, pad_width=2) | np.roll(a, 1, shift=2) | np.flip(a, 0, axis=0) | np.stack((a, a), 0, axis=0) | np.moveaxis(a, 0, 0, source=0) |
    np.concatenate((a, a), 0, axis=0) | np.array(a, object=a) | np.diff(a, 1, n=1) | np.cross(a, a, b=a) | np.cumsum(a, 0, axis=0) |
    np.cumsum(a, a=a) | np.histogram(a, 3, bins=3) | np.bincount(a[0].astype(int), x=a) | np.full(3, 1.0, shape=3) | np.zeros(3, shape=3) |
    np.sum(a, 0, axis=0) | np.argmax(a, 1, axis=1) | np.copy(a, a=a) | np.linalg.norm(a, None, ord=None) | np.array([1.0], object=[2.0]) |
    np.squeeze(a, a=a) | np.pad(a, 1, 'constant', 0) | np.pad(a, 1, 'edge', constant_values=0)
"""


@pytest.mark.parametrize("form", [form.strip() for form in GIVEN_TWICE.split("|")])
def test_what_is_given_twice_is_refused(form):
    check(f"def f(a):\n    return {form}\n", np.arange(9.0).reshape(3, 3))
