#!/usr/bin/env python3
"""Deferred approvals of an agent framework, decided in Neovim by `nvim-agent-diff approve`.

Run it in a project: python3 approve_example.py. It needs nothing but Python's standard library. The first part stands for
your framework; the names are those of Pydantic AI, whose own classes take its place one for one. The second part is what
you write: `decide`. Test it with `NVIM_AGENT_DIFF` naming the program, if that is not on the PATH.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


# --- The framework: a model has called tools that need an approval. ---------------------------------------------------


@dataclass
class ToolCallPart:
    tool_name: str
    args: dict
    tool_call_id: str


@dataclass
class DeferredToolRequests:
    approvals: list[ToolCallPart]
    metadata: dict[str, dict] = field(default_factory=dict)  # by tool_call_id


@dataclass
class ToolApproved:
    override_args: dict | None = None


@dataclass
class ToolDenied:
    message: str


@dataclass
class DeferredToolResults:
    approvals: dict[str, ToolApproved | ToolDenied]


def write_file(path: str, content: str) -> str:
    Path(path).write_text(content, encoding="utf-8", newline="")
    return f"{path} was written"


def edit_file(path: str, old_string: str, new_string: str, replace_all: bool = False) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    count = -1 if replace_all else 1
    Path(path).write_text(text.replace(old_string, new_string, count), encoding="utf-8", newline="")
    return f"{path} was edited"


def deploy(target: str) -> str:
    return f"deployed to {target}"


TOOLS = {"write_file": write_file, "edit_file": edit_file, "deploy": deploy}


# --- What you write: the calls go to nvim-agent-diff, its answer to the framework. -------------------------------------


class NobodyToAsk(Exception):
    """There is no Neovim and no terminal, or the review was interrupted: nothing is decided, ask again later."""


def decide(calls: DeferredToolRequests) -> tuple[DeferredToolResults, dict[str, str]]:
    """Has all calls decided in one sitting. The second result are notes that the model should read, by tool_call_id."""
    requests = [
        {
            "tool_call_id": call.tool_call_id,
            "tool_name": call.tool_name,
            "args": call.args,
            "metadata": calls.metadata.get(call.tool_call_id),
            "summary": calls.metadata.get(call.tool_call_id, {}).get("summary", ""),
        }
        for call in calls.approvals
    ]
    program = os.environ.get("NVIM_AGENT_DIFF", "nvim-agent-diff")
    # stderr stays the terminal: there a person can be asked when no Neovim runs. Never use a shell here.
    done = subprocess.run(
        [program, "approve", "--agent", "example"],
        input=json.dumps({"requests": requests}),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    if done.returncode in (3, 130):
        raise NobodyToAsk
    if done.returncode not in (0, 1):  # 1: nothing was approved
        raise RuntimeError(f"nvim-agent-diff approve failed with exit code {done.returncode}")
    results, notes = {}, {}
    for tool_call_id, decision in json.loads(done.stdout)["approvals"].items():
        if decision["approved"]:
            results[tool_call_id] = ToolApproved(override_args=decision["override_args"])
            if decision["note"]:
                notes[tool_call_id] = decision["note"]
        else:
            results[tool_call_id] = ToolDenied(message=decision["note"])
    return DeferredToolResults(approvals=results), notes


# --- The framework goes on: approved calls are run, and the model is told. ---------------------------------------------


def run(calls: DeferredToolRequests) -> dict[str, str]:
    results, notes = decide(calls)
    told = {}
    for call in calls.approvals:
        result = results.approvals[call.tool_call_id]
        if isinstance(result, ToolDenied):
            told[call.tool_call_id] = result.message
            continue
        args = call.args if result.override_args is None else result.override_args
        told[call.tool_call_id] = TOOLS[call.tool_name](**args)
        if call.tool_call_id in notes:
            told[call.tool_call_id] += "\n" + notes[call.tool_call_id]
    return told


if __name__ == "__main__":
    model_wants = DeferredToolRequests(
        approvals=[
            ToolCallPart("write_file", {"path": "hello.txt", "content": "hello\nworld\n"}, "call_1"),
            ToolCallPart(
                "edit_file",
                {"path": "numbers.txt", "old_string": "x", "new_string": "y", "replace_all": True},
                "call_2",
            ),
            ToolCallPart("deploy", {"target": "production"}, "call_3"),
        ],
        metadata={"call_3": {"summary": "Deploy what was changed"}},
    )
    try:
        json.dump(run(model_wants), sys.stdout, indent=2, ensure_ascii=False)
    except NobodyToAsk:
        sys.exit("nobody could be asked; nothing was done")
