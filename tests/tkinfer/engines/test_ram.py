from pathlib import Path

import psutil

from tkinfer.engines.ram import available_bytes, cgroup_rooms


def group(folder: Path, limit: str, used: int, cached: int = 0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "memory.max").write_text(f"{limit}\n")
    (folder / "memory.current").write_text(f"{used}\n")
    (folder / "memory.stat").write_text(f"anon 5\nactive_file {cached}\ninactive_file 7\n")


def rooms(tmp_path: Path, own: str) -> list[int]:
    (tmp_path / "own").write_text(own)
    return list(cgroup_rooms(tmp_path / "own", tmp_path / "root"))


def test_each_group_around_limits(tmp_path: Path) -> None:
    group(tmp_path / "root", "9000", 1000)
    group(tmp_path / "root/user", "max", 1000)
    group(tmp_path / "root/user/app", "5000", 3000, cached=500)
    assert rooms(tmp_path, "0::/user/app\n") == [2507, 8007]


def test_without_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert rooms(tmp_path, "0::/gone/away\n") == []
    assert rooms(tmp_path, "4:memory:/old\n") == []
    assert list(cgroup_rooms(tmp_path / "nowhere")) == []


def test_what_is_available_is_no_more_than_the_system_has() -> None:
    assert 0 < available_bytes() < psutil.virtual_memory().total
