"""The probe of PyTorch's DataLoaders: `hooks` says which module of torch or of a library is hooked by what in here."""
