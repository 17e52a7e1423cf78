"""Puts an operator that has ended into the events of a batch, around those that ran inside it.

For what may end otherwise than it began: in another element, after another one that began later, or not at all. Nothing
stands in the events until its end has come, so what is left open harms nothing.
"""

#: Marks in the events of a batch. An operator's number begins it; END ends the innermost; NEXT + number does both. ELEMENT
#: ends all that is open, and ELEMENT + number begins the next element by its operator.
END = 0
NEXT = 1 << 20
ELEMENT = 1 << 21


def ended(events):
    """Depth, operator, start and end of each that ended, in the order in which they did. What an exception left open has no end."""
    stack = []
    each = iter(events)
    for code, moment in zip(each, each):
        if code == END or code > NEXT:
            if code >= ELEMENT:
                del stack[1:]
            if stack:
                operator, start = stack.pop()
                yield len(stack), operator, start, moment
            code -= ELEMENT if code >= ELEMENT else NEXT
        if code > END:
            stack.append((code, moment))


def insert(events, number, start, end):
    """Puts it into the events of a batch, if the thread that prepares did nothing else meanwhile than be in one operator.

    Says whether it did: else several threads were at work at a time, and none of that lies inside the other.
    """
    at = len(events)
    while at > 0 and events[at - 1] > start:
        at -= 2
    after = at
    depth = 0
    while after < len(events) and events[after + 1] < end:
        code = events[after]
        if code >= ELEMENT or (code > NEXT and depth == 0):
            return False
        if code == END:
            depth -= 1
        elif code < NEXT:
            depth += 1
        if depth < 0:
            return False
        after += 2
    if depth != 0:
        return False
    events[after:after] = (END, end)
    events[at:at] = (number, start)
    return True
