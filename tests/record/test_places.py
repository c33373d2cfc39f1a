"""The folder of traces: private to the user; messages about it are true."""

import os

import pytest

from sleuth.errors import RecordError
from sleuth.record.places import new_file
from tests.ready import ran

PROGRAM = "print('ran')\n"


def recorded(folder, environment, *options, program=PROGRAM, name="prog.py"):
    (folder / name).write_text(program)
    return ran(["record", *options, "--", name], cwd=folder, env=environment)


def test_a_folder_of_ones_own_is_made_and_used_again(tmp_path):
    first = new_file("a", tmp_path)
    assert (tmp_path / ".sleuth").stat().st_mode & 0o777 == 0o700
    assert new_file("a", tmp_path).parent == first.parent


def test_a_link_in_place_of_the_folder_is_refused(tmp_path, environment):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / ".sleuth").symlink_to(tmp_path / "elsewhere")
    run = recorded(tmp_path, environment)
    assert run.returncode == 2
    assert run.stdout == ""
    assert f"{tmp_path}/.sleuth is a link" in run.stderr
    assert "--output" in run.stderr
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / ".sleuth").unlink()
    (tmp_path / ".sleuth").symlink_to(tmp_path / "nowhere")
    with pytest.raises(RecordError, match="is a link"):
        new_file("a", tmp_path)


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o755, 0o750, 0o701, 0o720])
def test_a_folder_that_is_open_to_others_is_refused(tmp_path, mode):
    (tmp_path / ".sleuth").mkdir()
    (tmp_path / ".sleuth").chmod(mode)
    with pytest.raises(RecordError, match=r"open to other users.*chmod go-rwx .*--output"):
        new_file("a", tmp_path)
    (tmp_path / ".sleuth").chmod(0o700)
    assert new_file("a", tmp_path).parent.name == ".sleuth"


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / ".sleuth").write_text("")
    with pytest.raises(RecordError, match="is no folder"):
        new_file("a", tmp_path)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path):
    (tmp_path / ".sleuth").mkdir(mode=0o700)
    os.chown(tmp_path / ".sleuth", 12345, 12345)
    with pytest.raises(RecordError, match="belongs to another user"):
        new_file("a", tmp_path)


@pytest.mark.parametrize(
    ("what", "says"),
    [
        ("shutil.rmtree('out')", True),
        ("os.rename('out', 'moved')", True),
        ("os.unlink('out/a.trace'); open('out/a.trace', 'w').close()", True),
        ("pass", False),
    ],
)
def test_a_trace_that_was_removed_meanwhile_is_not_told_as_written(
    tmp_path, environment, what, says
):
    (tmp_path / "out").mkdir()
    program = f"import os, shutil\ndef f(): return 1\nf()\n{what}\nprint('ran')\n"
    run = recorded(tmp_path, environment, "--output", "out/a.trace", program=program)
    assert run.returncode == 0
    assert run.stdout == "ran\n"
    assert ("no trace is left" in run.stderr) is says


def test_nothing_that_is_said_can_steer_the_terminal(tmp_path, environment):
    name = "a\x1b[31m\x9b2J\u202e.trace"
    run = recorded(tmp_path, environment, "--output", name)
    assert (tmp_path / name).exists()
    again = recorded(tmp_path, environment, "--output", name)
    wrong = recorded(tmp_path, environment, "--output", "\x1b[2J/b.trace")
    unknown = recorded(tmp_path, environment, "--\x1b[2J")
    assert "exists already" in again.stderr
    assert "there is no folder" in wrong.stderr
    for said in (run.stderr, again.stderr, wrong.stderr, unknown.stderr):
        assert said
        assert all(line.isprintable() for line in said.splitlines()), said
