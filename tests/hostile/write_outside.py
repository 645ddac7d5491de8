"""Writes, renames and deletes in the home, the library, the op's folder and other temporary folders."""

import os

ENDS, SAYS = "ok", ""


def act(request):
    broke = []
    for folder in request["outside"]:
        for attempt in (overwrite, create, rename, delete, truncate):
            try:
                attempt(folder)
                broke.append(f"{attempt.__name__} in {folder}")
            except OSError:
                continue
    return {"broke": broke}


def overwrite(folder):
    with open(f"{folder}/precious", "w") as file:
        file.write("gone")


def create(folder):
    os.close(os.open(f"{folder}/new", os.O_CREAT | os.O_EXCL))


def rename(folder):
    os.rename(f"{folder}/precious", f"{folder}/renamed")


def delete(folder):
    os.unlink(f"{folder}/precious")


def truncate(folder):
    os.truncate(f"{folder}/precious", 0)
