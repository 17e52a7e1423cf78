# Sourced by the scripts that print a Python with certain packages. They set first:
#   name       its folder in the cache, outside the checkout
#   packages   what pip installs
#   absent     what to say where there is none, with %s for the reason
# Whatever keeps them from it is one line on standard error, and the script fails.

seconds="${VENTURI_INSTALL_SECONDS:-300}"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/venturi"
home="$cache/$name"
complete="$home/complete"

give_up() {
  # shellcheck disable=SC2059
  printf "$absent\n" "$1" >&2
  exit 1
}

# One script at a time makes an environment; the others wait for it.
lock_environment() {
  local tool
  for tool in timeout flock; do
    command -v "$tool" >/dev/null || give_up "$tool is not here"
  done
  mkdir -p "$cache" 2>/dev/null || give_up "$cache cannot be made"
  exec 9>"$home.lock"
  flock -w "$seconds" 9 || give_up "another installation holds $home.lock"
}

# Prints the Python and leaves, where one was made for `$1` that still starts, no more than `$2` days ago.
print_if_made() {
  local newer=${2:+-mtime -$2}
  # shellcheck disable=SC2086
  if [ -n "$(find "$complete" $newer 2>/dev/null)" ] && [ "$(head -n 1 "$complete")" = "$1" ] && "$home/bin/python" -c '' 2>/dev/null; then
    echo "$home/bin/python"
    exit
  fi
}

# The first Python whose version is between two, with all that it takes to make an environment.
find_python() {
  local python
  for python in python3 python3.14 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3; do
    if "$python" -c "import sys, venv, ensurepip; assert ($1) <= sys.version_info[:2] <= ($2)" 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  return 1
}

# An empty one, by the Python `$1`, where `$2` GB are free. What is broken off leaves nothing behind.
make_environment() {
  rm -rf "$home"
  local free_gb
  free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1048576))
  [ "$free_gb" -ge "$2" ] || give_up "$cache has $free_gb GB free, and $2 are needed"
  trap '[ -e "$complete" ] || rm -rf "$home"' EXIT
  trap 'exit 1' HUP INT TERM
  "$1" -m venv "$home" >/dev/null 2>&1 || give_up "$1 -m venv failed"
  mkdir "$home/tmp"
  : >"$home/log"
  deadline=$((SECONDS + seconds))
}

# Archives go where the space was counted, and nothing is compiled ahead: what is imported is, on first use.
pip_install() {
  local left=$((deadline - SECONDS))
  [ "$left" -gt 0 ] || return 124
  TMPDIR="$home/tmp" PIP_DISABLE_PIP_VERSION_CHECK=1 timeout --kill-after=10 "$left" "$home/bin/python" -m pip install \
    --quiet --no-input --no-compile --no-cache-dir --only-binary :all: --timeout 30 --retries 2 "$@" >"$home/log" 2>&1 9>&-
}

install_packages() {
  echo "installing ${packages[*]} into $home" >&2
  pip_install "${packages[@]}" ||
    give_up "pip install ended with $? after at most $seconds s: $(grep -v '^$' "$home/log" | tail -n 1)"
}

# Marks it as made for `$1`, and prints its Python.
finish_environment() {
  rm -rf "$home/tmp"
  printf '%s\n' "$1" "${2:+$2, }$SECONDS s, $(du -sm "$home" | cut -f 1) MB" >"$complete"
  sed -n 2p "$complete" >&2
  echo "$home/bin/python"
}
