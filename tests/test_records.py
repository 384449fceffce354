"""ground.records makes classes that do as those of `dataclasses`, except where it says otherwise."""

import copy
import dataclasses
import pickle
import weakref

import pytest

from pijit.ground import records

OPTIONS = [
    {},
    {"slots": True},
    {"slots": True, "eq": False},
    {"slots": True, "frozen": True},
    {"slots": True, "frozen": True, "eq": False},
    {"slots": True, "frozen": True, "repr": False},
    {"slots": True, "weakref_slot": True},
    {"frozen": True},
]


def classes(made_by, **options):
    """A class of some fields and one that has more."""

    @made_by.dataclass(**options)
    class Base:
        """Some fields."""

        x: int
        y: tuple = ()

        def total(self):
            return self.x + len(self.y)

    @made_by.dataclass(**options)
    class More(Base):
        y: tuple = (1, 2)
        names: list = made_by.field(default_factory=list)
        seen: object = made_by.field(default=None, compare=False)

    return Base, More


def both(options):
    return zip(classes(records, **options), classes(dataclasses, **options), strict=True)


def said(function, *given):
    """What a call gives, or the kind of exception that it raises."""
    try:
        return function(*given)
    except Exception as error:
        return type(error)


def same_text(ours, theirs):
    assert repr(ours).split(" object at")[0] == repr(theirs).split(" object at")[0]


GIVEN = [(), (1,), (1, (2,)), (1, (), ["a"]), (1, (), [], 7), (1, (), [], 7, 8)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_objects_are_alike(options):
    for ours, theirs in both(options):
        assert ours.__match_args__ == theirs.__match_args__
        assert (ours.__name__, ours.__qualname__) == (theirs.__name__, theirs.__qualname__)
        for given in GIVEN:
            mine, other = said(ours, *given), said(theirs, *given)
            if isinstance(other, type):
                assert mine is other
                continue
            same_text(mine, other)
            assert mine.total() == other.total()
            assert hasattr(mine, "__dict__") == hasattr(other, "__dict__")
            assert (said(hash, mine) is TypeError) == (said(hash, other) is TypeError)
            same_text(records.replace(mine, y="abc"), dataclasses.replace(other, y="abc"))
            same_text(copy.copy(mine), copy.copy(other))
            assert records.asdict(mine) == dataclasses.asdict(other)
            assert [row.name for row in records.fields(mine)] == [row.name for row in dataclasses.fields(other)]
            assert isinstance(said(weakref.ref, mine), type) == isinstance(said(weakref.ref, other), type)
            for again in GIVEN:
                same, alike = said(ours, *again), said(theirs, *again)
                assert (mine == same) == (other == alike), (given, again)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_is_compared(options):
    for made_by in (records, dataclasses):
        _, more = classes(made_by, **options)
        assert (more(1, seen=2) == more(1, seen=3)) == options.get("eq", True)
        assert more(1) != 1
        assert more(1) != classes(made_by, **options)[1](1)  # of another class
    if options.get("eq", True) and options.get("frozen"):
        base, _ = classes(records, **options)
        assert hash(base(1, (2,))) == hash(base(1, (2,)))


def test_keywords_and_factories():
    _, more = classes(records, slots=True)
    one, other = more(x=1), more(x=2, names=[3])
    assert (one.names, other.names, more(3).names is not one.names) == ([], [3], True)
    with pytest.raises(TypeError, match="unexpected keyword"):
        more(1, unknown=2)


def test_fields_that_nobody_gives():
    for made_by in (records, dataclasses):

        @made_by.dataclass(slots=True)
        class Sum:
            left: int
            total: int = made_by.field(init=False)
            terms: list = made_by.field(init=False, default_factory=list)
            count: int = made_by.field(init=False, default=2)

            def __post_init__(self):
                self.total = self.left + self.count

        assert (Sum(1).total, Sum(1).terms, Sum.__match_args__) == (3, [], ("left",))
        assert records.replace(Sum(1), left=5).total == 7


def test_methods_of_their_own_stay():
    for made_by in (records, dataclasses):

        @made_by.dataclass(frozen=True, slots=True)
        class Own:
            x: int

            def __repr__(self):
                return "own"

            def __eq__(self, other):
                return True

            def __hash__(self):
                return 7

        assert (repr(Own(1)), Own(1) == 5, hash(Own(1))) == ("own", True, 7)


def test_patterns_and_cycles():
    _, more = classes(records, slots=True)
    match more(1, (2,)):
        case object(x=1, y=(2,)):
            pass
    match more(1, (2,)):
        case more(x, y, names):
            assert (x, y, names) == (1, (2,), [])
    cyclic = more(1)
    cyclic.names.append(cyclic)
    assert "..." in repr(cyclic)


@records.dataclass(frozen=True, slots=True)
class Kept:
    x: int
    y: tuple = ()


def test_they_pickle():
    assert pickle.loads(pickle.dumps(Kept(1, (2,)))) == Kept(1, (2,))


def test_exceptions_are_made_of_fields():
    @records.dataclass(slots=True)
    class Stop(Exception):
        reason: str
        detail: str = ""

    with pytest.raises(Stop) as info:
        raise Stop("why")
    assert (info.value.reason, info.value.detail) == ("why", "")


def test_methods_are_made_once():
    base, _ = classes(records, slots=True)
    first = base.__init__
    base(1)
    made = base.__init__
    base(2)
    assert (made is first, base.__init__ is made) == (False, True)
