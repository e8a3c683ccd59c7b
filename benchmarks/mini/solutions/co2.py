"""Carbon dioxide on Mauna Loa, six years ahead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from benchmarks.mini.solutions import Solution, boosting
from sklearn.ensemble import RandomForestRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, RationalQuadratic, WhiteKernel
from sklearn.linear_model import HuberRegressor, LinearRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

Forecast = Callable[[Any, Any, Any], Any]
"""From years as numbers, what was measured in them, and later years, what to expect of these."""
WEEKS = 52


def forecasting(forecast: Forecast) -> Solution:
    def solve(public: Path) -> pd.DataFrame:
        train, test = (pd.read_csv(public / f"{side}.csv") for side in ("train", "test"))
        expected = forecast(years(train), train["co2"].to_numpy(), years(test))
        return test[["date"]].assign(co2=expected)

    return solve


def years(table: pd.DataFrame) -> Any:
    dates = pd.to_datetime(table["date"])
    return (dates.dt.year + (dates.dt.dayofyear - 1) / 365.25).to_numpy()


def waves(times: Any, number: int) -> list[Any]:
    """Waves that repeat each year, and so many times faster."""
    turns = [2 * np.pi * times * (one + 1) for one in range(number)]
    return [wave(turn) for turn in turns for wave in (np.sin, np.cos)]


def curve(degree: int, number: int, model: Any = None, last: float = 100) -> Forecast:
    """A polynomial in time and waves, fitted to the last years."""

    def design(times: Any) -> Any:
        scaled = (times - 1980) / 15
        parts = [scaled**power for power in range(degree + 1)]
        return np.column_stack([*parts, *waves(times, number)])

    def forecast(times: Any, measured: Any, later: Any) -> Any:
        recent = times > times.max() - last
        fitted = (model or LinearRegression(fit_intercept=False)).fit(
            design(times[recent]), measured[recent]
        )
        return fitted.predict(design(later))

    return forecast


def constant(number: Callable[[Any], float]) -> Forecast:
    return lambda times, measured, later: np.full(len(later), number(measured))


def last_year(rise: float = 0.0, average: int = 1) -> Forecast:
    """The mean of some years by the time of the year, raised by so much a year."""

    def forecast(times: Any, measured: Any, later: Any) -> Any:
        recent = times > times.max() - average
        level = measured[recent] - rise * (times[recent] - times.max())
        nearest = KNeighborsRegressor(2 * average).fit(_on_circle(times[recent]), level)
        return nearest.predict(_on_circle(later)) + rise * (later - times.max())

    return forecast


def _on_circle(times: Any) -> Any:
    return np.column_stack(waves(times, 1))


def learning(make: Callable[[], Any], base: Forecast | None = None) -> Forecast:
    """A model of the date and the time of the year, maybe of what another forecast leaves."""

    def design(times: Any) -> Any:
        return np.column_stack([times, times % 1])

    def forecast(times: Any, measured: Any, later: Any) -> Any:
        rest = measured - base(times, measured, times) if base else measured
        expected = make().fit(design(times), rest).predict(design(later))
        return expected + base(times, measured, later) if base else expected

    return forecast


def smoothing(level: float, trend: float, season: float, damped: float = 1.0) -> Forecast:
    """Holt's and Winters' smoothing of level, trend and season, week by week."""

    def forecast(times: Any, measured: Any, later: Any) -> Any:
        weekly = np.interp(np.arange(times[0], times[-1], 1 / WEEKS), times, measured)
        seasons = [*(weekly[:WEEKS] - weekly[:WEEKS].mean())]
        height, slope = weekly[0] - seasons[0], 1 / WEEKS
        for place, value in enumerate(weekly):
            before = height
            height = level * (value - seasons[place]) + (1 - level) * (height + damped * slope)
            slope = trend * (height - before) + (1 - trend) * damped * slope
            seasons.append(season * (value - height) + (1 - season) * seasons[place])
        steps = np.round((later - times[-1]) * WEEKS).astype(int).clip(1)
        risen = steps if damped == 1 else damped * (1 - damped**steps) / (1 - damped)
        return height + slope * risen + np.array([seasons[-WEEKS:][(s - 1) % WEEKS] for s in steps])

    return forecast


def gaussian(noise: float, long: float) -> Forecast:
    """A Gaussian process on every fourth week, around a straight line."""
    kernel = 30.0**2 * RBF(long) + 3.0**2 * RBF(100.0) * ExpSineSquared(1.0, 1.0)
    kernel += 0.5**2 * RationalQuadratic(1.0, 1.0) + WhiteKernel(noise)

    def forecast(times: Any, measured: Any, later: Any) -> Any:
        line = np.polyfit(times, measured, 1)
        process = GaussianProcessRegressor(kernel, optimizer=None)
        process.fit(times[::4, None], (measured - np.polyval(line, times))[::4])
        return process.predict(later[:, None]) + np.polyval(line, later)

    return forecast


def anchored(forecast: Forecast, last: float = 1.0) -> Forecast:
    """Another forecast, moved to where it would have met the last years."""

    def moved(times: Any, measured: Any, later: Any) -> Any:
        recent = times > times.max() - last
        lag = (measured - forecast(times, measured, times))[recent].mean()
        return forecast(times, measured, later) + lag

    return moved


def mean(*forecasts: Forecast) -> Forecast:
    return lambda *given: np.mean([forecast(*given) for forecast in forecasts], axis=0)


def forest() -> Any:
    return RandomForestRegressor(200, random_state=0)


def solutions() -> dict[str, Solution]:
    quadratic = curve(2, 3)
    forecasts: dict[str, Forecast] = {
        "mean": constant(np.mean),
        "median": constant(np.median),
        "highest": constant(np.max),
        "last week": constant(lambda measured: measured[-1]),
        "mean of the last year": constant(lambda measured: measured[-WEEKS:].mean()),
        "mean of the last ten years": constant(lambda measured: measured[-10 * WEEKS :].mean()),
        "last year again": last_year(),
        "last three years again": last_year(average=3),
        "last year and 1 a year": last_year(1.0),
        "last year and 1.3 a year": last_year(1.3),
        "last year and 1.5 a year": last_year(1.5),
        "last five years and 1.5 a year": last_year(1.5, 5),
        "line": curve(1, 0),
        "line through twenty years": curve(1, 0, last=20),
        "line through five years": curve(1, 0, last=5),
        "line and a wave": curve(1, 1),
        "line and three waves": curve(1, 3),
        "line and three waves through ten years": curve(1, 3, last=10),
        "line and three waves through five years": curve(1, 3, last=5),
        "line and three waves through twenty years": curve(1, 3, last=20),
        "line and three waves that met the last year": anchored(curve(1, 3)),
        "robust line and waves": curve(1, 3, HuberRegressor(max_iter=1000), last=20),
        "parabola": curve(2, 0),
        "parabola and a wave": curve(2, 1),
        "parabola and three waves": quadratic,
        "parabola and three waves that met the last year": anchored(quadratic),
        "parabola and three waves that met three years": anchored(quadratic, 3),
        "parabola through ten years": curve(2, 3, last=10),
        "parabola through twenty years": curve(2, 3, last=20),
        "cubic and three waves": curve(3, 3),
        "cubic and three waves that met the last year": anchored(curve(3, 3)),
        "quartic and three waves": curve(4, 3),
        "sixth degree": curve(6, 3),
        "ridge of the fifth degree": curve(5, 3, Ridge(1.0)),
        "waves only": curve(0, 3),
        "forest of dates": learning(forest),
        "LightGBM of dates": learning(boosting.regressor),
        "20 nearest dates": learning(lambda: KNeighborsRegressor(20)),
        "forest beside a line": learning(forest, curve(1, 0)),
        "forest beside a parabola": learning(forest, curve(2, 0)),
        "LightGBM beside a line": learning(boosting.regressor, curve(1, 0, last=20)),
        "LightGBM beside parabola and waves": learning(boosting.regressor, quadratic),
        "smoothing": smoothing(0.1, 0.005, 0.1),
        "smoothing quickly": smoothing(0.5, 0.05, 0.3),
        "smoothing slowly": smoothing(0.03, 0.001, 0.05),
        "smoothing damped": smoothing(0.1, 0.01, 0.1, 0.99),
        "Gaussian process": gaussian(0.1, 50.0),
        "Gaussian process that bends": gaussian(0.1, 10.0),
        "mean of three curves": mean(
            anchored(quadratic), curve(1, 3, last=10), smoothing(0.03, 0.001, 0.05)
        ),
        "mean of four curves": mean(
            anchored(quadratic),
            anchored(curve(1, 3, last=20)),
            gaussian(0.1, 50.0),
            last_year(1.4, 3),
        ),
    }
    return {name: forecasting(forecast) for name, forecast in forecasts.items()}
