"""`memtui tool-schema`: the memory tool's schema, for hosts that are not written in Python."""

from __future__ import annotations

import json

import click

from memtui.cli.options import Options, command_options
from memtui.cli.output import say, say_json

FORMS = ("plain", "openai", "openai-strict", "anthropic")


@click.command("tool-schema")
@click.option("--form", type=click.Choice(FORMS), default=FORMS[0], help="For whom.")
@command_options
@click.pass_obj
def tool_schema(options: Options, form: str) -> None:
    """Print the memory tool's name, description and JSON Schema."""
    from memtui.tool import schema

    if form == "anthropic":
        shape = schema.anthropic_tool()
    elif form == "plain":
        shape = {"name": schema.NAME, "description": schema.DESCRIPTION, "parameters": schema.parameters()}
    else:
        shape = schema.openai_tool(strict=form == "openai-strict")
    if options.as_json:
        say_json(shape)
    else:
        say(json.dumps(shape, indent=2))
