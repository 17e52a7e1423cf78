#!/usr/bin/env bash
# Prints a Python that has the newest PyTorch and the libraries whose programs the tests record, for
# VENTURI_PYTHON_LIBRARIES. The first call makes it, in a cache folder outside the checkout; it is renewed after 30 days.
# Says in one line on standard error why there is none, and fails.
set -euo pipefail

packages=(torch torchdata lightning transformers accelerate datasets albumentations opencv-python-headless pillow kornia monai webdataset)
seconds="${VENTURI_INSTALL_SECONDS:-300}"
# Unpacked it takes 6 GB, and the archives lie beside it meanwhile.
needed_gb=12

cache="${XDG_CACHE_HOME:-$HOME/.cache}/venturi"
home="$cache/current-torch"
complete="$home/complete"

give_up() {
  echo "NO CURRENT PYTORCH ($1): programs on it are skipped, as are torchrun, in_order=False, merged profiler traces," \
    'Lightning, Transformers, datasets, albumentations, OpenCV, kornia, MONAI, webdataset and the StatefulDataLoader' >&2
  exit 1
}

for tool in timeout flock; do
  command -v "$tool" >/dev/null || give_up "$tool is not here"
done
mkdir -p "$cache" 2>/dev/null || give_up "$cache cannot be made"
exec 9>"$cache/current-torch.lock"
flock -w "$seconds" 9 || give_up "another installation holds $cache/current-torch.lock"

if [ -n "$(find "$complete" -mtime -30 2>/dev/null)" ] && [ "$(head -n 1 "$complete")" = "${packages[*]}" ] &&
  "$home/bin/python" -c '' 2>/dev/null; then
  echo "$home/bin/python"
  exit
fi

maker=
for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3; do
  if "$python" -c 'import sys, venv, ensurepip; assert sys.version_info >= (3, 10)' 2>/dev/null; then
    maker="$python"
    break
  fi
done
[ -n "$maker" ] || give_up 'no Python 3.10 or newer with venv and ensurepip (Debian: python3-venv)'

rm -rf "$home"
free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1048576))
[ "$free_gb" -ge "$needed_gb" ] || give_up "$cache has $free_gb GB free, and $needed_gb are needed"

# What is broken off leaves nothing behind.
trap '[ -e "$complete" ] || rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
"$maker" -m venv "$home" >/dev/null 2>&1 || give_up "$maker -m venv failed"
mkdir "$home/tmp"
deadline=$((SECONDS + seconds))

# Archives go where the space was counted, and nothing is compiled ahead: what is imported is, on first use.
pip_install() {
  local left=$((deadline - SECONDS))
  [ "$left" -gt 0 ] || return 124
  TMPDIR="$home/tmp" PIP_DISABLE_PIP_VERSION_CHECK=1 timeout --kill-after=10 "$left" "$home/bin/python" -m pip install \
    --quiet --no-input --no-compile --no-cache-dir --only-binary :all: --timeout 30 --retries 2 "$@" >"$home/log" 2>&1 9>&-
}

echo "installing ${packages[*]} into $home" >&2
pip_install "${packages[@]}" ||
  give_up "pip install ended with $? after at most $seconds s: $(grep -v '^$' "$home/log" | tail -n 1)"
version=$("$home/bin/python" -c 'import torch, numpy; print(torch.__version__.partition("+")[0])' 2>/dev/null) ||
  give_up 'torch was installed and cannot be imported'
# A new torch is out some time before the torchvision that fits it.
pip_install torchvision "torch==$version" || echo "no torchvision for torch $version: its tests have Debian's, if anyone's" >&2
rm -rf "$home/tmp"
printf '%s\n' "${packages[*]}" "torch $version, $SECONDS s, $(du -sm "$home" | cut -f 1) MB" >"$complete"
sed -n 2p "$complete" >&2
echo "$home/bin/python"
