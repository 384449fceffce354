"""Fuses `ew` operations into `kernel` operations.

The kernel operation, as the driver's code generator sees it:

    r0, r1, ... = kernel a0, a1, ..., d0, d1, ...   {kernel, ndim_out, collapsed, order, flags}   exit redo

- results: one new array per entry of ``kernel.outputs``, in that order, all of the shape (d0, d1, ...), all in memory order ``order``
  ("C" or "F"); allocate them (pj_empty with the dims d, order), fill them by the kernel.
- args: first one value per ``kernel.operands`` entry (an array where the entry has strides, a NumPy scalar, perhaps a Const, where it
  has None), then the ``ndim_out`` dims of the result. So ``args[:-ndim_out]`` are operands, except when ndim_out is 0: use
  ``len(kernel.operands)``.
- axes: kernel axis k is result axis k; with order "F" it is result axis ndim_out-1-k (so the kernel's loops always run over
  contiguous outputs). With ``collapsed`` the kernel has one axis, whose length is the product of all dims (1 when there are none).
- words of p: `Kernel.words()`. A ("stride", operand, axis) word is the operand array's own byte stride for that kernel axis: with n = the
  operand's ndim, array axis = (result axis) - ndim_out + n, always >= 0 (a missing leading axis is the constant 0, as a stretched one is).
- call: ``k(0, p[0], p)``; any partition of 0..p[0] may run concurrently. Nothing is called when the product of the dims is 0.
- flags: whether floating-point flags can be raised: clear before, test after (divide, overflow, underflow, invalid); if any is set release the new
  arrays and take the exit. False: the exit is taken only when memory runs out.
- effect: None as for `ew`: it reads its operands' memory and makes new objects.

An `ew` that the pass leaves (its loop is not among the ``fusible`` ones, or its result is neither C- nor F-ordered) stays an `ew`, to be done
by NumPy's own loop.

Transaction: the kernel stands where the last `ew` of the group stood. No operation in between has an effect beyond "read", so every exit between the first and
the last, and the kernel's own, resumes at the first one's instruction: the interpreter does it all again. That is what keeps
temporaries from becoming arrays.
"""
