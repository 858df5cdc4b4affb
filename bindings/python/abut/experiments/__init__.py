"""The papers' experiments, one file per figure or table: `abut reproduce --list`."""
