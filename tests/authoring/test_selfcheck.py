"""The selfcheck finds what makes a competition unfair or unusable, whatever its author did."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from mlebench.authoring.scaffold import create_competition
from mlebench.authoring.selfcheck import Outcome, check_competition
from mlebench.registry import Registry
from tests.grading.original import add_original
from tests.helpers import add_competition

NO_LEAK = "no public file gives the answers away"
FILES = "the files that the facts name are there"

# Prepares as the scaffold does and leaves the answers for the rest of the function.
PREPARE = """
import io, json, os, shutil, zipfile

prepare_as_it_should_be = prepare


def prepare(raw: Path, public: Path, private: Path) -> None:
    prepare_as_it_should_be(raw, public, private)
    answers = read_csv(private / "test.csv")
"""


def checked(folder: Path, code: str = "", fixture: str = "") -> Outcome:
    add_competition(folder, "mine", code, fixture)
    return check_competition("mine", Registry(competitions_dirs=[folder]))


def preparing(*lines: str) -> str:
    return PREPARE + "".join(f"    {line}\n" for line in lines)


def failed(outcome: Outcome) -> dict[str, str]:
    return {check.name: check.detail for check in outcome.checks if not check.passed}


@pytest.mark.parametrize("name", ["copy.csv", "deep/down/readme.txt"])
def test_a_public_copy_of_the_answers_is_found(name: str, tmp_path: Path) -> None:
    outcome = checked(
        tmp_path,
        preparing(
            f'target = public / "{name}"',
            "target.parent.mkdir(parents=True, exist_ok=True)",
            'shutil.copy(private / "test.csv", target)',
        ),
    )
    assert f"{name} equals the private test.csv." in failed(outcome)[NO_LEAK]


LEAKS = {
    "test.csv": ['write_csv(answers, public / "test.csv")'],
    "shuffled.csv": ['write_csv(answers.sample(frac=1, random_state=0), public / "shuffled.csv")'],
    "more.csv": [
        "more = pd.concat([answers, answers.assign(id=answers['id'] + 1000)])",
        'write_csv(more, public / "more.csv")',
    ],
    "labels.csv": ['write_csv(answers[["value"]], public / "labels.csv")'],
    "test.zip/test.csv": [
        'with zipfile.ZipFile(public / "test.zip", "w") as archive:',
        '    archive.writestr("test.csv", answers.to_csv(index=False))',
    ],
    "test.json": ['(public / "test.json").write_text(answers.to_json(orient="records"))'],
    "test.jsonl": [
        '(public / "test.jsonl").write_text(answers.to_json(orient="records", lines=True))'
    ],
    "columns.json": ['(public / "columns.json").write_text(answers.to_json(orient="columns"))'],
    "test.parquet": ['answers.to_parquet(public / "test.parquet")'],
    "more.zip/inside/test.parquet": [
        'with zipfile.ZipFile(public / "more.zip", "w") as archive:',
        "    content = io.BytesIO()",
        "    answers.to_parquet(content)",
        '    archive.writestr("inside/test.parquet", content.getvalue())',
    ],
    "outer.zip/inner.zip/test.csv": [
        "inner = io.BytesIO()",
        'with zipfile.ZipFile(inner, "w") as archive:',
        '    archive.writestr("test.csv", answers.to_csv(index=False))',
        'with zipfile.ZipFile(public / "outer.zip", "w") as archive:',
        '    archive.writestr("inner.zip", inner.getvalue())',
    ],
    "test.tsv": ['answers.to_csv(public / "test.tsv", sep="\\t", index=False)'],
    "test.csv.gz": ['answers.to_csv(public / "test.csv.gz", index=False)'],
    "loud.CSV": ['write_csv(answers, public / "loud.CSV")'],
    "tabs.tsv.gz": ['answers.to_csv(public / "tabs.tsv.gz", sep="\\t", index=False)'],
    "packed.json.gz": ['answers.to_json(public / "packed.json.gz", orient="records")'],
    "packed.jsonl.gz": [
        'answers.to_json(public / "packed.jsonl.gz", orient="records", lines=True)',
    ],
}


def test_labels_in_public_tables_are_found(tmp_path: Path) -> None:
    lines = [line for lines in LEAKS.values() for line in lines]
    said = failed(checked(tmp_path, preparing(*lines)))[NO_LEAK]
    for name in LEAKS:
        assert f"{name} holds the answers' column 'value'." in said


def test_other_public_files_are_no_leak(tmp_path: Path) -> None:
    lines = (
        'write_csv(answers.assign(value=answers["value"][::-1].tolist()), public / "test.csv")',
        'write_csv(answers.iloc[:3], public / "a_few.csv")',
        '(public / "broken.zip").write_bytes(b"no zip at all")',
        '(public / "broken.csv").write_bytes(bytes(range(256)))',
        '(public / "broken.json").write_text("{")',
        '(public / "broken.parquet").write_bytes(b"PAR1")',
        '(public / "numbers.json").write_text("[1, 2, 3]")',
        'answers.to_csv(public / "cut.csv.gz", index=False)',
        'os.truncate(public / "cut.csv.gz", 30)',
        '(public / "empty.csv").touch()',
        '(public / "empty.json").write_text("[]")',
    )
    assert failed(checked(tmp_path, preparing(*lines))) == {}


def test_a_public_column_of_the_submission_is_no_leak(tmp_path: Path) -> None:
    declared = """
from mlebench.submission import Ignored

SUBMISSION = Submission(
    key="id", columns=(*SUBMISSION.columns, Ignored("time")), public=("time",)
)
"""
    lines = (
        "timed = answers.assign(time=range(len(answers)))",
        'write_csv(timed, private / "test.csv")',
        'write_csv(timed.assign(value=0), public / "sample_submission.csv")',
    )
    assert failed(checked(tmp_path, declared + preparing(*lines))) == {}


def test_a_prepare_that_writes_nothing_is_found(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "def prepare(raw: Path, public: Path, private: Path):\n    pass")
    assert list(failed(outcome)) == [FILES]
    said = failed(outcome)[FILES]
    assert "answers: private/test.csv is missing; prepare wrote no file." in said
    assert "sample_submission: public/sample_submission.csv is missing" in said


@pytest.mark.parametrize(
    ("side", "name"), [("private", "test.csv"), ("public", "sample_submission.csv")]
)
def test_a_prepare_that_uses_other_names_is_found(side: str, name: str, tmp_path: Path) -> None:
    outcome = checked(tmp_path, preparing(f'({side} / "{name}").rename({side} / "other.csv")'))
    said = failed(outcome)[FILES]
    assert f"{side}/{name} is missing; prepare wrote " in said
    assert f"{side}/other.csv" in said


def test_an_empty_sample_is_found(tmp_path: Path) -> None:
    outcome = checked(tmp_path, preparing('(public / "sample_submission.csv").write_text("")'))
    assert "sample_submission: public/sample_submission.csv is empty" in failed(outcome)[FILES]


@pytest.mark.parametrize(
    "code",
    [
        "def prepare(raw: Path, public: Path, private: Path):\n    raise KeyError('x')",
        "def prepare(raw: Path, public: Path, private: Path):\n    (raw / 'none.csv').read_text()",
    ],
)
def test_a_prepare_that_fails_is_found(code: str, tmp_path: Path) -> None:
    assert list(failed(checked(tmp_path, code))) == ["prepare"]


def test_a_fixture_that_fails_is_found(tmp_path: Path) -> None:
    outcome = checked(tmp_path, fixture="def fixture(raw: Path) -> None:\n    raise KeyError('x')")
    assert list(failed(outcome)) == ["prepare"]


def test_a_score_that_fails_is_found(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "def score(truth, predicted):\n    raise KeyError('x')")
    assert {"sample is valid", "gold wins gold", "random valid submission 1"} <= {*failed(outcome)}
    assert "KeyError" in failed(outcome)["sample is valid"]


# Participants are told which predictions are too high: the labels, by and by.
TELL_TALE = """
from mlebench.submission.refusals import refuse


class NotTooHigh:
    def check(self, predicted, public):
        bad = predicted["value"].to_numpy() > public["limit"].to_numpy() + 100
        if bad.any():
            refuse("too_high", "lower, please", "value", predicted["value"], bad)

    def describe(self):
        return "Values must not be too high."

    def adjust(self, example):
        return example


SUBMISSION = Submission(
    key="id", columns=(Number("value"),), rules=(NotTooHigh(),), public=("limit",)
)
ANSWER_COLUMNS = ("id", "value")


def public_table(answers):
    return answers[["id"]].assign(limit=answers["value"] * 1000)
"""


def test_a_validation_that_tells_labels_is_found(tmp_path: Path) -> None:
    problems = failed(checked(tmp_path, TELL_TALE))
    assert any(name.endswith("labels do not matter") for name in problems), problems


@pytest.mark.parametrize("fact", ["answers", "sample_submission", "gold_submission"])
def test_a_wrong_path_in_the_facts_is_named(fact: str, tmp_path: Path) -> None:
    folder = add_competition(tmp_path, "mine")
    facts = yaml.safe_load((folder / "competition.yaml").read_text())
    (folder / "competition.yaml").write_text(yaml.safe_dump(facts | {fact: "private/wrong.csv"}))
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert list(failed(outcome)) == [FILES]
    assert failed(outcome)[FILES] == (
        f"{fact}: private/wrong.csv is missing; prepare wrote private/test.csv, "
        "public/sample_submission.csv, public/test.csv, public/train.csv."
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (['(raw / "new.csv").touch()'], "prepare wrote new.csv in raw"),
        (['(raw / "train.csv").unlink()'], "prepare removed train.csv in raw"),
        (
            ['(raw / "train.csv").write_text("x")', '(raw / "a").touch()'],
            "prepare wrote a; changed train.csv in raw",
        ),
        (
            [
                "from mlebench.preparing.files import place",
                'place(raw / "train.csv", public / "all.csv")',
                '(public / "all.csv").write_text("spoilt through a link")',
            ],
            "prepare changed train.csv in raw",
        ),
    ],
)
def test_a_prepare_that_writes_into_raw_is_found(
    lines: list[str], said: str, tmp_path: Path
) -> None:
    outcome = checked(tmp_path, preparing(*lines))
    assert list(failed(outcome)) == ["raw data stay as they are"]
    assert said in failed(outcome)["raw data stay as they are"]


def test_independent_mistakes_are_told_at_once(tmp_path: Path) -> None:
    """No description, a leaderboard the wrong way round, a leak, a lost sample, a bad score."""
    folder = add_competition(
        tmp_path,
        "mine",
        preparing(
            '(public / "sample_submission.csv").unlink()',
            'write_csv(answers, public / "answers.csv")',
        )
        + "def score(truth, predicted):\n    return truth['valeu'].mean()\n",
    )
    (folder / "description.md").unlink()
    (folder / "leaderboard.csv").write_text("score\n3\n2\n")
    problems = failed(check_competition("mine", Registry(competitions_dirs=[tmp_path])))
    assert {"there is a description", "leaderboard", NO_LEAK, FILES} <= {*problems}
    assert "contradicts the facts" in problems["leaderboard"]
    assert problems["random valid submission 1"].startswith("KeyError: 'valeu' (task.py, line ")


def test_a_gold_submission_that_is_none_is_told_what_to_name(tmp_path: Path) -> None:
    folder = create_competition("mine", tmp_path, kind="ranking")
    facts = folder / "competition.yaml"
    kept = [line for line in facts.read_text().splitlines() if "gold_submission" not in line]
    facts.write_text("\n".join(kept) + "\n")
    said = failed(check_competition("mine", Registry(competitions_dirs=[tmp_path])))
    assert any("gold_submission, competition.yaml" in detail for detail in said.values())


def test_a_hook_that_fails_on_the_answers_is_named_with_its_line(tmp_path: Path) -> None:
    folder = create_competition("mine", tmp_path, kind="table")
    with (folder / "task.py").open("a") as file:
        file.write("\n\ndef answer_table(answers):\n    return answers['nothing']\n")
    said = failed(check_competition("mine", Registry(competitions_dirs=[tmp_path])))
    line = len((folder / "task.py").read_text().splitlines())
    assert any(f"(KeyError, task.py, line {line})" in detail for detail in said.values())


def test_a_metric_of_the_other_direction_is_named(tmp_path: Path) -> None:
    folder = add_competition(tmp_path, "mine")
    facts = yaml.safe_load((folder / "competition.yaml").read_text())
    del facts["leaderboard"]
    (folder / "competition.yaml").write_text(yaml.safe_dump(facts | {"lower_is_better": False}))
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert list(failed(outcome)) == ["gold is not beaten"]
    said = failed(outcome)["gold is not beaten"]
    assert "the gold submission scores 0, worse than " in said
    assert "lower_is_better: false in competition.yaml says that higher is better" in said


def test_a_score_of_nothing_is_found(tmp_path: Path) -> None:
    code = "def score(truth, predicted):\n    return float('nan')\n"
    assert "score is nan" in failed(checked(tmp_path, code))["gold is not beaten"]


def test_a_folder_in_the_originals_format_is_skipped_with_a_note(tmp_path: Path) -> None:
    add_original(tmp_path / "competitions", tmp_path / "data", "theirs")
    outcome = check_competition("theirs", Registry(competitions_dirs=[tmp_path / "competitions"]))
    assert (outcome.result, outcome.passed, outcome.checks) == ("skipped", True, [])
    assert "original's format" in outcome.note


def test_a_public_table_that_fails_is_found(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "def public_table(answers):\n    raise KeyError('x')")
    assert failed(outcome)


def test_a_competition_without_a_leaderboard_passes(tmp_path: Path) -> None:
    folder = add_competition(tmp_path, "mine")
    facts = yaml.safe_load((folder / "competition.yaml").read_text())
    del facts["leaderboard"]
    (folder / "competition.yaml").write_text(yaml.safe_dump(facts))
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert failed(outcome) == {}
    assert "gold is not beaten" in [check.name for check in outcome.checks]


def test_a_gold_submission_that_is_beaten_is_found_without_a_leaderboard(tmp_path: Path) -> None:
    code = "def score(truth, predicted):\n    return -float(predicted['value'].abs().max())"
    folder = add_competition(tmp_path, "mine", code)
    facts = yaml.safe_load((folder / "competition.yaml").read_text())
    del facts["leaderboard"]
    (folder / "competition.yaml").write_text(yaml.safe_dump(facts | {"lower_is_better": False}))
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert "gold is not beaten" in failed(outcome)


@pytest.mark.parametrize(
    "code",
    [
        "def answer_table(answers):\n    raise SystemExit(3)\n",
        "def public_table(answers):\n    raise SystemExit(3)\n",
        "def score(truth, predicted):\n    raise SystemExit(3)\n",
        "raise SystemExit(3)\n",
    ],
)
def test_leaving_python_is_found_like_any_other_mistake(tmp_path: Path, code: str) -> None:
    assert not checked(tmp_path, code).passed


def test_labels_that_nobody_may_choose_are_found(tmp_path: Path) -> None:
    folder = create_competition("mine", tmp_path, kind="image")
    task = folder / "task.py"
    task.write_text(task.read_text().replace("choices=SPECIES)", "choices=SPECIES[:2])"))
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert "they also hold buttercup" in str(failed(outcome))


def test_a_best_score_that_is_beaten_is_found(tmp_path: Path) -> None:
    facts = create_competition("mine", tmp_path) / "competition.yaml"
    facts.write_text(facts.read_text() + "best_score: 1\n")
    outcome = check_competition("mine", Registry(competitions_dirs=[tmp_path]))
    assert list(failed(outcome)) == ["nothing beats best_score"]


def test_nobody_is_told_to_prepare_data_that_are_gone(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "def answer_table(answers):\n    return answers['nothing']\n")
    assert failed(outcome)
    assert "mlebench prepare" not in str(failed(outcome))


def test_a_public_link_to_the_private_folder_is_found(tmp_path: Path) -> None:
    outcome = checked(tmp_path, preparing('(public / "more").symlink_to("../private")'))
    assert "more/test.csv" in failed(outcome)[NO_LEAK]


def test_answers_that_the_key_does_not_tell_apart_are_found(tmp_path: Path) -> None:
    outcome = checked(
        tmp_path,
        preparing(
            'answers.loc[1, "id"] = answers.loc[0, "id"]',
            'write_csv(answers, private / "test.csv")',
        ),
    )
    assert "repeat the id of another" in failed(outcome)["the key tells answers apart"]


def test_a_score_that_fails_is_not_blamed_on_the_gold_submission(tmp_path: Path) -> None:
    outcome = checked(tmp_path, "def score(truth, predicted):\n    return truth['wind']")
    assert "name one (gold_submission" not in " ".join(failed(outcome).values())


def test_words_among_numeric_labels_are_told_to_be_another_kind(tmp_path: Path) -> None:
    code = 'SUBMISSION = Submission(key="id", columns=(Label("value", choices=("a", "b")),))'
    outcome = checked(tmp_path, f"from mlebench.submission import Label\n{code}")
    assert any("write TextLabel" in detail for detail in failed(outcome).values())
