"""Takes webhooks of a gateway for a shop whose orders are in a file: {"A-1": {"amount_raw": "1500…"}}.

Put your own database in the place of the file; keep the order of the checks. Run it with `python3 receiver.py`.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from verify_webhook import verify_webhook

SECRET = os.environ.get("WEBHOOK_SECRET", "")
ORDERS = os.environ.get("ORDERS", "orders.json")
BODY_BYTES_MAX = 1_000_000


def take(event: dict) -> str:
    """Marks the order as paid, once, and returns a line for the log."""
    if event["type"] != "payment.completed":
        return f"{event['type']}: nothing to do"
    with open(ORDERS, encoding="utf-8") as file:
        orders = json.load(file)
    number = (event.get("metadata") or {}).get("order")
    order = orders.get(number)
    if order is None:
        return f"{event['id']}: no such order, checkout {event['checkout_id']}"
    if "paid_by" in order:
        return f"{event['id']}: {number} is paid already"
    is_enough = int(event["payment"]["amount_raw"]) >= int(order["amount_raw"])
    if not is_enough or event["block"]["confirmed"] != "true":
        return f"{event['id']}: {number} was not paid in full, look at it"
    order["paid_by"] = event["block"]["hash"]
    with open(ORDERS + ".new", "w", encoding="utf-8") as file:
        json.dump(orders, file)
    os.replace(ORDERS + ".new", ORDERS)
    return f"{event['id']}: {number} is paid"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        if length > BODY_BYTES_MAX:
            self.send_error(413)
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            event = verify_webhook(self.rfile.read(length), headers, SECRET)
        except (ValueError, KeyError):
            self.send_error(401)
            return
        print(take(event), flush=True)
        self.send_response(204)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
