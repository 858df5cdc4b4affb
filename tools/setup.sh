#!/usr/bin/env bash
# setup.sh GROUP...: makes this machine ready. Installs the missing packages of deps/apt.txt and,
# in .venv, the wheels pinned by deps/GROUP.lock; with the group `build` also viewer/node_modules,
# pinned by viewer/package-lock.json, where there is node. The groups `browser`, unless CHROMIUM names
# one, and `siconos` are deps/apt-GROUP.txt. Does nothing, and needs no network, when that was done before.
# PYTHON names the interpreter (default python3).
source "$(dirname "$0")/common.sh"

# install_packages LIST: those of the file that are missing
install_packages() {
  command -v dpkg-query >/dev/null || return 0  # not Debian: CMake says what it misses
  local missing=() package
  while read -r package; do
    [[ -z $package || $package == \#* ]] && continue
    [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) == ii* ]] ||
      missing+=("$package")
  done < "$1"
  ((${#missing[@]})) || return 0

  local sudo=()
  if ((EUID != 0)); then
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; then
      sudo=(sudo)
    else
      fail "please let an administrator run: apt-get install ${missing[*]}"
    fi
  fi
  echo "installing ${missing[*]}"
  "${sudo[@]}" apt-get update -qq || true  # an old list may do
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install ${missing[*]}"
}

make_venv() {
  .venv/bin/python -c 'import pip' 2>/dev/null && return 0
  local python=${PYTHON:-python3}
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    fail "$python is not Python 3.11 or newer, which the pinned wheels need; set PYTHON=..."
  echo "creating .venv"
  rm -rf .venv
  "$python" -m venv .venv || fail "$python -m venv failed"
}

install_wheels() {
  local group=$1 lock=deps/$1.lock stamp=.venv/installed-$1.sha256
  [[ -f $lock ]] || fail "no group '$group': deps/ has $(cd deps && ls ./*.lock | xargs)"
  [[ -f $stamp ]] && sha256sum --status -c "$stamp" && return 0
  make_venv
  echo "installing the wheels of $lock"
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary :all: -r "$lock" || fail "pip could not install $lock"
  sha256sum "$lock" > "$stamp"
}

# what the browser page is bundled from and tested with; without node abut does without its page
install_viewer() {
  local lock=viewer/package-lock.json stamp=viewer/node_modules/installed.sha256
  [[ -f $stamp ]] && sha256sum --status -c "$stamp" && return 0
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "node and npm are not installed: building without the browser page"
    return 0
  fi
  echo "installing the packages of $lock"
  (cd viewer && npm ci --ignore-scripts --silent) || fail "npm could not install $lock"
  sha256sum "$lock" > "$stamp"
}

(($#)) || fail "which group? deps/ has $(cd deps && ls ./*.lock | xargs)"
packages=.venv/installed-apt.sha256
if ! { [[ -f $packages ]] && sha256sum --status -c "$packages"; }; then
  install_packages deps/apt.txt
  make_venv
  sha256sum deps/apt.txt > "$packages"
fi
for group in "$@"; do
  if [[ $group == browser ]]; then
    [[ -n ${CHROMIUM:-} ]] || install_packages deps/apt-browser.txt
    continue
  fi
  if [[ $group == siconos ]]; then
    install_packages deps/apt-siconos.txt
    continue
  fi
  install_wheels "$group"
  if [[ $group == build ]]; then install_viewer; fi
done
