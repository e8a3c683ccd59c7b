"""Packing and unpacking, under the names of the original."""

from __future__ import annotations

from pathlib import Path

__all__ = ["compress", "extract", "is_compressed"]

COMPRESSED_SUFFIXES = frozenset({".zip", ".tar", ".gz", ".tgz", ".rar", ".7z"})
SUPPORTED_SUFFIXES = (".zip", ".7z")


def is_compressed(fpath: Path | str) -> bool:
    """Whether a file's name says that it is an archive or compressed."""
    return Path(fpath).suffix in COMPRESSED_SUFFIXES


def extract(
    compressed: Path | str,
    dst: Path | str,
    recursive: bool = False,
    already_extracted: set[Path] | None = None,
) -> None:
    """Unpack a zip or 7z archive into a folder.

    Args:
        compressed: The archive; it stays.
        dst: The folder.
        recursive: Unpack archives that then lie directly in ``dst`` as well, into ``dst``
            itself.
        already_extracted: Archives to leave alone; those that are unpacked are added.

    Raises:
        NotImplementedError: An archive is neither a zip nor a 7z.
    """
    archive, folder = Path(compressed), Path(dst)
    done = set() if already_extracted is None else already_extracted
    _require_supported(archive)
    from mlebench.preparing.archives import extract_all

    done.add(archive)
    extract_all(archive, folder)
    if not recursive:
        return
    for path in sorted(folder.iterdir()):
        if path.is_file() and is_compressed(path) and path not in done:
            extract(path, folder, recursive=True, already_extracted=done)


def compress(src: Path | str, compressed: Path | str, exist_ok: bool = False) -> None:
    """Pack a folder into a zip or 7z archive, under names relative to the folder.

    Raises:
        FileNotFoundError: There is nothing to pack.
        FileExistsError: The archive exists and ``exist_ok`` is not set.
        NotImplementedError: The archive is to be neither a zip nor a 7z.
    """
    source, archive = Path(src), Path(compressed)
    _require_supported(archive)
    if not source.exists():
        raise FileNotFoundError(f"`{source}` does not exist.")
    if archive.exists() and not exist_ok:
        raise FileExistsError(f"`{archive}` exists already.")
    files = {source.name: source} if source.is_file() else _files_below(source, archive)
    from mlebench.preparing.archives import pack, pack_7z

    (pack_7z if archive.suffix == ".7z" else pack)(archive, files)


def _files_below(folder: Path, archive: Path) -> dict[str, Path]:
    """All files below a folder by their relative names, but not the archive in the making."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and path != archive)
    return {path.relative_to(folder).as_posix(): path for path in paths}


def _require_supported(archive: Path) -> None:
    if archive.suffix not in SUPPORTED_SUFFIXES:
        raise NotImplementedError(
            f"`{archive}` is neither a zip nor a 7z, and other kinds are not supported."
        )
