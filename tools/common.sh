# Sourced by the other scripts: they run from the repository's root and stop at the first failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# Compilers to run at once: one per processor, and 1.5 GiB of memory for each.
jobs() {
  local cores gib
  cores=$(nproc)
  gib=$(awk '/^MemTotal/ { print int($2 / 1572864) }' /proc/meminfo 2>/dev/null || echo 2)
  echo $((gib < 1 ? 1 : gib < cores ? gib : cores))
}
