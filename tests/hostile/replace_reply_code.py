"""Puts its own functions in the place of those that write the reply."""

import hmac
import json
import os

import kbgen.profiling.sandbox_child as far_side

ENDS, SAYS = "ok", ""


def act(request):
    json.dumps = lambda answer: '{"ok": {"broke": ["json.dumps"]}}'
    far_side.sign = far_side._signer = lambda *_: "0"
    far_side.json = None
    hmac.new = None
    os._exit = os.abort
    return {"broke": []}
