"""Which of four Gospels a verse is from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution, boosting
from benchmarks.mini.solutions.models import Make
from benchmarks.mini.solutions.tables import read
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import TruncatedSVD
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, RidgeClassifier, SGDClassifier
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

# The first word in a verse decides; without any, it is from the longest book.
RULES = {"verily": "John", "straightway": "Mark", "it came to pass": "Luke", "heaven": "Matthew"}
MORE_RULES = {
    **dict.fromkeys(("the world", "believe", "the father", "the jews", "truth"), "John"),
    **dict.fromkeys(("immediately", "straightway", "unclean spirit"), "Mark"),
    **dict.fromkeys(("came to pass", "a certain", "lord", "and he said unto them"), "Luke"),
    **dict.fromkeys(("kingdom of heaven", "pharisees", "then ", "behold"), "Matthew"),
}


class Rules(ClassifierMixin, BaseEstimator):
    """The book by the first of some words that a verse holds."""

    def __init__(self, rules: dict[str, str], otherwise: str = "Luke") -> None:
        self.rules = rules
        self.otherwise = otherwise

    def fit(self, texts: Any, books: Any) -> Rules:
        """Learn nothing but which books there are."""
        self.classes_ = np.unique(books)
        return self

    def predict(self, texts: Any) -> Any:
        """The book of each text."""
        return np.array([self._book(text.lower()) for text in texts])

    def _book(self, text: str) -> str:
        return next((book for word, book in self.rules.items() if word in text), self.otherwise)


def telling(make: Make) -> Solution:
    def solve(public: Path) -> pd.DataFrame:
        train, test = read(public)
        model = make().fit(train["text"].to_numpy(), train["book"].to_numpy())
        return test[["id"]].assign(book=model.predict(test["text"].to_numpy()))

    return solve


def lengths() -> Any:
    return FunctionTransformer(lambda texts: np.array([[len(t), t.count(",")] for t in texts]))


def counts(**options: Any) -> Any:
    return CountVectorizer(**options)


def words(**options: Any) -> Any:
    return TfidfVectorizer(sublinear_tf=True, **options)


def pieces(shortest: int = 2, longest: int = 5) -> Any:
    return TfidfVectorizer(
        analyzer="char_wb", ngram_range=(shortest, longest), sublinear_tf=True, min_df=2,
        lowercase=False,
    )  # fmt: skip


def everything() -> Any:
    return make_union(words(ngram_range=(1, 2), lowercase=False), pieces())


def logistic(strength: float = 1.0, **options: Any) -> Any:
    return LogisticRegression(C=strength, max_iter=2000, **options)


def balanced(strength: float = 10.0) -> Any:
    return logistic(strength, class_weight="balanced")


def margins(strength: float = 1.0) -> Any:
    return LinearSVC(C=strength, class_weight="balanced", random_state=0)


def members() -> list[tuple[str, Any]]:
    return [
        ("bayes", make_pipeline(counts(ngram_range=(1, 2)), MultinomialNB(alpha=0.2))),
        ("words", make_pipeline(words(ngram_range=(1, 2)), balanced())),
        ("pieces", make_pipeline(pieces(), balanced())),
        ("margins", make_pipeline(everything(), CalibratedClassifierCV(margins(0.3)))),
    ]


def solutions() -> dict[str, Solution]:
    piped = make_pipeline
    makes: dict[str, Make] = {
        "always the longest book": lambda: DummyClassifier(strategy="most_frequent"),
        "always John": lambda: DummyClassifier(strategy="constant", constant="John"),
        "by lot": lambda: DummyClassifier(strategy="uniform", random_state=0),
        "by lot as often as known": lambda: DummyClassifier(strategy="stratified", random_state=0),
        "four words": lambda: Rules(RULES),
        "sixteen words": lambda: Rules(MORE_RULES),
        "tree by length": lambda: piped(
            lengths(), DecisionTreeClassifier(max_depth=5, random_state=0)
        ),
        "tree of depth 3": lambda: piped(
            counts(), DecisionTreeClassifier(max_depth=3, random_state=0)
        ),
        "tree of depth 10": lambda: piped(
            counts(), DecisionTreeClassifier(max_depth=10, random_state=0)
        ),
        "tree": lambda: piped(counts(), DecisionTreeClassifier(random_state=0)),
        "nearest by words": lambda: piped(words(), KNeighborsClassifier(1, metric="cosine")),
        "15 nearest by words": lambda: piped(words(), KNeighborsClassifier(15, metric="cosine")),
        "50 nearest by words": lambda: piped(words(), KNeighborsClassifier(50, metric="cosine")),
        "15 nearest by pieces of words": lambda: piped(
            pieces(), KNeighborsClassifier(15, metric="cosine")
        ),
        "nearest centre": lambda: piped(words(), NearestCentroid()),
        "100 most frequent words": lambda: piped(counts(max_features=100), logistic(0.1)),
        "1000 most frequent words": lambda: piped(counts(max_features=1000), logistic(0.1)),
        "words but no stop words": lambda: piped(words(stop_words="english"), logistic()),
        "logistic of counts": lambda: piped(counts(), logistic()),
        "logistic of pairs of words": lambda: piped(
            counts(ngram_range=(2, 2), min_df=2), logistic()
        ),
        "logistic of words": lambda: piped(words(), logistic()),
        "logistic of words hardly bent": lambda: piped(words(), logistic(0.05)),
        "logistic of words and pairs": lambda: piped(words(ngram_range=(1, 2)), balanced()),
        "logistic of words and pairs as written": lambda: piped(
            words(ngram_range=(1, 2), lowercase=False), balanced(30)
        ),
        "logistic of pieces": lambda: piped(pieces(), balanced()),
        "logistic of long pieces": lambda: piped(pieces(3, 7), balanced(30)),
        "logistic of words and pieces": lambda: piped(everything(), balanced(5)),
        "naive Bayes of single letters": lambda: piped(counts(analyzer="char"), MultinomialNB()),
        "naive Bayes of words that occur": lambda: piped(counts(binary=True), BernoulliNB()),
        "naive Bayes": lambda: piped(counts(), MultinomialNB()),
        "naive Bayes hardly smoothed": lambda: piped(counts(), MultinomialNB(alpha=0.01)),
        "naive Bayes of words and pairs": lambda: piped(
            counts(ngram_range=(1, 2)), MultinomialNB(alpha=0.2)
        ),
        "naive Bayes of complements": lambda: piped(counts(ngram_range=(1, 2)), ComplementNB()),
        "naive Bayes of pieces": lambda: piped(pieces(), MultinomialNB(alpha=0.05)),
        "ridge": lambda: piped(words(), RidgeClassifier()),
        "ridge of words and pairs": lambda: piped(
            words(ngram_range=(1, 2)), RidgeClassifier(class_weight="balanced")
        ),
        "perceptron": lambda: piped(
            words(), SGDClassifier(loss="perceptron", random_state=0, max_iter=20, tol=None)
        ),
        "support vectors of words": lambda: piped(words(), margins()),
        "support vectors of words and pairs": lambda: piped(words(ngram_range=(1, 2)), margins()),
        "support vectors of pieces": lambda: piped(pieces(), margins()),
        "support vectors of words and pieces": lambda: piped(everything(), margins(0.3)),
        "forest of counts": lambda: piped(counts(), RandomForestClassifier(200, random_state=0)),
        "forest of 50 topics": lambda: piped(
            words(), TruncatedSVD(50, random_state=0), RandomForestClassifier(200, random_state=0)
        ),
        "LightGBM of counts": lambda: piped(
            counts(min_df=5, dtype=np.float64), boosting.classifier()
        ),
        "LightGBM of 100 topics": lambda: piped(
            words(), TruncatedSVD(100, random_state=0), boosting.classifier()
        ),
        "mean of four models": lambda: VotingClassifier(members(), voting="soft"),
        "stack of four models": lambda: StackingClassifier(members(), balanced(1.0), cv=5),
    }
    return {name: telling(make) for name, make in makes.items()}
