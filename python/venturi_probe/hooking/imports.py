"""Calls back after named modules were imported, whoever imports them and whenever."""

import sys


class Finder:
    """Stands first among the import finders and finds nothing itself: it only dresses what the others find."""

    def __init__(self, hooks):
        self.hooks = hooks
        self.finding = set()

    def find_spec(self, name, path=None, target=None):
        if name not in self.hooks or name in self.finding:
            return None
        self.finding.add(name)
        try:
            spec = None
            for finder in sys.meta_path:
                find = getattr(finder, "find_spec", None)
                if finder is self or find is None:
                    continue
                spec = find(name, path, target)
                if spec is not None:
                    break
        finally:
            self.finding.discard(name)
        # A loader that is a class loads other modules too.
        if spec is not None and hasattr(spec.loader, "exec_module") and not isinstance(spec.loader, type):
            _call_after_execution(spec.loader, self.hooks[name])
        return spec


def _call_after_execution(loader, hook):
    execute = loader.exec_module

    def exec_module(module):
        try:
            del loader.exec_module
        except AttributeError:
            pass
        execute(module)
        hook(module)

    try:
        loader.exec_module = exec_module
    except AttributeError:
        # A loader that takes no attribute: the module stays unwatched.
        pass


def after_import(hooks):
    """`hooks`: module name → function of the module. Modules that are there already are handed over at once.

    Gives a function that ends it.
    """
    for name, hook in hooks.items():
        module = sys.modules.get(name)
        if module is not None:
            hook(module)
    finder = Finder(hooks)
    sys.meta_path.insert(0, finder)
    return lambda: sys.meta_path.remove(finder)
