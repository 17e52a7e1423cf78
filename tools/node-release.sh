#!/usr/bin/env bash
# Prints the folder of a Node of the version given, exact or `latest`, to be put first into PATH. Node comes from npm's package
# `node`, into a cache folder outside the checkout. Says in one line on standard error why there is none, and fails.
set -euo pipefail

version="$1"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/venturi"

give_up() {
  echo "NO NODE $version ($1): the tests are not run on it" >&2
  exit 1
}

if [ "$version" = latest ]; then
  version=$(npm view node version 2>/dev/null) || give_up 'the registry does not answer'
fi
home="$cache/node-$version"
bin="$home/node_modules/node/bin"
if ! "$bin/node" --version >/dev/null 2>&1; then
  rm -rf "$home"
  mkdir -p "$home" 2>/dev/null || give_up "$home cannot be made"
  timeout 300 npm install --prefix "$home" --no-save --no-audit --no-fund "node@$version" >"$home/log" 2>&1 ||
    give_up "npm install failed: $(grep -v '^$' "$home/log" | tail -n 1)"
fi
[ "$("$bin/node" --version 2>/dev/null)" = "v$version" ] || give_up "$bin/node does not start"
echo "$bin"
