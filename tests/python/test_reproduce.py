"""`abut reproduce`: what it lists, runs, stores, and says of what is not met; two cheap experiments."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import abut
from abut.experiments import _hessian
from abut.experiments._clutter import clutter
from abut.reproduce import checks, command, library
from abut.reproduce.checks import Verdict
from abut.reproduce.progress import Progress
from abut.reproduce.run import Run

OWN = '''"""An experiment of one's own.

It counts to `three` <and> no further.
"""

from pathlib import Path

SOURCE = "nowhere, figure 1"


def run(run):
    Path({counter!r}).open("a").write("x")
    for i in run.cases([1, 2, 3]):
        pass
    run.near("three", {value}, 3, absolute=1e-9, unit="m", source="arithmetic"{known})
    run.table("numbers", "the numbers", {{"x [m]": [1, 2.5], "name": ["a", "b"]}})
    with run.figure("line", "a line", "figure 1: the same") as axes:
        axes.plot([0, 1], [0, 1], label="line")
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Writes an experiment file whose check measures a value, and runs it; how often it ran is in `counter`."""
    monkeypatch.chdir(tmp_path)
    counter = tmp_path / "counter"

    def run(value: object = 3, known: str = "", *options: str) -> int:
        text = OWN.format(counter=str(counter), value=value, known=f", known={known!r}" if known else "")
        (tmp_path / "own_count.py").write_text(text)
        return command.main(["own_count.py", *options])

    return run


def runs(folder: Path) -> int:
    return len((folder / "counter").read_text())


def test_every_experiment_is_listed_with_title_and_source(capsys):
    assert command.main(["--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == library.names()
    assert {"falling-sphere", "conveyor", "clutter", "near-rigid"} <= set(library.names())
    for line in lines:
        assert re.fullmatch(r"\S+ +\S.*\S \[(ICFT|SAP|ICF|CB|BARAFF|SimBenchmark),? .*\]", line), line


def test_an_unknown_name_is_wrong_input_with_the_nearest_one(capsys):
    assert command.main(["fallingsphere"]) == 2
    assert capsys.readouterr().err == ("abut: no experiment is called 'fallingsphere', did you mean "
                                       "falling-sphere?\n")
    assert command.main(["nowhere.py"]) == 4
    with pytest.raises(SystemExit) as end:
        command.main([])
    assert end.value.code == 2


def test_a_met_check_is_exit_code_0_and_on_the_page(own, tmp_path, capsys):
    assert own(3) == 0
    folder = tmp_path / "reproduced" / "own-count"
    assert capsys.readouterr().out.startswith("own-count              1 met (")
    page = (folder / "index.html").read_text()
    assert "<h1>An experiment of one&#x27;s own</h1>" in page
    assert "<code>three</code> &lt;and&gt; no further" in page
    for text in ("nowhere, figure 1", "3 ± 1e-09 m", "3 m", "arithmetic", 'class="verdict met">met',
                 'src="line.svg"', "figure 1: the same", 'href="numbers.csv"'):
        assert text in page, text
    assert (folder / "numbers.csv").read_text().splitlines() == ["x [m],name", "1,a", "2.5,b"]
    assert (folder / "line.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "line.svg").read_text()


@pytest.mark.parametrize("value", ["3.1", "float('nan')", "float('inf')"])
def test_a_check_that_is_not_met_is_exit_code_1(own, tmp_path, capsys, value):
    assert own(value) == 1
    assert "not met: three: expected 3 ± 1e-09 m, measured" in capsys.readouterr().out
    assert 'class="verdict red">not met' in (tmp_path / "reproduced/own-count/index.html").read_text()


def test_a_known_deviation_is_green_with_its_reason_until_it_is_gone(own, tmp_path, capsys):
    assert own(3.1, "the paper <lost> a digit") == 0
    page = (tmp_path / "reproduced/own-count/index.html").read_text()
    assert 'class="verdict known">known deviation' in page
    assert "Why: the paper &lt;lost&gt; a digit" in page
    assert own(3, "the paper lost a digit") == 1
    assert "met, but listed as a known deviation: three" in capsys.readouterr().out


def test_a_result_is_stored_until_the_experiment_changes(own, tmp_path, capsys):
    assert own(3) == 0
    assert own(3) == 0
    assert runs(tmp_path) == 1
    assert "(stored)" in capsys.readouterr().out.splitlines()[-1]
    assert own(3 + 1e-12) == 0  # another source
    assert runs(tmp_path) == 2
    assert own(3 + 1e-12, "", "--quick") == 0  # another folder
    assert runs(tmp_path) == 3
    assert own(3 + 1e-12, "", "--again") == 0
    assert runs(tmp_path) == 4
    assert (tmp_path / "reproduced/own-count-quick/index.html").exists()


def test_what_is_stored_and_torn_or_incomplete_is_run_again(own, tmp_path):
    folder = tmp_path / "reproduced" / "own-count"
    own(3)
    (folder / "line.svg").unlink()
    own(3)
    assert runs(tmp_path) == 2 and (folder / "line.svg").exists()
    (folder / "result.json").write_text((folder / "result.json").read_text()[:100])
    own(3)
    assert runs(tmp_path) == 3
    result = json.loads((folder / "result.json").read_text())
    result["key"] = "0" * 64  # of another library
    (folder / "result.json").write_text(json.dumps(result))
    own(3)
    assert runs(tmp_path) == 4


def test_a_stored_red_result_stays_red(own):
    assert own(4) == 1
    assert own(4) == 1


def test_the_result_of_before_stays_when_an_experiment_fails(own, tmp_path):
    own(3)
    page = (tmp_path / "reproduced/own-count/index.html").read_text()
    with pytest.raises(NameError):
        own("nothing")
    assert (tmp_path / "reproduced/own-count/index.html").read_text() == page


def test_a_file_without_text_or_source_is_wrong_input(tmp_path, capsys):
    (tmp_path / "empty.py").write_text("def run(run):\n    pass\n")
    assert command.main([str(tmp_path / "empty.py")]) == 2
    assert "needs SOURCE" in capsys.readouterr().err


def test_what_needs_packages_that_are_not_there_is_left_out_of_all(own, tmp_path, capsys, monkeypatch):
    own()
    text = (tmp_path / "own_count.py").read_text().replace("SOURCE =", 'NEEDS = ("json", "no_such_package")\nSOURCE =')
    (tmp_path / "own_count.py").write_text(text)
    capsys.readouterr()
    assert command.main(["own_count.py"]) == 2
    assert capsys.readouterr().err == "abut: own-count needs no_such_package: pip install no_such_package\n"
    monkeypatch.setattr(library, "names", lambda: ["own_count.py"])
    assert command.main(["--all"]) == 0
    assert capsys.readouterr().out == "not run: own-count needs no_such_package: pip install no_such_package\n"
    assert runs(tmp_path) == 1


def test_bounds_are_inclusive_and_numbers_have_the_digits_that_the_tolerance_asks_for():
    assert checks.at_most("", 1.0, 1.0, source="").verdict is Verdict.MET
    assert checks.at_most("", np.nextafter(1, 2), 1.0, source="").verdict is Verdict.NOT_MET
    assert checks.near("", 1.1, 1.0, relative=0.05, absolute=0.1 + 1e-15, source="").verdict is Verdict.MET
    exact = checks.near("", 3.2758712, 3.2758713, relative=1e-6, unit="m", source="")
    assert (exact.expected, exact.measured_text) == ("3.2758713 ± 3.3e-06 m", "3.2758712 m")
    assert checks.near("", 2.0, 2.0, relative=0.02, unit="s", source="").expected == "2 s ± 2 %"
    many = checks.near("", 23296, 22561, relative=0.1, source="")
    assert (many.expected, many.measured_text) == ("22600 ± 10 %", "23300")
    assert checks.at_least("", 3e6, 1e6, source="").measured_text == "3e+06"


def test_no_experiment_depends_on_another_ones_file():
    for name in library.names():
        text = library.find(name).file.read_text()
        assert not re.search(r"abut\.experiments(?:\.| import )[^_]", text), name  # its key does not hold them


@pytest.mark.parametrize("name", ["near-rigid", "simbenchmark-tower"])
def test_a_cheap_experiment_is_green(name, tmp_path, monkeypatch, capsys):
    assert command.main([name, "--quick", "--out", str(tmp_path)]) == 0, capsys.readouterr().out
    page = (tmp_path / f"{name}-quick" / "index.html").read_text()
    assert page.count('class="verdict met"') >= 15
    assert f'href="{name}-quick/index.html"' in (tmp_path / "index.html").read_text()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_by_the_cost_of_cases(tmp_path):
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        run = Run(tmp_path, progress=Progress("slow", stream))
        shares = []
        for _ in run.cases([1, 3], cost=float, until=0.5):
            shares.append(run._done)
        for _ in run.cases([1]):
            shares.append(run._done)
        assert shares == [0, 0.125, 0.5]
        run.progress.end()
    assert re.search(r"slow +\[#{24}\] 100 %, 0 s left", terminal.getvalue())
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert file.getvalue() == ""


def test_a_replay_is_a_page_where_the_build_has_one(ball, tmp_path):
    run = Run(tmp_path)
    run.replay("ball", "a ball", ball, 20)
    assert ball.steps == (20 if abut.page_available() else 0)
    written = ["ball.html"] if abut.page_available() else []
    assert [part.file for part in run.parts] == [path.name for path in tmp_path.iterdir()] == written


def test_the_package_is_a_command():
    done = subprocess.run([sys.executable, "-m", "abut.reproduce", "--list"], text=True, capture_output=True)
    assert done.returncode == 0 and done.stdout.count("\n") == len(library.names()), done.stderr


@pytest.mark.parametrize("model", abut.convex_models())
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_the_hessian_of_experiments_is_that_of_the_problem(model):
    """Its gradient vanishes at the solution, and the Hessian is the gradient's derivative."""
    world = abut.World(clutter(2, 4), model=model, time_step=2e-3, friction=1.0, tolerance=1e-13)
    random = np.random.default_rng(1)
    for steps in (150, 100, 250):
        world.step(steps)
        problem, solution = world.problem, world.solution
        at = _hessian.at_last_step(world)
        assert world.report.contacts > 0
        assert np.max(np.abs(at.impulse - solution.impulse)) <= 1e-12
        assert np.max(np.abs(at.gradient)) <= 1e-11
        factor = abut.HessianFactor(problem, solution)  # which shares no code with it
        assert abs(factor.condition() / at.condition - 1) <= 1e-5
        u = random.normal(size=problem.dofs)
        np.testing.assert_allclose(factor.multiply(u), at.hessian @ u, rtol=0, atol=1e-9 * np.max(np.abs(at.hessian @ u)))
        np.testing.assert_allclose(factor.multiply(factor.solve(u)), u, rtol=0, atol=1e-7)
        for _ in range(5):  # about velocities that are near no kink
            v, along = solution.velocity + random.normal(scale=1e-3, size=problem.dofs), random.normal(size=problem.dofs)
            h = 1e-9
            ahead, here, behind = (_hessian.linearize(problem, v + s * h * along, solution.lagged_impulse)
                                   for s in (1, 0, -1))
            change = (ahead.gradient - behind.gradient) / (2 * h)
            np.testing.assert_allclose(change, here.hessian @ along, rtol=0, atol=1e-4 * np.max(np.abs(change)))
