"""Made-up raw data of Predicting Molecular Properties."""

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.preparing.tables import write_csv

TYPICAL = {"1JHC": 95.0, "2JHH": -10.0, "3JHC": 4.0}
ATOMS = "CHHHO"


def fixture(raw: Path) -> None:
    rng = np.random.default_rng(0)
    molecules = [f"dsgdb9nsd_{number:06d}" for number in rng.permutation(1000)[:30]]
    atoms = pd.DataFrame(
        [(name, index, atom) for name in molecules for index, atom in enumerate(ATOMS)],
        columns=["molecule_name", "atom_index", "atom"],
    )
    places = rng.normal(0, 2, (len(atoms), 3))
    structures = atoms.assign(**dict(zip("xyz", places.T)))
    pairs = pd.DataFrame(
        [
            (name, second, first, kind)
            for name in molecules
            for second, first, kind in ((1, 0, "1JHC"), (1, 2, "2JHH"), (3, 0, "3JHC"))
        ],
        columns=["molecule_name", "atom_index_0", "atom_index_1", "type"],
    )
    terms = dict(zip(("fc", "sd", "pso", "dso"), rng.normal(0, 1, (4, len(pairs)))))
    couplings = pairs.assign(
        scalar_coupling_constant=pairs["type"].map(TYPICAL) + sum(terms.values())
    )
    couplings.insert(0, "id", range(len(couplings)))
    tensors = [f"{row}{column}" for column in "XYZ" for row in "XYZ"]
    by_atom, by_molecule = atoms.drop(columns="atom"), pd.DataFrame({"molecule_name": molecules})
    tables = {
        "train": couplings,
        "structures": structures,
        "scalar_coupling_contributions": pairs.assign(**terms),
        "magnetic_shielding_tensors": by_atom.assign(
            **{name: rng.normal(100, 50, len(atoms)) for name in tensors}
        ),
        "mulliken_charges": by_atom.assign(mulliken_charge=rng.normal(0, 0.4, len(atoms))),
        "dipole_moments": by_molecule.assign(**{axis: rng.normal(size=30) for axis in "XYZ"}),
        "potential_energy": by_molecule.assign(potential_energy=rng.normal(-400, 50, 30)),
    }
    for name, table in tables.items():
        write_csv(table, raw / f"{name}.csv")
    (raw / "structures").mkdir()
    for molecule, rows in structures.groupby("molecule_name"):
        lines = [f"{row.atom} {row.x} {row.y} {row.z}\n" for row in rows.itertuples()]
        text = f"{len(rows)}\n\n{''.join(lines)}"
        (raw / "structures" / f"{molecule}.xyz").write_text(text)
