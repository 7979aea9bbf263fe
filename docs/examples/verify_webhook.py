import base64
import binascii
import hashlib
import hmac
import json
import time

AGE_SECONDS_MAX = 300


def verify_webhook(raw_body: bytes, headers: dict, secret: str, now=None) -> dict:
    """Checks that a webhook comes from your gateway and returns its event; raises ValueError otherwise.

    Give it the body exactly as it arrived and headers with lower-case names.
    """
    event_id = headers["webhook-id"]
    timestamp = headers["webhook-timestamp"]
    if not timestamp.isdigit() or abs((time.time() if now is None else now) - int(timestamp)) > AGE_SECONDS_MAX:
        raise ValueError("The webhook is too old, or from the future.")
    signed = f"{event_id}.{timestamp}.".encode() + raw_body
    expected = "v1," + base64.b64encode(hmac.new(key_of(secret), signed, hashlib.sha256).digest()).decode()
    # While a secret is being replaced, the header has one signature for the old secret and one for the new.
    signatures = headers["webhook-signature"].split(" ")
    if not any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures):
        raise ValueError("The signature of the webhook is wrong.")
    return json.loads(raw_body)


def key_of(secret: str) -> bytes:
    """A secret that begins with whsec_ contains a key in base64; any other secret is the key itself."""
    if secret.startswith("whsec_"):
        try:
            key = base64.b64decode(secret[len("whsec_"):], validate=True)
        except binascii.Error:
            key = b""
        if 24 <= len(key) <= 64:
            return key
    return secret.encode()
