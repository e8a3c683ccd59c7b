"""Models for tables, from a constant to stacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.mini.solutions import boosting
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Make = Callable[[], Any]


def scaled(model: Any) -> Any:
    return make_pipeline(StandardScaler(), model)


def logistic(strength: float = 1.0) -> Any:
    return LogisticRegression(C=strength, max_iter=5000)


def support_vectors(**options: Any) -> Any:
    return CalibratedClassifierCV(scaled(SVC(**options)), cv=5, ensemble=False)


def forest(trees: int = 300, **options: Any) -> Any:
    return RandomForestClassifier(trees, random_state=0, **options)


def extra_trees(trees: int = 300, **options: Any) -> Any:
    return ExtraTreesClassifier(trees, random_state=0, **options)


def slow_boosting() -> Any:
    return boosting.classifier(
        n_estimators=400, learning_rate=0.03, num_leaves=15, min_child_samples=10,
        subsample=0.8, subsample_freq=1, colsample_bytree=0.6
    )  # fmt: skip


def neural(*layers: int, **options: Any) -> Any:
    return scaled(MLPClassifier(hidden_layer_sizes=layers, random_state=0, max_iter=600, **options))


def neighbours(number: int, **options: Any) -> Any:
    return scaled(KNeighborsClassifier(number, **options))


def _members() -> list[tuple[str, Any]]:
    return [
        ("forest", forest()),
        ("extra", extra_trees()),
        ("boosting", slow_boosting()),
        ("vectors", support_vectors(C=10)),
        ("logistic", scaled(logistic())),
    ]


def classifiers() -> dict[str, Make]:
    """Classifiers that give probabilities."""
    made: dict[str, Make] = {
        "class shares": lambda: DummyClassifier(strategy="prior"),
        "classes by lot": lambda: DummyClassifier(strategy="stratified", random_state=0),
        "naive Bayes": GaussianNB,
        "naive Bayes smoothed": lambda: GaussianNB(var_smoothing=0.01),
        "linear discriminant": lambda: LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"),
        "quadratic discriminant": lambda: scaled(QuadraticDiscriminantAnalysis(reg_param=0.1)),
        "AdaBoost of stumps": lambda: AdaBoostClassifier(n_estimators=50, random_state=0),
        "bagged trees": lambda: BaggingClassifier(n_estimators=20, random_state=0),
        "forest of 10": lambda: forest(10),
        "forest of 300": forest,
        "forest with large leaves": lambda: forest(min_samples_leaf=10),
        "forest with leaves of 2": lambda: forest(600, min_samples_leaf=2),
        "extra trees": extra_trees,
        "extra trees with leaves of 2": lambda: extra_trees(600, min_samples_leaf=2),
        "gradient boosting": lambda: GradientBoostingClassifier(random_state=0),
        "gradient boosting with 20 steps": lambda: GradientBoostingClassifier(
            n_estimators=20, random_state=0
        ),
        "histogram boosting": lambda: HistGradientBoostingClassifier(random_state=0),
        "LightGBM": boosting.classifier,
        "LightGBM with 20 steps": lambda: boosting.classifier(n_estimators=20),
        "LightGBM in small steps": slow_boosting,
        "support vectors linear": lambda: support_vectors(kernel="linear"),
        "support vectors": support_vectors,
        "support vectors with C 10": lambda: support_vectors(C=10),
        "neural net of 10": lambda: neural(10),
        "neural net of 100": lambda: neural(100, alpha=0.01),
        "neural net of 64 and 64": lambda: neural(64, 64, alpha=0.1),
        "mean of five models": lambda: VotingClassifier(_members(), voting="soft"),
        "stack of five models": lambda: StackingClassifier(_members(), logistic(0.3), cv=5),
    }
    for depth in (1, 2, 3, 5, 8):
        made[f"tree of depth {depth}"] = lambda depth=depth: DecisionTreeClassifier(
            max_depth=depth, random_state=0
        )
    made["tree"] = lambda: DecisionTreeClassifier(random_state=0)
    for number in (1, 5, 15, 50):
        made[f"{number} nearest"] = lambda number=number: neighbours(number)
    made["10 nearest by distance"] = lambda: neighbours(10, weights="distance")
    for strength in (0.001, 0.1, 1.0, 100.0):
        made[f"logistic with C {strength:g}"] = lambda strength=strength: scaled(logistic(strength))
    made["logistic with products"] = lambda: make_pipeline(
        StandardScaler(), PolynomialFeatures(2, include_bias=False), StandardScaler(), logistic(0.1)
    )
    return made


def gaussian_process() -> Any:
    return scaled(GaussianProcessClassifier(random_state=0))


def regressors() -> dict[str, Make]:
    """Regressors for many columns."""
    made: dict[str, Make] = {
        "linear": LinearRegression,
        "ridge": lambda: scaled(Ridge(10)),
        "lasso": lambda: scaled(Lasso(50)),
        "lasso that keeps little": lambda: scaled(Lasso(1000)),
        "ridge with products": lambda: scaled(
            make_pipeline(PolynomialFeatures(2), StandardScaler(), Ridge(30))
        ),
        "forest of 10": lambda: RandomForestRegressor(10, random_state=0),
        "forest of 300": lambda: RandomForestRegressor(300, random_state=0),
        "extra trees": lambda: ExtraTreesRegressor(300, random_state=0),
        "AdaBoost": lambda: AdaBoostRegressor(random_state=0),
        "gradient boosting": lambda: GradientBoostingRegressor(random_state=0),
        "gradient boosting with 20 steps": lambda: GradientBoostingRegressor(
            n_estimators=20, random_state=0
        ),
        "histogram boosting": lambda: HistGradientBoostingRegressor(random_state=0),
        "LightGBM": boosting.regressor,
        "LightGBM in small steps": small_steps,
        "support vectors": lambda: scaled(SVR(C=1000)),
        "support vectors with C 100000": lambda: scaled(SVR(C=100_000, gamma=0.03)),
        "neural net": lambda: scaled(
            MLPRegressor(
                hidden_layer_sizes=(64, 64), random_state=0, max_iter=300, learning_rate_init=0.01
            )
        ),
    }
    for depth in (1, 2, 4, 8):
        made[f"tree of depth {depth}"] = lambda depth=depth: DecisionTreeRegressor(
            max_depth=depth, random_state=0
        )
    made["tree"] = lambda: DecisionTreeRegressor(random_state=0)
    for number in (1, 5, 20, 200):
        made[f"{number} nearest"] = lambda number=number: scaled(KNeighborsRegressor(number))
    return made


def small_steps(**options: Any) -> Any:
    settings = {"n_estimators": 1000, "learning_rate": 0.02, "num_leaves": 24, **options}
    return boosting.regressor(
        subsample=0.7, subsample_freq=1, colsample_bytree=0.7, min_child_samples=10,
        **settings
    )  # fmt: skip


def of_logarithm(model: Any) -> Any:
    """A model that learns the logarithm of what it is to predict."""
    import numpy as np

    return TransformedTargetRegressor(model, func=np.log, inverse_func=np.exp)


def regression_members() -> list[tuple[str, Any]]:
    return [
        ("boosting", of_logarithm(small_steps())),
        ("deep", of_logarithm(small_steps(num_leaves=48))),
        ("extra", of_logarithm(ExtraTreesRegressor(300, random_state=0))),
        ("vectors", of_logarithm(scaled(SVR(C=10, gamma=0.03, epsilon=0.03)))),
        ("plain", small_steps()),
    ]


def mean_of_regressors() -> Any:
    return VotingRegressor(regression_members())


def stack_of_regressors() -> Any:
    return StackingRegressor(regression_members(), LinearRegression(positive=True), cv=5)
