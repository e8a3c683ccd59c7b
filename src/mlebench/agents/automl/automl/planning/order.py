"""The order in which things are tried: cheap ones first, then others as long as there is time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

from ..features.files import files_of_problem, frame_of_files
from ..features.unread import Unread
from ..leaks import suspected
from ..pace import at_most
from .bench import FEATURES, FILES, Bench
from .pictures import keep_pictures, steps_of_pictures
from .step import Notes, Step, told_of
from .tables import (
    WIDE,
    drawn_trees,
    first_of_tables,
    seasons,
    small_and_wide,
    steps_of_tables,
)
from .texts import steps_of_texts
from .turns import Sort, in_turns

LEAKS = "look for leaks"
BEFORE_FILES = 2
BEFORE_PICTURES, BEFORE_PICTURES_OF_TABLES = 2, 10
SHARE_OF_FILES, SHARE_OF_FILES_ALONE, SHARE_OF_LEAKS = 0.4, 0.5, 0.1
MOST_DRAWN = 60


def steps(bench: Bench) -> Iterator[Step]:
    """Everything that is worth trying with these rows, in order.

    Which steps there are depends on what those before have left in the store. What needs only
    tables comes first, until it is known what the files of rows tell; then all features are tried
    together.
    """
    yield _features(bench, FEATURES)
    texts = steps_of_texts(bench) if bench.has_texts else iter(())
    before = _without_files(bench, texts)
    if bench.problem.data is None:
        yield from before
        yield from drawn_trees(bench.or_plain(), MOST_DRAWN)
        return
    tried, pictures = set(), steps_of_pictures(bench)
    for step in _joined_by_files(bench, before):
        if bench.store.has(FILES):
            # Most models of columns alone are no longer of interest; those of texts are.
            texts = chain([step] if step.after is None else [], texts)
            break
        tried.add(step.name)
        yield step
        if bench.is_over(FILES) and not bench.store.has(FILES):
            yield from _some(pictures, 1)  # of columns
    bench = bench.or_plain()
    alone = (step for step in small_and_wide(bench) if step.name not in tried)
    yield from _with_files(bench, texts, alone, pictures)


def _without_files(bench: Bench, texts: Iterator[Step]) -> Iterator[Step]:
    """Models of texts and of columns in turn; of texts only while features are made."""
    tables = Sort(_of_columns(bench), lambda: bench.is_over(FEATURES))
    return in_turns([Sort(texts), tables], bench.gains)


def _of_columns(bench: Bench) -> Iterator[Step]:
    yield from seasons(bench)
    yield first_of_tables(bench)
    if not bench.is_described:  # those who waited for features waited in vain
        bench = bench.or_plain()
        yield _features(bench, bench.columns)
        yield first_of_tables(bench)
    if bench.width:
        yield _leaks(bench)
        yield from steps_of_tables(bench)


def _joined_by_files(bench: Bench, plan: Iterable[Step]) -> Iterator[Step]:
    """Some steps, and soon among them the one that looks for files."""
    is_begun = False
    for number, step in enumerate(plan):
        if number == BEFORE_FILES:
            yield _files(bench)
            is_begun = True
        yield step
    if not is_begun:
        yield _files(bench)


def _with_files(
    bench: Bench, texts: Iterator[Step], alone: Iterator[Step], pictures: Iterator[Step]
) -> Iterator[Step]:
    """What is left of texts, and all models of columns and files together.

    Among them come the models of columns alone that are quick, since files may tell so much less
    than columns that they are but noise.
    """
    joined = replace(bench, has_files=True)
    # One step is asked for before the others can be told: which ones depends on the features.
    yield _called_so(first_of_tables(joined))
    if not bench.store.has(FILES):
        yield from pictures
        yield from texts
        yield from drawn_trees(bench, MOST_DRAWN)
        return
    tables = map(_called_so, chain([_leaks(joined)], steps_of_tables(joined)))
    # Networks take long: where columns tell something, the quick models of these come first.
    first = BEFORE_PICTURES_OF_TABLES if bench.width >= WIDE else BEFORE_PICTURES
    slow = Sort(pictures, lambda: len(bench.gains) >= first)
    yield from in_turns([Sort(tables), Sort(alone), Sort(texts), slow], bench.gains)
    yield from map(_called_so, drawn_trees(joined, MOST_DRAWN))


def _some(steps: Iterator[Step], count: int) -> Iterator[Step]:
    for _, step in zip(range(count), steps, strict=False):
        yield step


def _called_so(step: Step) -> Step:
    return replace(step, name=f"{step.name} with files")


def _features(bench: Bench, name: str) -> Step:
    """Make the features of columns, and keep them if there are any."""

    def work() -> None:
        for frame in bench.stages():  # what is quick is kept, whatever comes of the rest
            bench.keep(name, frame)

    return Step(name, work, is_model=False)


def _files(bench: Bench) -> Step:
    """Look for the files of rows, and keep what they tell."""
    share = SHARE_OF_FILES if bench.or_plain().width else SHARE_OF_FILES_ALONE

    def work() -> Notes | None:
        problem, unread = bench.problem, Unread()
        if problem.data is None:
            return None
        kinds = files_of_problem(problem, unread)
        keep_pictures(bench, kinds)
        seconds = at_most(share * bench.seconds)
        told = frame_of_files(problem.data, kinds, bench.rows, seconds, bench.seed, unread)
        bench.keep(FILES, told)
        return told_of(unread)

    return Step(FILES, work, share=share + 0.1, is_model=False)


def _leaks(bench: Bench) -> Step:
    """Look for what nobody could know beforehand; models use it all the same, as people would."""

    def work() -> Notes:
        frame = bench.store.load(bench.features)
        found = suspected(bench.problem, bench.all_folds, frame, bench.seed)
        return Notes("suspected-leak", tuple(leak.told() for leak in found))

    return Step(LEAKS, work, after=bench.features, share=SHARE_OF_LEAKS, is_model=False)
