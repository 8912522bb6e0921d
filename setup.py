"""Builds the core's C into the wheel where there is a compiler; all else is in pyproject.toml."""

import importlib.util
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

_NATIVE = Path("gptcore/native")
_spec = importlib.util.spec_from_file_location("compiling", Path(__file__).parent / _NATIVE / "compiling.py")
if _spec is None or _spec.loader is None:
    raise SystemExit(f"{_NATIVE}/compiling.py is missing: unpack the source whole.")
compiling = importlib.util.module_from_spec(_spec)  # by its path: gptcore itself needs torch
_spec.loader.exec_module(compiling)


class PlatformDistribution(Distribution):
    """Belongs to this platform where the library can be built, else to any."""

    def has_ext_modules(self) -> bool:
        return bool(compiling.levels_built())


class BuildWithLibrary(build_py):
    """Copies the packages, then compiles the library beside its source."""

    def run(self) -> None:
        super().run()
        compiling.build(Path(self.build_lib) / _NATIVE)


class WheelOfThePlatform(bdist_wheel):
    """A wheel with the library is of one platform, and of every Python 3."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


setup(distclass=PlatformDistribution, cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": WheelOfThePlatform})
