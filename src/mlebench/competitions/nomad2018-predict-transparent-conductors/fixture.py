"""Made-up raw data of Nomad2018."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.archives import pack


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    rows = 120
    ids = range(1, rows + 1)
    aluminium, gallium, indium = rng.multinomial(16, [0.4, 0.3, 0.3], rows).T / 16
    lengths = rng.uniform(5, 20, (rows, 3)).round(4)
    angles = rng.normal(90, 0.1, (rows, 3)).round(4)
    materials = pd.DataFrame(
        {
            "id": ids,
            "spacegroup": rng.choice([12, 33, 167, 194, 206, 227], rows),
            "number_of_total_atoms": rng.choice([10.0, 20.0, 30.0, 40.0, 60.0, 80.0], rows),
            "percent_atom_al": aluminium,
            "percent_atom_ga": gallium,
            "percent_atom_in": indium,
            **{f"lattice_vector_{axis + 1}_ang": lengths[:, axis] for axis in range(3)},
            "lattice_angle_alpha_degree": angles[:, 0],
            "lattice_angle_beta_degree": angles[:, 1],
            "lattice_angle_gamma_degree": angles[:, 2],
            "formation_energy_ev_natom": rng.normal(0.1 + 0.2 * indium, 0.01).round(4),
            "bandgap_energy_ev": rng.normal(1 + 4 * aluminium, 0.1).round(4),
        }
    )
    pack(raw / "train.csv.zip", {"train.csv": materials.to_csv(index=False)})
    geometries = {f"train/{k}/geometry.xyz": geometry(k, cell) for k, cell in zip(ids, lengths)}
    pack(raw / "train.zip", geometries)


def geometry(material: int, lengths: np.ndarray) -> str:
    vectors = "".join(f"lattice_vector {x} {y} {z}\n" for x, y, z in np.diag(lengths))
    return f"# material {material}\n{vectors}atom 0.0 0.0 0.0 Al\natom 1.5 0.0 0.0 O\n"
