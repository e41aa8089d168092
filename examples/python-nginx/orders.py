"""Order management with nothing but Python's standard library, behind nginx with deploy/gateways/nginx.

nginx has asked Portcullis before a request arrives here, so this file checks no token. It listens on loopback, because
whoever reaches it past nginx can claim to be anybody.
"""
import json
import os
import re
import sqlite3
import urllib.request
import uuid
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

DECISION_URL = os.environ["DECISION_URL"]  # http://127.0.0.1:8002
DECISION_SECRET = os.environ["DECISION_SECRET"]
DATABASE = os.environ.get("ORDERS_FILE", "orders.db")
SHOWN = "id, customer, amount, status"
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Refused(Exception):
    """What the caller is told, as a code and a text."""


NO_RECORD = 404, "There is no such record."
INVALID = 400, "The request is incomplete or malformed. Check its fields."


def fetch_scope(user_id):
    """The caller's data scope. Whatever is not a scope of this user raises: an answer is never guessed."""
    request = urllib.request.Request(f"{DECISION_URL}/access/v1/scope?userId={user_id}")
    request.add_unredirected_header("Authorization", f"Bearer {DECISION_SECRET}")
    with opener.open(request, timeout=2) as response:
        scope = json.load(response)
    if scope["userId"] != user_id or scope["scope"] not in ("all", "departments", "own"):
        raise ValueError("Portcullis answered with no data scope of this user.")
    return scope


def condition(scope):
    """The data scope as SQL and its parameters: no value is ever part of the text."""
    if scope["scope"] == "all":
        return "true", []
    if scope["scope"] == "own":
        return "created_by = ?", [scope["userId"]]
    return f"department_id in ({', '.join('?' * len(scope['departments']))})", scope["departments"]


def list_orders(db, user_id, body):
    where, values = condition(fetch_scope(user_id))
    return [dict(row) for row in db.execute(f"select {SHOWN} from orders where {where} order by id", values)]


def create_order(db, user_id, body):
    customer, amount, department = (body.get(name) for name in ("customer", "amount", "departmentId"))
    if type(customer) is not str or not 1 <= len(customer) <= 64:
        raise Refused(*INVALID)
    if type(amount) is not int or not 1 <= amount <= 1_000_000 or type(department) is not int:
        raise Refused(*INVALID)
    scope = fetch_scope(user_id)
    # Nobody makes an order that they could not see.
    if scope["scope"] == "departments" and department not in scope["departments"]:
        raise Refused(*NO_RECORD)
    insert = "insert into orders (id, customer, amount, created_by, department_id) values (?, ?, ?, ?, ?)"
    values = (str(uuid.uuid4()), customer, amount, user_id, department)
    return dict(db.execute(f"{insert} returning {SHOWN}", values).fetchone())


def cancel_order(db, user_id, body, order_id):
    where, values = condition(fetch_scope(user_id))
    update = f"update orders set status = 'cancelled' where id = ? and status = 'open' and {where}"
    row = db.execute(f"{update} returning {SHOWN}", [order_id, *values]).fetchone()
    if row is None:
        raise Refused(*NO_RECORD)
    return dict(row)


ROUTES = [
    ("GET", "/api/v1/orders", "lists orders", list_orders),
    ("POST", "/api/v1/orders", "creates an order", create_order),
    ("POST", "/api/v1/orders/([^/]+)/cancel", "cancels an order", cancel_order),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            self.send(200, {"code": 200, "msg": "success", "data": self.handle_order(content)})
        except Refused as refusal:
            code, msg = refusal.args
            self.send(200, {"code": code, "msg": msg})
        except Exception as error:
            self.log_error("%r", error)
            self.send(503, {"code": 503, "msg": "The service cannot answer right now. Try again shortly."})

    do_GET = do_POST = answer

    def handle_order(self, content):
        (user_id,) = self.headers.get_all("X-Portcullis-User-Id")  # None of them, or two: an error.
        (username,) = self.headers.get_all("X-Portcullis-Username")
        for method, path, what, handle in ROUTES:
            match = re.fullmatch(path, self.path.partition("?")[0])
            if match and method == self.command:
                print(f"{username} {what}", flush=True)
                with closing(sqlite3.connect(DATABASE, isolation_level=None)) as db:
                    db.row_factory = sqlite3.Row
                    return handle(db, int(user_id), parse(content), *match.groups())
        raise Refused(*NO_RECORD)

    def send(self, status, reply):
        text = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)


def parse(content):
    try:
        body = json.loads(content or "{}")
    except ValueError:
        raise Refused(*INVALID) from None
    if not isinstance(body, dict):
        raise Refused(*INVALID)
    return body


with closing(sqlite3.connect(DATABASE)) as setup:
    setup.executescript(Path(__file__, "../../orders.sql").resolve().read_text())
server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Handler)
print(f"Listening on {server.server_address[1]}", flush=True)
server.serve_forever()
