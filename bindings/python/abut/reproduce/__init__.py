"""Experiments of the papers, run again: data, figures, a page, and a verdict for each expectation.

    abut reproduce falling-sphere           # or: python -m abut.reproduce falling-sphere

An experiment is a Python file with a text at its top, a SOURCE and a function run(run: Run); those of the
papers are in abut.experiments. docs/reproduce.md is the guide. Needs matplotlib.
"""
