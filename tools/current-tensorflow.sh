#!/usr/bin/env bash
# Prints a Python that has TensorFlow (CPU), for VENTURI_PYTHON_TENSORFLOW: the cluster of test/cluster trains with its distributed runtime.
# The first call makes it, in a cache folder outside the checkout; it is renewed when the version below changes.
# Says in one line on standard error why there is none, and fails.
set -euo pipefail

packages=(tensorflow-cpu==2.21.0)
seconds="${VENTURI_INSTALL_SECONDS:-300}"
# Unpacked it takes 1.4 GB, and the archives lie beside it meanwhile.
needed_gb=3

cache="${XDG_CACHE_HOME:-$HOME/.cache}/venturi"
home="$cache/current-tensorflow"
complete="$home/complete"

give_up() {
  echo "NO TENSORFLOW ($1): parameter servers of the cluster are skipped" >&2
  exit 1
}

for tool in timeout flock; do
  command -v "$tool" >/dev/null || give_up "$tool is not here"
done
mkdir -p "$cache" 2>/dev/null || give_up "$cache cannot be made"
exec 9>"$cache/current-tensorflow.lock"
flock -w "$seconds" 9 || give_up "another installation holds $cache/current-tensorflow.lock"

if [ "$(head -n 1 "$complete" 2>/dev/null)" = "${packages[*]}" ] && "$home/bin/python" -c '' 2>/dev/null; then
  echo "$home/bin/python"
  exit
fi

# The versions for which this TensorFlow is built.
maker=
for python in python3 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3; do
  if "$python" -c 'import sys, venv, ensurepip; assert (3, 10) <= sys.version_info[:2] <= (3, 13)' 2>/dev/null; then
    maker="$python"
    break
  fi
done
[ -n "$maker" ] || give_up 'no Python 3.10 to 3.13 with venv and ensurepip (Debian: python3-venv)'

rm -rf "$home"
free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1048576))
[ "$free_gb" -ge "$needed_gb" ] || give_up "$cache has $free_gb GB free, and $needed_gb are needed"

# What is broken off leaves nothing behind.
trap '[ -e "$complete" ] || rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
"$maker" -m venv "$home" >/dev/null 2>&1 || give_up "$maker -m venv failed"
mkdir "$home/tmp"

echo "installing ${packages[*]} into $home" >&2
TMPDIR="$home/tmp" PIP_DISABLE_PIP_VERSION_CHECK=1 timeout --kill-after=10 "$seconds" "$home/bin/python" -m pip install \
  --quiet --no-input --no-compile --no-cache-dir --only-binary :all: --timeout 30 --retries 2 "${packages[@]}" >"$home/log" 2>&1 9>&- ||
  give_up "pip install ended with $? after at most $seconds s: $(grep -v '^$' "$home/log" | tail -n 1)"
"$home/bin/python" -c 'import tensorflow' 2>/dev/null || give_up 'tensorflow was installed and cannot be imported'
rm -rf "$home/tmp"
printf '%s\n' "${packages[*]}" "$SECONDS s, $(du -sm "$home" | cut -f 1) MB" >"$complete"
sed -n 2p "$complete" >&2
echo "$home/bin/python"
