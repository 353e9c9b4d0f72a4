"""Exceptions. Each carries `diagnostics`: dicts with code, message, hint, file, line, column."""


class Error(Exception):
    """Base of every failure that a user can cause."""

    def __init__(self, text, diagnostics=()):
        super().__init__(text)
        self.diagnostics = list(diagnostics)


class ParseError(Error):
    """The text is not a program of the language."""


class VerifyError(Error):
    """A node breaks a rule of the IR."""


class RegistryError(Error):
    """Registered twice, or an unknown op or target name."""


class PassError(Error):
    """A pass, a pipeline or a verb refuses its input."""


class CodegenError(Error):
    """Code generation refuses a program."""


class ToolchainError(Error):
    """A compiler or another tool is missing or failed."""


class CallError(Error):
    """A call with unfit arguments."""


class ValueError(Error, ValueError):  # noqa: A001
    """A value cannot be built as asked."""


class FileError(Error):
    """A file cannot be read or written."""


class InternalError(Exception):
    """A fault of TileFoundry, not of the program."""
