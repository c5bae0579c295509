"""Webhooks of Fencepost: their signatures, by the library of Standard Webhooks, and their events."""

from collections.abc import Mapping
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

__all__ = ["WebhookVerificationError", "verify"]


def verify(body: bytes | str, headers: Mapping[str, str], secret: str) -> Any:
    """The message of a webhook, once its signature and its time are right.

    Parameters:
        body: the body as it arrived; parsed and written again it has another signature.
        headers: the header fields of the request, whatever the case of their names.
        secret: a secret of the endpoint, ``whsec_…``.

    Returns:
        The parsed message. Its ``webhook-id`` is the id of the message: ignore one that you have already.

    Raises:
        WebhookVerificationError: for a wrong signature, a missing field, or a time more than five minutes away.
    """
    text = body.decode() if isinstance(body, bytes) else body
    return Webhook(secret).verify(text, {name.lower(): value for name, value in headers.items()})
