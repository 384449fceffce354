"""Hand-made native functions for the tests of pijit._native: LLVM IR, compiled by LLVM's MCJIT."""

import ctypes
import dis
import types

import llvmlite.binding as llvm

from pijit import _native
from pijit.codegen import llvm_ir as ir

I64 = ir.IntType(64)
PTR = ir.PointerType()
F64 = ir.DoubleType()
_keep = []


def _engine():
    try:
        llvm.initialize()
    except RuntimeError:
        pass  # newer llvmlite does it on import
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


_engine()


class Code:
    """Writes one native function `int64_t f(int64_t *W)`."""

    def __init__(self):
        self.module = ir.Module()
        self.function = ir.Function(self.module, ir.FunctionType(I64, [PTR]), "fragment")
        self.W = self.function.args[0]
        self.b = ir.IRBuilder(self.function.append_basic_block())

    def const(self, value):
        return ir.Constant(I64, value)

    def _at(self, word):
        word = self.const(word) if isinstance(word, int) else word
        return self.b.gep(self.W, [word], source_etype=I64)

    def word(self, word):
        return self.b.load(self._at(word), typ=I64)

    def store(self, value, word):
        value = self.const(value) if isinstance(value, int) else value
        self.b.store(value, self._at(word))

    def double(self, word):
        return self.b.bitcast(self.word(word), F64)

    def store_double(self, value, word):
        self.store(self.b.bitcast(value, I64), word)

    def block(self, name=""):
        return self.function.append_basic_block(name)

    def call(self, name, *args):
        """Calls a helper of _native.symbols(); arguments and result are int64."""
        args = [self.W if a is self.W else self.const(a) if isinstance(a, int) else a for a in args]
        kind = ir.FunctionType(I64, [a.type for a in args])
        address = self.b.inttoptr(self.const(_native.symbols()[name]), PTR)
        return self.b.call(types.SimpleNamespace(function_type=kind, ref=address.ref), args)

    def poll(self):
        """i1: the poll byte is set."""
        byte = self.b.inttoptr(self.word(0), PTR)
        value = self.b.load(byte, typ=ir.IntType(8))
        return self.b.icmp_unsigned("!=", value, ir.Constant(ir.IntType(8), 0))

    def exit(self, number):
        self.b.ret(self.const(number) if isinstance(number, int) else number)

    def address(self):
        # volatile, so that a loop looks every time
        module = llvm.parse_assembly(str(self.module).replace("load i8, ptr", "load volatile i8, ptr"))
        module.verify()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        _keep.append(engine)
        return engine.get_function_address("fragment")


def native(write):
    code = Code()
    write(code)
    return code.address()


def always(number):
    """Native code that takes exit `number` at once."""
    return native(lambda c: c.exit(number))


def fragment(address, guards=(), exits=(), sites=(), nwords=16, roots_start=2, nroots=0, data=None):
    return _native.Fragment(address, nwords, roots_start, nroots, list(guards), ["?"] * len(list(guards)), list(exits),
                            list(sites), None, data)


def instructions(code):
    """[(pc, name, argval, line)] without caches."""
    out, line = [], None
    for i in dis.get_instructions(code):
        pos = i.positions.lineno
        line = pos if pos is not None else line
        out.append((i.offset // 2, i.opname, i.argval, line))
    return out


def pcs(code, *names, argval=None):
    return [pc for pc, name, arg, _ in instructions(code)
            if name in names and (argval is None or arg == argval)]


def start_pc(code):
    """The first instruction after the prologue."""
    resume = pcs(code, "RESUME")[0]
    return next(pc for pc, *_ in instructions(code) if pc > resume)


def next_pc(code, pc):
    return next(p for p, *_ in instructions(code) if p > pc)


def slot(code, name):
    names = list(code.co_varnames) + [n for n in code.co_cellvars if n not in code.co_varnames] + list(code.co_freevars)
    return names.index(name)


def jumps_back(code):
    """[(pc, target)] of the backward jumps, conditional ones included."""
    out = []
    for i in dis.get_instructions(code):
        if "JUMP_BACKWARD" in i.opname:
            out.append((i.offset // 2, i.argval // 2))
    return out


def address_of(obj):
    return id(obj)


_ = ctypes
