"""The run that test_resume kills: 24 questions, each told down a pipe once its answer is in use."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from threading import Lock

from rag1.llm.cache import Cache
from rag1.llm.client import Client
from rag1.llm.http import HttpEndpoint
from rag1.llm.ledger import Ledger, question_scope
from rag1.llm.prompts import PromptSet
from rag1.llm.tasks import AnswerFrom

QUESTIONS = 24


def run(url: str, folder: str, in_flight: int, pipe: Connection, log: str) -> None:
    logging.basicConfig(filename=log, level=logging.WARNING)
    client = Client(HttpEndpoint(url, paid=False), "m", PromptSet("conf/prompt/ja"), Cache(folder), Ledger())
    telling = Lock()

    def answer(number: int) -> None:
        with question_scope(f"Q{number}"):
            text = client(AnswerFrom(question=f"Q{number}")).answer
        with telling:
            pipe.send((number, text))

    with ThreadPoolExecutor(in_flight) as workers:
        list(workers.map(answer, range(QUESTIONS)))
    pipe.close()
