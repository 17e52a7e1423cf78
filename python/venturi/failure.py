"""What goes wrong in a pipeline, as Python sees it."""


class PipelineError(RuntimeError):
    """A pipeline failed, or could not be run: `code` never changes its meaning, `remedy` says what to do."""

    def __init__(self, code, message, remedy=None, frames=()):
        lines = ["%s: %s" % (code, message)]
        lines.extend(frames)
        if remedy:
            lines.append("→ %s" % remedy)
        super().__init__("\n".join(lines))
        self.code = code
        self.message = message
        self.remedy = remedy


class PipelineWarning(UserWarning):
    """What the user of a pipeline should know; the run goes on."""
