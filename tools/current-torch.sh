#!/usr/bin/env bash
# Prints a Python that has the newest PyTorch and the libraries whose programs the tests record, for
# VENTURI_PYTHON_LIBRARIES. The first call makes it, in a cache folder outside the checkout; it is renewed after 30 days.
set -euo pipefail

name=current-torch
packages=(torch torchdata lightning transformers accelerate datasets albumentations opencv-python-headless pillow kornia monai webdataset)
absent='NO CURRENT PYTORCH (%s): programs on it are skipped, as are torchrun, in_order=False, merged profiler traces, Lightning, Transformers, datasets, albumentations, OpenCV, kornia, MONAI, webdataset and the StatefulDataLoader'
. "${BASH_SOURCE[0]%/*}/python-environment.sh"

lock_environment
print_if_made "${packages[*]}" 30
python=$(find_python '3, 10' '3, 99') || give_up 'no Python 3.10 or newer with venv and ensurepip (Debian: python3-venv)'
# Unpacked it takes 6 GB, and the archives lie beside it meanwhile.
make_environment "$python" 12
install_packages
version=$("$home/bin/python" -c 'import torch, numpy; print(torch.__version__.partition("+")[0])' 2>/dev/null) ||
  give_up 'torch was installed and cannot be imported'
# A new torch is out some time before the torchvision that fits it.
pip_install torchvision "torch==$version" || echo "no torchvision for torch $version: its tests have Debian's, if anyone's" >&2
finish_environment "${packages[*]}" "torch $version"
