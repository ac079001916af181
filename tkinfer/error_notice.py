"""What the window says when something of the program's own went wrong."""

from tkinfer.errors import TkinferError
from tkinfer.ui.view import Notice


def error_notice(what: str, error: BaseException) -> Notice:
    """The notice for an error: its own words if it has some, else `what` and the bare error."""
    if isinstance(error, TkinferError):
        return Notice(what=error.what, next_step=error.next_step, detail=error.detail)
    detail = f"{type(error).__name__}: {error}"
    next_step = "The program goes on; the log file has the details."
    return Notice(what=what, next_step=next_step, detail=detail)
