"""`memtui pending`: the writes that the agent staged, each beside the file as it stands, and answering them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from memtui.cli.asking import YES, is_wanted, say_diff
from memtui.cli.edit import ALLOW, given_text, report
from memtui.cli.options import Options, write_options
from memtui.cli.output import one_line, say, say_json, warn
from memtui.cli.running import exit_code_of
from memtui.cli.shapes import budget_shape, change_shape, finding_shape, refusal_shape
from memtui.core.errors import NotFound, Unreadable
from memtui.core.threats.finding import Severity
from memtui.core.visible import clip, visible_text
from memtui.view.amounts import counted
from memtui.view.staged_rows import age_of

if TYPE_CHECKING:
    from memtui.actions.pending import Answered, PendingView
    from memtui.store import MemoryStore

ALL = click.option("--all", "are_all", is_flag=True, help="All of them, after asking.")
IDS = click.argument("ids", nargs=-1, metavar="[ID]...")


@click.group(invoke_without_command=True)
@write_options
@click.pass_context
def pending(context: click.Context) -> None:
    """List, approve or reject the agent's staged writes."""
    if context.invoked_subcommand is None:
        context.invoke(list_pending)


@pending.command("list")
@write_options
@click.pass_obj
def list_pending(options: Options) -> None:
    """List the staged writes, oldest first, with what stands against each."""
    views = _views(options.open_store())
    if options.as_json:
        say_json({"pending": [view_shape(view) for view in views]})
        return
    for view in views:
        _say_line(view)
    if not views:
        say("There are no staged writes.")


@pending.command()
@click.argument("pending_id", metavar="ID")
@write_options
@click.pass_obj
def show(options: Options, pending_id: str) -> None:
    """Show one staged write: before and after, budget, findings, near duplicates."""
    (view,) = _picked(options.open_store(), [pending_id])
    if options.as_json:
        say_json(view_shape(view))
    else:
        _say_whole(view)


@pending.command()
@IDS
@ALL
@click.option("--edit", "text", metavar="TEXT", help="Write this text instead; - reads standard input.")
@ALLOW
@YES
@write_options
@click.pass_obj
def approve(
    options: Options, ids: tuple[str, ...], are_all: bool, text: str | None, allow: tuple[str, ...], yes: bool
) -> None:
    """Write staged writes, each through every guard.

    One applies only to the entry it was meant for, as `memtui pending` shows it now; else it is refused and
    stays queued.
    """
    from memtui.actions import pending as actions

    store = options.open_store()
    views = _wanted(store, ids, are_all)
    if text is not None or allow:
        if len(views) != 1 or are_all:
            raise click.UsageError("--edit and --allow take one ID.")
        report(options, actions.approve(store, views[0], _edited(views[0], text), allow))
        return
    if are_all and not options.as_json:
        for view in views:
            _say_line(view)
    if views and (not are_all or is_wanted(options, f"Approve {counted(len(views), 'staged write')}?", yes)):
        _say_answers(options, actions.approve_all(store, views), "approved")


@pending.command()
@IDS
@ALL
@YES
@write_options
@click.pass_obj
def reject(options: Options, ids: tuple[str, ...], are_all: bool, yes: bool) -> None:
    """Drop staged writes without writing them; history keeps their texts."""
    from memtui.actions import pending as actions

    store = options.open_store()
    views = _wanted(store, ids, are_all)
    if views and (not are_all or is_wanted(options, f"Reject {counted(len(views), 'staged write')}?", yes)):
        _say_answers(options, actions.reject_all(store, [view.staged for view in views]), "rejected")


def view_shape(view: PendingView) -> dict[str, Any]:
    """One staged write."""
    staged = view.staged
    return {
        "id": staged.id,
        "target": staged.target,
        "action": staged.action,
        "summary": staged.summary,
        "origin": staged.origin,
        "created_at": staged.created_at,
        "age_s": round(view.age_s, 3),
        "problem": staged.problem,
        "changes": [
            {
                "action": change.action,
                "before": change.before,
                "after": change.after,
                "pinned": change.is_pinned,
                "diff": [f"{line.sign}{line.text}" for line in change.diff],
                "findings": [finding_shape(found) for found in change.findings],
                "similar": list(change.similar),
            }
            for change in view.changes
        ],
        "budget": budget_shape(view.budget),
        "projected": budget_shape(view.projected) if view.projected else None,
        "refusal": {"code": view.refusal_code, "message": view.refusal} if view.refusal else None,
    }


def _views(store: MemoryStore) -> tuple[PendingView, ...]:
    """All staged writes. Raises Unreadable when nobody can tell which there are."""
    from memtui.actions.pending import pending_views, queue_of

    if obstacle := queue_of(store).obstacle:
        raise Unreadable(f"{obstacle} Which writes are staged cannot be told.")
    return pending_views(store, time.time())


def _picked(store: MemoryStore, ids: Sequence[str]) -> list[PendingView]:
    """The views of these ids. Raises NotFound."""
    by_id = {view.staged.id: view for view in _views(store)}
    for pending_id in ids:
        if pending_id not in by_id:
            raise NotFound(
                f"There is no staged write “{clip(visible_text(pending_id), 60)}”; nothing was changed. "
                "`memtui pending` lists them."
            )
    return [by_id[pending_id] for pending_id in dict.fromkeys(ids)]


def _wanted(store: MemoryStore, ids: tuple[str, ...], are_all: bool) -> list[PendingView]:
    if bool(ids) == are_all:
        raise click.UsageError("Name staged writes by their ID, or say --all.")
    views = list(_views(store)) if are_all else _picked(store, ids)
    if not views:
        say("There are no staged writes.")
    return views


def _edited(view: PendingView, text: str | None) -> dict[int, str]:
    if text is None:
        return {}
    texts = [index for index, change in enumerate(view.changes) if change.action != "remove"]
    if len(texts) != 1:
        raise click.UsageError(f"{view.staged.id} holds {len(texts)} new texts; --edit needs exactly one.")
    return {texts[0]: given_text(text)}


def _say_answers(options: Options, answers: Sequence[Answered], word: str) -> None:
    """What became of each; leaves with the worst exit code."""
    if options.as_json:
        say_json({"ok": all(one.refusal is None for one in answers), word: [_answer_shape(one) for one in answers]})
    for one in answers:
        if one.refusal is not None:
            warn(f"memtui: {visible_text(one.id)} stays queued: {one.refusal}")
        elif not options.as_json:
            say(f"{visible_text(one.id)} {word}{f': {one.change}' if one.change else '.'}")
            for notice in one.change.notices if one.change else ():
                warn(f"note: {notice}")
    codes = [exit_code_of(one.refusal) for one in answers if one.refusal is not None]
    if codes:
        raise click.exceptions.Exit(max(codes))


def _answer_shape(one: Answered) -> dict[str, Any]:
    if one.refusal is not None:
        return {"id": one.id, **refusal_shape(one.refusal)}
    return {"id": one.id, **(change_shape(one.change) if one.change else {"ok": True})}


def _say_line(view: PendingView) -> None:
    staged = view.staged
    head = f"{visible_text(staged.id)}  {age_of(view):>8}  {staged.target}  {visible_text(staged.action)}  "
    against = f"! {view.refusal_code.replace('_', ' ')}  " if view.refusal else ""
    text = next((change.after or change.before for change in view.changes if change.after or change.before), None)
    say(head + against + one_line(text or staged.summary or view.refusal, len(head) + len(against)))


def _say_whole(view: PendingView) -> None:
    staged = view.staged
    origin = f", from {visible_text(staged.origin)}" if staged.origin else ""
    say(f"{visible_text(staged.id)}  {visible_text(staged.action)} in {staged.target}, {age_of(view)}{origin}")
    for change in view.changes:
        if change.before is None and change.action != "add":
            say(f"  {visible_text(change.action)}: it names no entry of the file")
        say_diff(change.diff)
        for found in change.findings:
            say(f"  {found.severity.value}: {found.id}{' (known and fine)' if found.suppressed else ''}: {found.why}")
        for similar in change.similar:
            say(f"  similar: {one_line(similar, 12)}")
    now, then = view.budget, view.projected
    after = f" → {then.used_chars:,}/{then.limit_chars:,} characters, {then.percent} %" if then else ""
    say(f"  budget: {now.used_chars:,}/{now.limit_chars:,} characters, {now.percent} %{after}")
    if view.refusal:
        warn(f"It would be refused now: {view.refusal}")
        if any(found.severity is Severity.BLOCK for change in view.changes for found in change.findings):
            warn("Approve it nevertheless with --allow RULE, if it is meant.")
