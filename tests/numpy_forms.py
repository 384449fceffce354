"""The forms in which NumPy's functions are usually called: expressions on the arguments of test_numpy_forms, separated by bars."""

FORMS = {
    "reductions": """
        np.sum(a,axis=(0,1)) | np.sum(t,axis=(0,2)) | t.sum(axis=(0,2),keepdims=True) | t.sum((-1,0)) | t.max(axis=(1,2)) |
        t.min((0,1),keepdims=True) | t.mean(axis=(0,1),keepdims=True) | t.prod(axis=(0,2)) | t.std(axis=(0,2)) | t.var((0,1),ddof=1,keepdims=True) |
        np.any(t>1,axis=(0,1)) | np.all(t>0,axis=(1,2),keepdims=True) | np.argmin(a,axis=0) | np.argmax(a,1) | np.argmin(a,axis=1,keepdims=True) |
        a.argmin() | a.argmin(axis=-1) | t.argmax(1) | np.cumsum(a,axis=0) | np.cumsum(a,dtype=np.float32) | a.cumsum() | a.cumsum(1) |
        np.cumprod(a,axis=1) | a.cumprod(0) | np.cumsum(m) | np.cumsum(k,axis=0,dtype='i2') | np.count_nonzero(t>1,axis=(0,2)) |
        np.count_nonzero(a>1,axis=0,keepdims=True) | np.count_nonzero(v) | np.ptp(t,axis=(0,1)) | np.ptp(a,axis=1,keepdims=True) |
        np.sum(a,initial=3) | np.sum(a,axis=0,initial=1.5) | np.prod(a,initial=2) | np.max(a,initial=10) | np.min(a,axis=0,initial=0.) |
        np.sum(a,axis=0,where=m) | np.mean(a,where=m) | np.mean(a,axis=1,where=m) | np.std(a,where=m) | np.max(a,where=m,initial=-1) |
        np.any(a>1,where=m) | np.all(m,where=m) | np.sum(a,dtype=np.float32) | np.sum(a,axis=1,dtype='c16') | np.sum(k,dtype=float) |
        np.mean(a,dtype=np.float32) | np.mean(k) | np.mean(k,axis=0) | k.mean() | m.mean() | m.mean(axis=0) | m.sum(axis=1) | m.sum(dtype='i1') |
        np.sum(k.astype('i1')) | np.sum(k.astype('u1'),axis=0) | np.mean(a.astype('f4')) | np.sum(a.astype('f4'),axis=(0,1)) |
        np.prod(k.astype('i4'),axis=0) | np.median(a,axis=1,keepdims=True) | np.percentile(a,[10,90]) | np.percentile(a,50,axis=0) |
        np.percentile(a,50,axis=0,keepdims=True) | np.quantile(a,.3,method='lower') | np.quantile(a,x/10) | np.nansum(a,axis=0) | np.nanmean(a) |
        np.nanmax(a,axis=1) | np.nanmin(a,axis=0,keepdims=True) | np.nanargmin(a,axis=0) | np.nancumprod(v) | np.nanstd(a,axis=0) |
        np.nanvar(a,ddof=1) | np.nanmedian(a,axis=0) | np.nanpercentile(a,50,axis=1) | np.nanprod(a,axis=1) | np.nanquantile(a,[.1,.2]) |
        np.trace(a,offset=1) | a.trace() | np.trace(t,axis1=0,axis2=2) | np.average(a,axis=0) | np.average(a,axis=1,weights=v) |
        np.average(a,weights=b) | np.average(a,weights=b,returned=True) | np.average(a,axis=0,keepdims=True) | np.linalg.norm(v) |
        np.linalg.norm(a,ord=1) | np.linalg.norm(a,ord=np.inf,axis=1) | np.linalg.norm(a,axis=0,keepdims=True) | np.linalg.norm(t,axis=(0,1)) |
        np.linalg.norm(s,2) | np.linalg.norm(v,np.inf) | np.linalg.norm(c) | np.max(k) | np.min(k,axis=0) | k.max(1) | np.amax(a) | np.amin(a,0) |
        np.sum(c,axis=0) | np.prod(c) | np.mean(c) | np.std(c) | np.var(c,axis=1) | np.min(m) | np.max(m,axis=0) | np.sum([x,2.0]) | np.max([1,n]) |
        np.mean((v,w)) | np.sum(v*w) | np.sum(a*b,axis=1) | (a*b).sum(axis=0) | (a**2).mean() | np.sqrt(np.mean((a-b)**2)) | np.abs(a-b).max() |
        (a>1).sum() | (a>1).any() | (a>1).all(axis=0) | (a-a.mean(axis=0))/a.std(axis=0) | a/a.sum(axis=1,keepdims=True) |
        np.exp(a-a.max(axis=1,keepdims=True)) | a-a.mean(axis=1)[:,None] | a.T.sum(axis=0) | a[::-1].sum() | a[:,::2].sum(axis=1) |
        a[1:-1].mean(axis=0) | t.transpose(2,0,1).sum(axis=1) | a.sum(axis=n-3) | a.sum(axis=None) | a.sum(None,keepdims=True) | v.sum(0) |
        v.sum(keepdims=True) | v.max(axis=-1) | v.mean(0) | v.argmax(0) | a.sum(axis=()) | t.sum(axis=[0,1][0]) | np.cumulative_sum(v) |
        np.cumulative_prod(v,include_initial=True)
    """,
    "ufuncs": """
        np.add(a,b,out=None) | np.add(a,1.5,out=b) | np.multiply(a,b,b) | np.sqrt(a,out=np.empty_like(a)) | np.exp(a,dtype=np.float32) |
        np.add(k,k,dtype=float) | np.add(a,b,out=(a,)) | np.divmod(k,3) | np.divmod(a,b,out=(a,b)) | np.modf(a,out=(a,b)) | np.add(a,b,where=True) |
        np.add(a,b,order='F') | np.add(a,b,subok=False) | np.subtract(a,b,casting='unsafe',dtype='i8') | np.add(k,x,out=k,casting='unsafe') |
        np.add(k,1,out=a) | np.sin(k) | np.sin(m) | np.log(a,where=m,out=np.zeros_like(a)) | np.divide(a,b,where=b!=0,out=np.zeros_like(a)) |
        np.greater(a,b,out=m) | np.isnan(a,out=m) | np.add.reduce(a,axis=None) | np.add.reduce(a,(0,1)) | np.add.reduce(a,axis=1,keepdims=True) |
        np.add.reduce(a,initial=2) | np.add.reduce(a,where=m) | np.add.reduce(a,dtype='f4') | np.add.reduce(v) | np.multiply.reduce(k,axis=1) |
        np.logical_and.reduce(m) | np.logical_or.reduce(m,axis=1) | np.maximum.reduce(a) | np.minimum.reduce(a,axis=-1) |
        np.add.reduce(t,axis=(0,2)) | np.bitwise_or.reduce(k) | np.hypot.reduce(v) | np.add.accumulate(a,axis=1) | np.maximum.accumulate(v) |
        np.minimum.accumulate(a) | np.multiply.accumulate(a,axis=0,dtype='f4') | np.add.outer(v,w) | np.multiply.outer(v,a) | np.add.outer(v,x) |
        np.add.reduceat(a,[0,2],axis=1) | np.add.reduceat(v,i) | np.maximum.reduceat(v,[0,3]) | np.add.at(v,[0,1],2.0) | np.subtract.at(a,(i,1),1) |
        np.maximum.at(v,i,x) | np.multiply.at(k,i,2) | np.negative.at(v,i) | np.add.reduce(a,out=v) | np.add.accumulate(v,out=w) |
        np.add.outer(v,w).sum() | np.sign(a) | np.floor(a) | np.ceil(a) | np.trunc(a) | np.square(a) | np.reciprocal(a) | np.log2(a) | np.log10(a) |
        np.log1p(a) | np.expm1(a) | np.sin(a) | np.cos(a) | np.tan(a) | np.arcsin(a/2) | np.arccos(a/2) | np.arctan(a) | np.sinh(a) | np.cosh(a) |
        np.tanh(a) | np.arcsinh(a) | np.arccosh(a+1) | np.arctanh(a/2) | np.deg2rad(a) | np.rad2deg(a) | np.degrees(a) | np.radians(a) |
        np.signbit(a) | np.isfinite(a) | np.isinf(a) | np.logical_not(a) | np.logical_xor(a,b) | np.logical_and(a,m) | np.fabs(a) | np.positive(a) |
        np.negative(a) | np.invert(k) | np.bitwise_and(k,3) | np.left_shift(k,1) | np.lcm(k,k+1) | np.bitwise_count(k) | np.maximum(a,x) |
        np.fmax(a,b) | np.fmin(a,0) | np.minimum(k,3) | np.logaddexp2(a,b) | np.mod(k,4) | np.pow(a,2) | np.acos(a/2) | np.floor_divide(a,b) |
        np.true_divide(k,2) | np.power(k,3) | np.power(a,k) | np.vecdot(a,b) | np.matvec(a,v) | np.vecmat(v[:4],a) | np.equal(a,b) |
        np.not_equal(k,1) | np.conjugate(c) | np.absolute(c) | np.abs(k) | np.sin(x) | np.exp(n) | np.sqrt(z) | np.maximum(n,x) | np.hypot(3.0,x) |
        np.add(1,2) | np.isnan(x) | np.isnan(z) | np.floor(x) | np.sin(v[0]) | np.exp(c[0,0]) | np.sqrt(-z+2j) | np.sign(n)
    """,
    "complex": """
        c*x | x*c | c+n | c*z | c[0,0]*x | c[0,0]*2.0 | c[0,0]*c[1,1] | c[0,0]+1 | c[0,0]*1j | abs(c[0,0]) | c[0,0].real | c[0,0].conjugate() |
        c[0,0]**2 | c[0,0]/z | z*1j | z+1j | np.complex128(x) | np.complex64(1j) | c.real*x | c.real.sum() | c.imag+1 | c.conj().T | c@c.T |
        np.vdot(c,c) | np.abs(c)**2 | (c*c.conj()).real | c*a | a*c | c-c.mean() | c==c | c!=1j | c.sum().real | c[0].real | np.real(c[0,0]) |
        np.angle(c[0,0]) | np.sqrt(c[0,0]) | np.where(m,c,0) | np.where(m,c,1j) | np.zeros(n,complex) | np.array([1j,x]) | c.astype('c8')*1j |
        np.full(n,1j) | np.polyval([1,2j],x)
    """,
    "creation": """
        np.zeros(n,dtype=int) | np.zeros((n,n),np.float32,'F') | np.zeros(shape=(2,n)) | np.zeros(n,dtype='complex64') | np.ones((2,n),dtype=bool) |
        np.ones([n,2]) | np.ndarray((n,0)) | np.zeros((n,2),order=None) | np.add(a,1,out=np.ndarray(a.shape,order='F')) |
        np.add(v,1,out=np.ndarray(v.size,v.dtype)) | np.zeros(()) | np.zeros(a.shape) | np.zeros(len(v)) | np.zeros(v.size,v.dtype) |
        np.full((n,n),0) | np.empty((n,0)) |
        np.full(n,np.nan) | np.full(n,True) | np.full((2,3),v[0]) | np.full(n,x,np.float32) | np.full(n,v[:1]) | np.full((4,6),v) |
        np.zeros_like(a,dtype=int) | np.zeros_like(a,shape=(2,2)) | np.zeros_like(a,order='F') | np.zeros_like(a.T) | np.ones_like(v) |
        np.empty_like(a,dtype='f4') | np.full_like(a,x,dtype=int) | np.full_like(k,1.5) | np.zeros_like(x) | np.zeros_like(a,subok=False) |
        np.arange(5) | np.arange(n,dtype='i4') | np.arange(1.,n) | np.arange(0,x,.5) | np.arange(10,0,-n) | np.arange(n)*2.0 | np.arange(len(v)) |
        np.arange(0,len(v),2) | np.arange(n+1)[::-1] | np.arange(v.size).reshape(2,3) if v.size==6 else v | np.arange(n,dtype=complex) |
        np.arange(stop=5) | np.arange(0,1,step=.1) | np.linspace(0,x) | np.linspace(0,1,n,endpoint=False) | np.linspace(v[0],v[1],5) |
        np.linspace(v[:2],w[:2],4) | np.linspace(0,10,num=5) | np.linspace(0,1,n+1)[1:] | np.linspace(0,1,len(v)) | np.linspace(x,n,5,axis=-1) |
        np.eye(n,dtype=int) | np.eye(n,2) | np.eye(n,k=-1) | np.identity(n,dtype='f4') | np.array([1,2,3]) | np.array([1.,x,n]) |
        np.array([v[0],v[1]]) | np.array([[v[0],x],[0,1]]) | np.array((v,w)) | np.array([a,b]) | np.array([v,w]).T | np.array([]) |
        np.array([True,False]) | np.array([x,n],dtype=np.float32) | np.array(a,copy=True) | np.array(a,copy=False) | np.array(a,order='F') |
        np.array(a,ndmin=3) | np.array(v,dtype=int) | np.asarray(a) | np.asarray(a,dtype='f4') | np.asarray(a,order='F') | np.asarray([v,w]) |
        np.asarray(x) | np.asarray(n,float) | np.array(range(5)) | np.array(range(n)) | np.array([p for p in range(5)]) | np.array([p*x for p in
        range(n)]) | np.array([[p+q for p in range(3)] for q in range(4)]) | np.array([v[p]*2 for p in range(n)]) | np.array([np.sin(p) for p in v])
        | np.array([a[p] for p in range(3)]) | np.array(tuple(a.shape)) | np.array(a.shape) | np.ascontiguousarray(a) | np.asfortranarray(a.T) |
        np.copy(a,order='C') | np.copy(a.T) | a.copy('K') | a.copy(order='F') | a.T.copy() | a[::2].copy() | a[:,1].copy() | v[::-1].copy() |
        k.copy() | m.copy() | c.copy() | t.copy() | np.meshgrid(v,w,sparse=True) | np.meshgrid(v,w,v[:3],indexing='ij') |
        np.meshgrid(np.arange(n),np.arange(4)) | np.indices((2,n)) | np.indices((2,3),sparse=True) | np.tri(n,4,-1) | np.tril(a,-1) | np.triu(a) |
        np.tril(t) | np.diag(v,1) | np.diag(s,-1) | np.diagonal(s) | s.diagonal() | np.diagonal(t,axis1=1,axis2=2) | np.diag(np.ones(n)) |
        np.diag([1,2,3]) | np.vander(v) | np.ones(n)*x | np.zeros(n)+v[:n] | np.logspace(0,n,4,base=2) | np.require(a,dtype='f4') | np.fromstring('1
        2',sep=' ') | np.frombuffer(b'12345678',dtype='u1') | np.asarray_chkfinite(a) | np.mgrid[0:1:5j] | np.mgrid[:n] | np.mgrid[0:n,0:n] |
        np.ogrid[:n,:4] | np.r_[1:4,0,x] | np.c_[v] | np.r_['0,2',v,w] | np.hanning(n) | np.hamming(5) | np.blackman(5) | np.bartlett(5) |
        np.kaiser(5,14)
    """,
    "views": """
        a[::2,::3] | a[1:3,2:] | a[-1] | a[-1,-2] | a[:,-1] | a[:,::-1] | a[::-1,::-1] | a[...,-1] | a[0,...] | a[:,None,:] |
        a[np.newaxis,...,np.newaxis] | a[:n] | a[n:] | a[:-n] | a[-n:] | a[n:-n] | v[n] | v[-n] | v[:len(v)//2] | v[i[0]:] | v[:i[0]] | v[:-i[0]] |
        v[np.int64(2):] | v[:-np.int32(2)] | v[::np.int64(2)] | v[::n] | v[::-n] | v[n::-1] | v[0:i.size:1] | a[i[0]] | a[i[0],i[1]] |
        a[i[0]:i[0]+2] | a[slice(1,3)] | a[(1,2)] | a[slice(None),1] | a[()] | a[...] | a[True] | a[None,None] | t[1,:,2] | t[:,1,None] | t[...,1,:]
        | v[True] | v[[]] | a[1:1] | a[5:2] | a.reshape(2,-1) | a.reshape((6,4)) | a.reshape(-1,2) | a.reshape(a.size) | a.reshape(a.shape[0],-1) |
        a.reshape(a.shape[0]*a.shape[1]) | a.reshape(2,2,-1) | a.reshape(1,-1) | a.reshape(a.shape[::-1]) | a.T.reshape(4,6) | a.T.reshape(a.shape)
        | a[:,::2].reshape(-1) | a[::2].reshape(-1) | a[:,1:5].reshape(-1,2) | v[::-1].reshape(2,-1) | t.reshape(t.shape[0],-1) |
        t.transpose(0,2,1).reshape(2,-1) | np.reshape(a,-1) | np.reshape(a,(-1,),order='F') | a.reshape(*a.shape) | a.reshape(*a.shape,1) |
        a.reshape(-1,1) | v.reshape(-1,1) | v.reshape(1,-1) | v.reshape(len(v),1) | v[:,None] | a.ravel('F') | a.T.ravel('F') | a.ravel(order='K') |
        a.flatten('F') | a.T.flatten() | np.ravel(a) | np.ravel(a.T) | a.T | a.T.T | t.T | t.transpose(2,0,1) | t.transpose((1,2,0)) |
        t.transpose(-1,0,1) | np.transpose(a) | np.transpose(a,axes=(1,0)) | np.permute_dims(t,(2,1,0)) | np.matrix_transpose(t) | t.swapaxes(1,2) |
        np.swapaxes(a,0,-1) | np.moveaxis(t,-1,0) | np.moveaxis(t,[0,1],[1,2]) | np.squeeze(a) | a[:,:1].squeeze() | a[:,None].squeeze(axis=1) |
        np.squeeze(a[None,None],axis=(0,1)) | np.expand_dims(a,-1) | np.expand_dims(a,axis=(0,1)) | np.broadcast_to(x,(3,3)) |
        np.broadcast_to(v,a.shape) | np.broadcast_to(a[:,:1],a.shape) | np.roll(a,1) | np.roll(a,-1,0) | np.roll(a,n,axis=1) | np.roll(v,-n) |
        np.roll(t,1,axis=-1) | np.roll(a.T,1,0) | np.roll(a[::-1],1,0) | np.roll(a,shift=1,axis=(0,1)) | np.roll(k,2,axis=0) | np.roll(a,i[0]) |
        np.flip(v) | np.flip(a,axis=(0,1)) | np.flip(t,-1) | np.rot90(a,2) | np.rot90(a,k=-1) | np.concatenate([a,b]) | np.concatenate([a.T,b.T]) |
        np.concatenate((a.T,b.T),axis=1) | np.concatenate([a.T,b.T],axis=0).sum() | np.concatenate([v,[x]]) | np.concatenate(([0],v)) |
        np.concatenate([v[:2],w[3:]]) | np.concatenate([v,w],dtype='f4') | np.concatenate((a,b),axis=None) | np.concatenate([v,i]) |
        np.concatenate([a,v[None]]) | np.concatenate((v,w),out=np.empty(2*len(v))) | np.concatenate([t,t],axis=2) | np.concatenate([a[:,::-1],b]) |
        np.stack([a,b]) | np.stack([a.T,b.T]) | np.stack((a,b),axis=-1) | np.stack([v,w,v]) | np.stack([v,w],1) | np.stack([x,n]) | np.hstack((a,b))
        | np.hstack([x,v]) | np.vstack([v,w,v]) | np.vstack([a,b]) | np.vstack([a.T,b.T]) | np.dstack((a,b)) | np.column_stack([v,w,v]) |
        np.column_stack((a,b)) | np.block([[a],[b]]) | np.append(a,b,axis=0) | np.append(v,x) | np.append(a,1) | np.split(a,2) | np.split(v,[2]) |
        np.split(a,2,axis=1)[0] | np.array_split(a,3,axis=1) | np.dsplit(t,2) | np.unstack(a) | np.tile(v,(2,2)) | np.tile(a,2) | np.tile(a,n) |
        np.tile(x,3) | np.repeat(a,2) | np.repeat(v,n) | np.repeat(a,n,axis=0) | v.repeat(2) | a.repeat(2,axis=1) | np.repeat(x,4) |
        np.repeat(v,i[:1]) | np.pad(v,2) | np.pad(v,(1,0)) | np.pad(a,((1,1),(0,2))) | np.pad(a,1,mode='reflect') | np.pad(a,1,mode='wrap') |
        np.pad(a,1,constant_values=3) | np.pad(a,((1,1),(1,1)),mode='constant',constant_values=x) | np.pad(v,n,mode='symmetric') |
        np.pad(a,n,'linear_ramp') | np.pad(v,1,'mean') | np.atleast_1d(v) | np.atleast_2d(a) | np.atleast_3d(a) | np.atleast_1d(x,v) | a.real.sum()
        | c.real.copy() | a.strides[0] | a.shape[0]*2 | a.shape==b.shape | a.size//2 | a.ndim==2 | a.nbytes | a.dtype.itemsize | a.dtype.name |
        np.result_type(a,k) | np.promote_types('f4','i4') | np.can_cast('i4','f4') | np.shares_memory(a,b) | np.may_share_memory(a,a) |
        np.iscomplexobj(a) | np.isrealobj(a) | np.isscalar(x) | np.broadcast_shapes((2,1),(3,)) | a.T.shape | a.view('i8') | a.view(np.uint8) |
        a.T.copy().view() | v.view(dtype='u8') | np.lib.stride_tricks.sliding_window_view(v,2) | np.lib.stride_tricks.as_strided(v,(2,2),(8,8))
    """,
    "indexing": """
        a[i,i] | a[i[:,None],i] | a[np.arange(4),np.arange(4)] | a[:,[0,2]] | a[[0,2],:] | a[[True,False,True,False]] if n==3 else 1 | a[m].sum() |
        a[~m] | a[a>1] | a[(a>1)&m] | t[t>1] | t[:,i[:1]] | t[i[0]%2,:,[0,1]] | a[k>3] | v[np.argsort(w)] | v[np.nonzero(w)[0]] | a[:,v>.5] |
        a[np.argmax(a[:,0])] | v[v.argsort()[::-1]] | v[[-1,0]] | v[np.array([0,1])] | v[i.astype('u1')] | a[i%4,n] | a[...,i] | a[None,i] |
        np.take(a,[0,1]) | np.take(a,1,axis=0) | np.take(v,i,mode='clip') | a.take([0,1],axis=1) | np.put(a,[0,1],[x,2]) |
        np.put(v,[0],x,mode='wrap') | a.put([0],1) | np.where(a>1,a,b) | np.where(a>1,1,0) | np.where(a>1,x,a) | np.where(v>.5) | np.where(v>.5)[0]
        | np.where(m,a,v) | np.where(x>2,a,b) | np.where(v>w,v,w).sum() | np.where(k>3,k,0) | np.where(k>3,k,0.5) | np.where(m,1.0,0.0) |
        np.where(a,1,0) | np.where(True,a,b) | np.where(m[:,:1],a,b) | np.where(m,k,a) | np.where(m.T,a.T,b.T) | np.nonzero(a>1) | np.nonzero(v) |
        (a>1).nonzero() | np.argwhere(a>1) | np.flatnonzero(v>.5) | np.choose(i%2,[v[:5],w[:5]]) | np.choose([0,1],[v[:2],w[:2]]) |
        np.choose(k%2,(a,b),mode='wrap') | np.select([v<.3,v<.6],[v,w],default=0) | np.select([a>1],[a],x) | np.clip(a,None,1) | np.clip(a,1,None) |
        np.clip(v,x-2,x) | np.clip(a,b,2) | np.clip(k,1,5) | np.clip(k,x,5) | a.clip(0,1) | a.clip(max=1) | np.clip(a,0,1,out=a) | np.clip(x,0,1) |
        np.clip(v[0],0,1) | np.clip(a,a_min=0,a_max=1) | np.clip(a.astype('f4'),0,1) | np.clip(c.real,0,1) | np.searchsorted(v,x) |
        np.searchsorted([1,2,3],v) | np.searchsorted(np.sort(v),w,side='right') | np.sort(v).searchsorted(.5) |
        np.searchsorted(v,w,sorter=np.argsort(v)) | np.digitize(v,[.2,.5]) | np.digitize(v,np.array([.5,.2]),right=True) | np.bincount(k.ravel()) |
        np.bincount(k.ravel(),minlength=12) | np.bincount(k.ravel(),weights=a.ravel()) | np.bincount(i,w[:5],8) | np.histogram(v) |
        np.histogram(a,bins=5) | np.histogram(v,bins=[0,.5,1]) | np.histogram(v,range=(0,1)) | np.histogram(v,5,density=True) | np.histogram(v,5)[0]
        | np.histogramdd(a[:,:2],2) | np.histogram_bin_edges(v) | np.interp(x,[0,5],[1,2]) | np.interp(v,w,w) |
        np.interp(v,np.arange(6.)[:len(v)],v,left=0,right=1) if len(v)==6 else 1 | np.diff(v,prepend=0) | np.diff(a,n=2,axis=0) | np.diff(a) |
        np.diff(v,append=v[:1]) | np.diff(m.astype(int)) | np.diff(i) | np.gradient(v,.5) | np.gradient(v,w) | np.gradient(a,1,2) |
        np.gradient(a,edge_order=2) | np.gradient(a)[0] | np.gradient(a,axis=(0,1)) | np.convolve(v,[1,2]) | np.convolve(v,w,mode='valid') |
        np.correlate(v,w,'full') | np.unique(v) | np.unique(a,axis=0) | np.unique(i,return_index=True) | np.unique(k) |
        np.unique(i,return_index=True,return_inverse=True,return_counts=True) | np.unique_values(v) | np.unique_counts(i) | np.unique_inverse(i) |
        np.sort(v) | np.sort(a,axis=None) | np.sort(a,kind='stable') | np.sort(k,axis=0) | np.sort(c) | np.sort(v)[::-1] | a.sort(axis=0) |
        a.argsort(axis=0) | np.argsort(-v) | np.argsort(v,kind='mergesort') | np.argsort(a,axis=None) | np.argsort(v)[:n] | np.partition(a,1,axis=0)
        | np.partition(v,[1,2]) | np.argpartition(v,n) | a.partition(1,axis=1) | np.isin(v,w) | np.isin(i,i,invert=True) |
        np.isin(i,[1,2],assume_unique=True) | np.ediff1d(v,to_begin=0) | np.lexsort((w,v)) | np.sort_complex(v) | np.triu_indices_from(s) |
        np.tril_indices(n) | np.diag_indices_from(s) | np.unravel_index(i,(2,3)) | np.ravel_multi_index((i,i),(5,6)) |
        np.unravel_index(np.argmax(a),a.shape) | np.ix_([0,1],[1,2]) | np.ix_(i,i) | np.cov(a,rowvar=False) | np.cov(v,w) | np.cov(a,ddof=0) |
        np.corrcoef(v,w) | np.polyfit(v,w,2) | np.polyder([1,2,3]) | np.polyint([1,2]) | np.roots([1,-3,2]) | np.poly([1,2]) |
        np.polymul([1,2],[1,3]) | np.trapezoid(v,dx=.1) | np.trapezoid(v,w) | np.trapezoid(a,axis=0) | np.isclose(v,w,rtol=.1) | np.allclose(v,v) |
        np.array_equal(v,v) | np.array_equiv(v,v) | np.round(a,2) | np.round(a) | a.round() | np.round(x) | np.around(v,decimals=1) |
        np.nan_to_num(v,nan=1.) | np.sinc(x) | np.unwrap(v,axis=0) | np.ceil(x) | np.floor(v[0]) | np.rint(x) | np.fix(x) | np.trunc(z) |
        np.sign(v[0]) | np.packbits(m) | np.unpackbits(k.astype('u1')) | np.binary_repr(n) | np.base_repr(n) | np.delete(a,1,axis=0) |
        np.delete(v,[0,1]) | np.delete(v,slice(0,2)) | np.insert(v,[1,2],[x,3]) | np.insert(a,1,0,axis=1) | np.resize(v,4) | np.trim_zeros(v,'f') |
        np.extract(v>.5,v) | np.compress(v>.5,v) | v.compress(v>.5) | np.take_along_axis(v,np.argsort(v),0) | np.argmax(v>.5) |
        np.maximum.reduce([v,w]) | np.broadcast_arrays(v,a)[1] | np.einsum('i->',v) | v.item(0) | a.item(0,1) | a.item((0,1)) | a.tolist()[0] |
        float(v[0]) | int(i[0]) | bool(m[0,0]) | float(v.sum()) | int(v.argmax()) | float(a.mean()) | round(float(v[0]),2) | len(a[m]) | a.any() and
        x | v.max()-v.min() | v.dot(w) | a.dot(b.T)
    """,
    "linalg": """
        a@v | v[:4]@a | t@t.transpose(0,2,1) | t@v[:4] if t.shape[2]==4 else 1 | np.matmul(a,b.T) | np.matmul(a,b.T,out=np.empty((len(a),len(a)))) |
        np.dot(a,b.T,out=np.empty((len(a),len(a)))) | np.dot(x,a) | np.dot(v,a.T) | np.dot(a,v) | v@v | v@w[::-1] | a.T@a | a@a.T | a[::2]@b.T |
        np.vdot(a,b) | np.inner(v,w) | np.inner(v,a) | np.outer(v,w) | np.outer(v,v) | np.outer(a,b) | np.outer(v,w).sum() |
        np.outer(v,w,out=np.empty((len(v),len(w)))) | np.outer(c[0],c[1]) | np.outer(i,v) | np.outer([1,2],v) | np.outer(x,v) |
        np.tensordot(a,b.T,axes=1) | np.tensordot(t,t,axes=([0,1],[0,1])) | np.tensordot(a,b,axes=(0,0)) | np.einsum('ij,jk->ik',a,b.T) |
        np.einsum('ij->j',a) | np.einsum('ii',s) | np.einsum('i,i->',v,w) | np.einsum('i,j->ij',v,w) | np.einsum('ijk,ijk->i',t,t) |
        np.einsum('ij,jk',a,b.T,optimize=True) | np.einsum('...j->...',a) | np.einsum(a,[0,1],[1]) | np.einsum('ij,ij->i',a,b,out=np.empty(len(a)))
        | np.kron(v,w) | np.kron(np.eye(2),s) | np.cross(a[:,:3],b[:,:3]) | np.cross(v[:3],w[:3]) | np.linalg.inv(s+np.eye(len(s))) |
        np.linalg.solve(s,a) | np.linalg.solve(s,v[:4]) if len(s)==4 else 1 | np.linalg.det(s) | np.linalg.eigh(s) | np.linalg.eigh(s).eigenvalues |
        np.linalg.eigh(s)[1] | np.linalg.svd(a,compute_uv=False) | np.linalg.svd(a)[1] | np.linalg.svd(a,full_matrices=False).S |
        np.linalg.qr(a,mode='r') | np.linalg.qr(a)[0] | np.linalg.qr(a).R | np.linalg.cholesky(s) | np.linalg.pinv(a,rcond=.1) |
        np.linalg.matrix_rank(s) | np.linalg.matrix_power(s,n) | np.linalg.matrix_power(s,-1) | np.linalg.slogdet(s) | np.linalg.slogdet(s)[1] |
        np.linalg.cond(s,1) | np.linalg.tensorsolve(np.eye(4).reshape(2,2,2,2),np.ones((2,2))) | np.linalg.cross(v[:3],w[:3]) | np.linalg.outer(v,w)
        | np.linalg.diagonal(s) | np.linalg.matrix_norm(s) | np.linalg.vector_norm(v) | np.linalg.matmul(a,b.T) | np.linalg.tensordot(a,b.T,axes=1)
        | np.linalg.matrix_transpose(a) | np.fft.fft(c) | np.fft.fft(v,norm='ortho') | np.fft.ifft(np.fft.fft(v)) | np.fft.ifft(np.fft.fft(v)).real
        | np.fft.irfft(np.fft.rfft(v),len(v)) | np.fft.rfft(v,n=8) | np.fft.rfft(a,axis=0) | np.fft.fft2(a,s=(4,4)) | np.fft.irfft2(np.fft.rfft2(a))
        | np.fft.fftn(t,axes=(0,1)) | np.fft.ifftn(t) | np.fft.rfftn(t) | np.fft.irfftn(np.fft.rfftn(t)) | np.fft.ihfft(v) | np.fft.fftfreq(n) |
        np.fft.fftfreq(len(v),d=.1) | np.fft.fftshift(a,axes=0) | np.abs(np.fft.fft(v))**2 | np.fft.fft(v)*np.fft.fft(w)
    """,
    "random": """
        np.random.rand(2,n) | np.random.randn() | np.random.randn(n) | np.random.randint(n) | np.random.randint(0,9,size=(2,n)) |
        np.random.randint(5,dtype='i4') | np.random.random() | np.random.random((2,2)) | np.random.random_sample(n) | np.random.uniform() |
        np.random.uniform(-1,1) | np.random.uniform(-1,1,(n,2)) | np.random.uniform(v,w) | np.random.uniform(size=n) | np.random.normal() |
        np.random.normal(x,2) | np.random.normal(0,1,n) | np.random.normal(v) | np.random.normal(loc=x,scale=1,size=(2,2)) |
        np.random.standard_normal() | np.random.standard_normal(n) | np.random.standard_normal(size=(2,n)) | np.random.exponential() |
        np.random.exponential(x) | np.random.exponential(1,n) | np.random.choice(5) | np.random.choice(v) | np.random.choice(5,n,replace=False) |
        np.random.choice([1,2,3],p=[.1,.2,.7]) | np.random.choice(v,size=(2,2)) | np.random.permutation(5) | np.random.permutation(a) |
        np.random.shuffle(a) | np.random.poisson(x) | np.random.poisson(3,n) | np.random.binomial(5,.5) | np.random.gamma(2) | np.random.beta(1,2,n)
        | np.random.seed(3) | np.random.default_rng(3).normal() | np.random.multinomial(3,[.5,.5]) | np.random.bytes(3) | np.random.lognormal() |
        np.random.laplace(size=n) | np.random.geometric(.5) | np.random.standard_exponential() | np.random.triangular(0,1,2) |
        np.random.multivariate_normal(v[:2],np.eye(2)) | np.random.dirichlet(v) | np.random.weibull(1,n) | np.random.chisquare(2) |
        np.random.standard_t(3) | np.random.hypergeometric(5,5,3) | np.random.default_rng(3) | np.random.rand(*a.shape) | np.random.random(a.shape)
        | np.random.random(size=a.shape) | r.random() | r.random(3) | r.random((2,n)) | r.random(size=n) | r.random(dtype='f4') |
        r.random(n,np.float32) | r.uniform() | r.uniform(-1,1) | r.uniform(x,n) | r.uniform(-1,1,n) | r.uniform(low=0,high=1,size=(2,n)) |
        r.integers(5) | r.integers(0,n) | r.integers(10,size=n) | r.integers(0,2,(2,2),dtype='i1') | r.integers(low=0,high=5) |
        r.integers(0,5,endpoint=True) | r.integers(2**40) | r.integers(v.size) | r.integers([1,2],[5,9]) | r.standard_normal(n) |
        r.standard_normal(dtype='f4') | r.normal(x) | r.normal(0,1,n) | r.normal(loc=0,scale=x) | r.normal(size=(n,2)) | r.normal(v,1) |
        r.exponential(x) | r.exponential(1,n) | r.exponential(size=n) | r.standard_exponential() | r.standard_exponential(n,method='inv') |
        r.choice(5) | r.choice(v) | r.choice(a,axis=1) | r.choice(5,n,replace=False) | r.choice(v,p=v/v.sum()) | r.permutation(5) |
        r.permutation(a,axis=1) | r.shuffle(a,axis=1) | r.permuted(a,axis=0) | r.poisson() | r.poisson(x) | r.binomial(n,.5) | r.gamma(2) |
        r.gamma(v) | r.beta(1,2) | r.laplace() | r.lognormal(0,1,n) | r.multinomial(5,[.5,.5]) | r.geometric(.3) | r.standard_gamma(2,n) |
        r.weibull(1) | r.chisquare(3) | r.triangular(0,1,2) | r.zipf(2) | r.vonmises(0,1) | r.rayleigh() | r.standard_t(3) | r.f(2,3) | r.logistic()
        | r.gumbel() | r.pareto(2) | r.power(2) | r.wald(1,2) | r.hypergeometric(5,5,3) | r.logseries(.5) | r.negative_binomial(3,.5) |
        r.noncentral_chisquare(2,1) | r.standard_cauchy() | r.multivariate_hypergeometric([3,4],2)
    """,
    "operators": """
        a+n | a-n | n-a | a*2 | 2/a | a//2 | a%2 | a**n | n**a | a**x | a**2 | a**3 | a**0.5 | a**-1.0 | a**v | -a | +a | abs(k) | ~m | k>>1 | k^k |
        k|1 | a<b | a<=x | n<a | a!=b | (a<b)|(a>2) | (a<b)^m | a+v | a+v[:4,None] if len(a)==4 else 1 | a+a[:,:1] | a+a[:1] | a+a.T if
        a.shape[0]==a.shape[1] else 1 | s+s.T | v[:,None]*w | v[:,None]-v[None,:] | a+m | a+k | k*x | k*n | k+k.astype('i4') | k+k.astype('u1') |
        k.astype('u1')+1 | k.astype('i1')*n | k.astype('f4')*x | a.astype('f4')*b | a.astype('f4')*b.astype('f4') | a.astype('f4')*z |
        a.astype('f4')+np.float32(x) | a*np.float32(2) | k/k.max() | k.astype('i4')/2 | k.astype('u8')+k | k.astype('u8')+1 | a.astype('f2') |
        a.astype(int) | a.astype('i4') | a.astype('u1') | a.astype(bool) | a.astype(complex) | k.astype(float) | k.astype('f4') | m.astype(int) |
        m.astype(float) | a.astype(a.dtype) | a.astype(float,copy=False) | a.astype('f8',order='F') | v.astype(np.int32,casting='unsafe') |
        k.astype('i1') | a.astype(np.float32).astype(np.float64) | v[0]+v[1] | v[0]*x | v[0]**2 | v[0]/n | n/v[1] | v[0]//1 | v[0]%1 | -v[0] |
        abs(v[0]) | v[0]<v[1] | v[0]==x | i[0]+1 | i[0]*i[1] | i[0]/2 | i[0]//2 | i[0]**2 | i[0]%2 | i[0]<<1 | i[0]&1 | -i[0] | i[0]+x |
        m[0,0]&m[0,1] | m[0,0] and x | not m[0,0] | z+x | z*n | z**2 | z**x | np.float32(x)*2 | np.float32(x)*z | np.int32(n)+1 | np.int32(n)*x |
        np.uint8(n)+np.uint8(1) | np.int64(n) | np.float64(x) | np.bool_(n) | np.float64(n)/3 | np.int64(x) | int(z) | float(z) | divmod(n,2) |
        divmod(x,2) | divmod(z,2) | divmod(i[0],2) | pow(x,2) | pow(n,2) | min(x,z) | max(v[0],v[1]) | min(n,3) | sum([x,n]) | sum(v) | min(v) |
        max(a[0]) | sum(a) | sum(a[0]*a[1]) | abs(x-n) | round(z,1) | round(v[0]) | round(v[0],2) | int(v[0]*10) | float(i[0]) | bool(i[0]) |
        len(v)*x | a.shape[0]*x | x if m[0,0] else n | v[0] if v[0]>v[1] else v[1] | 0<v[0]<1 | x is None | a is not None | isinstance(a,np.ndarray)
        | isinstance(x,float) | isinstance(v[0],float) | type(a) is np.ndarray | [p*2 for p in v] | [p for p in range(n)] | (v,w) | {'a':v} | [v,w]
        | dict(a=v) | a if n else b | np.add | np.pi*v | np.e | np.inf+x | np.nan
    """,
}
