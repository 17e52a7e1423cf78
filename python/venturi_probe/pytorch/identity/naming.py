"""What a loader is called: as its author calls it, else by what it is for and its dataset."""

import gc
import re

from . import datasets, landing, roles, stack

_NAME = re.compile(r"^[^\W\d][\w.-]{0,59}$")
#: Names that many loaders have, and so tell nothing.
_GENERIC = re.compile(
    r"^(_*|[a-z]|(the|my|a|this)?_?(data)?_?(loader|iter|iterator|set|source)s?|dls?|data|dataset|batch(es)?|it|its|"
    r"iterable|res(ult)?|ret|out(put)?|value|obj|self|item|kwargs|args|elem(ent)?|object|default|name)_?\d*$",
    re.IGNORECASE,
)
_OF_A_LOADER = re.compile("load|batches|(^|_)(dl|iter)|(dl|iter)s?($|_)", re.IGNORECASE)
#: More holders than this are not looked at, nor those of more loaders: all objects of the process are gone through for it.
MOST_HOLDERS = 64
MOST_SEARCHES = 16

#: Names that are given away.
_taken = set()
_searches = 0


def _holders(loader):
    """Names under which other objects hold it: keys of dictionaries, attributes, variables of modules."""
    global _searches
    _searches += 1
    names = []
    for holder in gc.get_referrers(loader)[:MOST_HOLDERS] if _searches <= MOST_SEARCHES else ():
        held = holder if type(holder) is dict else datasets.attributes(holder)
        names += [key for key, value in list(held.items()) if value is loader and isinstance(key, str)]
    return names


def likely_names(made, loader_class, turn):
    """As far as they are known when a loader is made."""
    names, returning = landing.names_of_loader(made, {owner.__name__ for owner in loader_class.__mro__}, turn)
    functions = made.functions
    if functions and not _OF_A_LOADER.search(functions[-1]) and functions[-1] != "prepare":
        # What a library gives back is not the loader, unless something says so.
        names = [name for name in names if _OF_A_LOADER.search(name)]
    return names + [name for name in returning if roles.role_in(name) and _OF_A_LOADER.search(name)]


def name_of(identity, loader, frame):
    """Settled when a loader is first iterated, by the call in this frame."""
    made = identity.made
    over = datasets.chain(loader.dataset)
    role = roles.role_of([datasets.attributes(each) for each in over], made.functions)
    names = likely_names(made, type(loader), identity.turn)
    specific = _specific(names)
    if not specific and not (role and made.library):
        names += _holders(loader)
        specific = _specific(names)
        consumer = stack.authors_frame(frame)
        if not specific and consumer is not None:
            # Often a parameter of a function that loops; where its data says what it is for, that says more.
            iterated = _specific(landing.names_of_iterated(consumer))
            specific = [name for name in iterated if not role or roles.role_in(name)]
    landing.forget()
    if specific:
        return _unique(specific[0])
    kind = type(over[-1]).__name__
    if role:
        return _unique("%s: %s" % (role, kind))
    return _unique(next((name for name in names if _NAME.match(name) and name not in _taken), kind))


def _specific(names):
    return [name for name in names if _NAME.match(name) and not _GENERIC.match(name)]


def _unique(name):
    number = 2
    found = name
    while found in _taken:
        found = "%s %d" % (name, number)
        number += 1
    _taken.add(found)
    return found
