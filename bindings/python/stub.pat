# What Python files add to the compiled classes (abut/_hints.py, abut/view.py) is not for type checkers.
.*\.(__getattr__|__setattr__|_repr_html_):
