"""Makes one submission of several finished runs over the same questions, and estimates what that gains.

--by vote: the answer that most give. --by pick: a model picks (--llm, default offline rules). --by kind, --by document:
a learnt table (kinds as the classifier sees them, documents as the runs' routers did). Runs come best first.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console

from rag1.app.again import write_again
from rag1.app.cli import CONF, register_resolvers
from rag1.app.names import composed
from rag1.build import Workshop
from rag1.errors import InputError, Rag1Error
from rag1.llm.offline import OfflineLlm
from rag1.llm.tasks import ClassifyQuestion
from rag1.report.runs import Run, named_runs, read_run
from rag1.score.ensemble import ModelPick, by_table, vote
from rag1.score.routes import LEAST, learn_routes
from rag1.score.table import interval
from rag1.types import Answer


@dataclass(frozen=True)
class Made:
    """The combined answers by query id, and what is known of their worth (empty where it is measured afterwards)."""

    answers: Mapping[str, Answer]
    estimate: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, nargs="+", help="run folders, best first")
    parser.add_argument("--by", choices=["vote", "pick", "kind", "document"], default="vote")
    parser.add_argument("--llm", default="offline", help="who picks, for --by pick: a name of conf/llm")
    parser.add_argument("--metric", default="", help="the points to raise (default: the judge's, else crag)")
    parser.add_argument("--out", type=Path, required=True, help="the new run folder")
    given = parser.parse_args()
    register_resolvers()
    try:
        runs = [read_run(folder) for folder in given.run]
        made = make(runs, given.by, given.llm, given.metric)
        order = [made.answers[query.id] for query in runs[0].queries]
        names = [str(run.folder) for run in runs]
        print(write_again(runs[0], order, given.out, {"pipeline": f"ensemble-{given.by}", "ensemble": names}))
        Console().print(made.estimate or gain(runs, read_run(given.out), given.metric))
    except Rag1Error as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


def make(runs: Sequence[Run], by: str, llm: str, metric: str) -> Made:
    if len(runs) < 2:
        raise InputError("an ensemble needs two runs or more")
    ids = [query.id for query in runs[0].queries]
    answers = [{answer.query_id: answer for answer in run.answers} for run in runs]
    if any(set(found) != set(ids) for found in answers):
        raise InputError("the runs answer different questions; give runs over one question file")
    if by in ("kind", "document"):
        return routed(runs, answers, by, metric)
    if by == "vote":
        return Made({i: vote([found[i] for found in answers]) for i in ids})
    pick = ModelPick(Workshop()(composed(CONF, [f"llm={llm}"]).llm))
    texts = {query.id: query.text for query in runs[0].queries}
    return Made({i: pick(texts[i], [found[i] for found in answers]) for i in ids})


def routed(runs: Sequence[Run], answers: Sequence[Mapping[str, Answer]], by: str, metric: str) -> Made:
    names = list(named_runs(runs))
    keys = key_of(runs[0], answers, by)
    points = [run.points(metric) for run in runs]
    scored = [i for i in keys if all(i in found for found in points)]
    if not scored:
        raise InputError(f"--by {by} learns from scores; the runs share no scored question")
    learnt = learn_routes(
        [keys[i] for i in scored],
        {name: [found[i] for i in scored] for name, found in zip(names, points, strict=True)},
    )
    estimate = (
        f"held out: by {by} {learnt.routed:+.3f}, best single run {learnt.single:+.3f}, "
        f"difference [{learnt.low:+.3f}, {learnt.high:+.3f}] over {len(scored)} questions"
    )
    table = by_table(keys, learnt.table, learnt.default, dict(zip(names, answers, strict=True)))
    return Made(table, estimate)


def key_of(run: Run, answers: Sequence[Mapping[str, Answer]], by: str) -> dict[str, str]:
    """Each question's kind, or the document that its first retrieved passage comes from."""
    if by == "kind":
        llm = OfflineLlm()
        return {query.id: llm(ClassifyQuestion(question=query.text)).kind for query in run.queries}
    first = answers[0]
    return {i: next((item.doc_id for item in first[i].support if item.doc_id), "") for i in first}


def gain(runs: Sequence[Run], made: Run, metric: str) -> str:
    """Against the best single run, itself chosen by cross-validation: a vote and a pick learn nothing from gold."""
    points = [run.points(metric) for run in runs]
    after = made.points(metric)
    scored = [i for i in after if all(i in found for found in points)]
    if not scored:
        return "no gold: what the ensemble gains cannot be told"
    if len(scored) < LEAST:
        return f"{len(scored)} scored question(s): too few to tell what the ensemble gains"
    singles = {name: [found[i] for i in scored] for name, found in zip(named_runs(runs), points, strict=True)}
    single = learn_routes(["all"] * len(scored), singles).single
    values = np.array([after[i] for i in scored])
    low, high = interval(values - np.array(singles[best_name(singles)]))
    return (
        f"ensemble {values.mean():+.3f}, best single run {single:+.3f} (held out); "
        f"against {best_name(singles)}: [{low:+.3f}, {high:+.3f}] over {len(scored)} questions"
    )


def best_name(singles: Mapping[str, Sequence[float]]) -> str:
    return max(singles, key=lambda name: float(np.mean(singles[name])))


if __name__ == "__main__":
    sys.exit(main())
