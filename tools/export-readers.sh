#!/usr/bin/env bash
# Prints a Python that has the readers of formats that `venturi export` writes, for VENTURI_PYTHON_READERS. The first call makes it, in a
# cache folder outside the checkout; it is renewed when the list below changes. Says in one line on standard error why there is none, and fails.
set -euo pipefail

packages=(perfetto==0.59.1 prometheus_client==0.26.0 opentelemetry-proto==1.45.2 duckdb==2.0.0)
seconds="${VENTURI_INSTALL_SECONDS:-300}"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/venturi"
home="$cache/export-readers"
complete="$home/complete"

give_up() {
  echo "NO READERS OF EXPORTS ($1): what Perfetto, Prometheus, OpenTelemetry and DuckDB say of exports is skipped" >&2
  exit 1
}

mkdir -p "$cache" 2>/dev/null || give_up "$cache cannot be made"
exec 9>"$cache/export-readers.lock"
flock -w "$seconds" 9 || give_up "another installation holds $cache/export-readers.lock"
if [ "$(head -n 1 "$complete" 2>/dev/null)" = "${packages[*]}" ] && "$home/bin/python" -c '' 2>/dev/null; then
  echo "$home/bin/python"
  exit
fi

rm -rf "$home"
# What is broken off leaves nothing behind.
trap '[ -e "$complete" ] || rm -rf "$home"' EXIT
trap 'exit 1' HUP INT TERM
python3 -m venv "$home" >/dev/null 2>&1 || give_up 'python3 -m venv failed (Debian: python3-venv)'
echo "installing ${packages[*]} into $home" >&2
PIP_DISABLE_PIP_VERSION_CHECK=1 timeout --kill-after=10 "$seconds" "$home/bin/python" -m pip install \
  --quiet --no-input --no-cache-dir --only-binary :all: "${packages[@]}" >"$home/log" 2>&1 9>&- ||
  give_up "pip install ended with $?: $(grep -v '^$' "$home/log" | tail -n 1)"
echo "${packages[*]}" >"$complete"
echo "$home/bin/python"
