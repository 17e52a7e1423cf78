#!/usr/bin/env bash
# Prints a Python that has, beside all that tools/current-torch.sh installs, the libraries and profilers of `npm run -s bench -- wild`
# and `-- peers`, for VENTURI_PYTHON_WILD. They take 0.1 GB in an environment of their own, which borrows the other one's packages.
# Says in one line on standard error why there is none, and fails.
set -euo pipefail

packages=(timm monai webdataset traceml-ai==0.5.0 loadtune==0.3.0 py-spy)
seconds="${VENTURI_INSTALL_SECONDS:-300}"

cache="${XDG_CACHE_HOME:-$HOME/.cache}/venturi"
home="$cache/wild-libraries"
complete="$home/complete"

give_up() {
  echo "NO LIBRARIES FOR THE BENCH ($1)" >&2
  exit 1
}

base=$("$(dirname "${BASH_SOURCE[0]}")/current-torch.sh") || give_up 'there is no Python with PyTorch to add them to'
exec 9>"$cache/wild-libraries.lock"
flock -w "$seconds" 9 || give_up "another installation holds $cache/wild-libraries.lock"

# Made anew with the environment it borrows from.
made_for="${packages[*]} on $(tail -n 1 "$(dirname "$base")/../complete")"
if [ "$(head -n 1 "$complete" 2>/dev/null)" = "$made_for" ] && "$home/bin/python" -c 'from importlib.util import find_spec; assert find_spec("torch") and find_spec("timm")' 2>/dev/null; then
  echo "$home/bin/python"
  exit
fi

rm -rf "$home"
# What is broken off leaves nothing behind.
trap '[ -e "$complete" ] || rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
"$base" -m venv "$home" >/dev/null 2>&1 || give_up "$base -m venv failed"
borrowed=$("$base" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
own=$("$home/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$borrowed" >"$own/borrowed.pth"

echo "installing ${packages[*]} into $home" >&2
PIP_DISABLE_PIP_VERSION_CHECK=1 timeout --kill-after=10 "$seconds" "$home/bin/python" -m pip install \
  --quiet --no-input --no-compile --no-cache-dir --only-binary :all: --timeout 30 --retries 2 "${packages[@]}" >"$home/log" 2>&1 9>&- ||
  give_up "pip install ended with $? after at most $seconds s: $(grep -v '^$' "$home/log" | tail -n 1)"
printf '%s\n' "$made_for" "$SECONDS s, $(du -sm "$home" | cut -f 1) MB" >"$complete"
sed -n 2p "$complete" >&2
echo "$home/bin/python"
