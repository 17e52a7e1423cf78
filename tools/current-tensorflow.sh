#!/usr/bin/env bash
# Prints a Python that has TensorFlow (CPU), for VENTURI_PYTHON_TENSORFLOW: the cluster of test/cluster trains with its distributed runtime.
# The first call makes it, in a cache folder outside the checkout; it is renewed when the version below changes.
set -euo pipefail

name=current-tensorflow
packages=(tensorflow-cpu==2.21.0)
absent='NO TENSORFLOW (%s): parameter servers of the cluster are skipped'
. "${BASH_SOURCE[0]%/*}/python-environment.sh"

lock_environment
print_if_made "${packages[*]}"
# The versions for which this TensorFlow is built.
python=$(find_python '3, 10' '3, 13') || give_up 'no Python 3.10 to 3.13 with venv and ensurepip (Debian: python3-venv)'
# Unpacked it takes 1.4 GB, and the archives lie beside it meanwhile.
make_environment "$python" 3
install_packages
"$home/bin/python" -c 'import tensorflow' 2>/dev/null || give_up 'tensorflow was installed and cannot be imported'
finish_environment "${packages[*]}"
