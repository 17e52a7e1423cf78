#!/usr/bin/env bash
# Prints a Python that has, beside all that tools/current-torch.sh installs, the libraries and profilers of `npm run -s bench -- wild`
# and `-- peers`, for VENTURI_PYTHON_WILD. They take 0.1 GB in an environment of their own, which borrows the other one's packages.
set -euo pipefail

tools="${BASH_SOURCE[0]%/*}"
name=wild-libraries
packages=(timm monai webdataset traceml-ai==0.5.0 loadtune==0.3.0 py-spy)
absent='NO LIBRARIES FOR THE BENCH (%s)'
. "$tools/python-environment.sh"

base=$("$tools/current-torch.sh") || give_up 'there is no Python with PyTorch to add them to'
lock_environment
# Made anew with the environment it borrows from.
made_for="${packages[*]} on $(tail -n 1 "$(dirname "$base")/../complete")"
print_if_made "$made_for"
make_environment "$base" 1
borrowed=$("$base" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
own=$("$home/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
echo "$borrowed" >"$own/borrowed.pth"
install_packages
finish_environment "$made_for"
