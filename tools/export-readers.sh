#!/usr/bin/env bash
# Prints a Python that has the readers of formats that `venturi export` writes, for VENTURI_PYTHON_READERS. The first call makes it, in a
# cache folder outside the checkout; it is renewed when the list below changes.
set -euo pipefail

name=export-readers
packages=(perfetto==0.59.1 prometheus_client==0.26.0 opentelemetry-proto==1.45.2 duckdb==2.0.0)
absent='NO READERS OF EXPORTS (%s): what Perfetto, Prometheus, OpenTelemetry and DuckDB say of exports is skipped'
. "${BASH_SOURCE[0]%/*}/python-environment.sh"

lock_environment
print_if_made "${packages[*]}"
python=$(find_python '3, 10' '3, 99') || give_up 'no Python 3.10 or newer with venv and ensurepip (Debian: python3-venv)'
make_environment "$python" 1
install_packages
finish_environment "${packages[*]}"
