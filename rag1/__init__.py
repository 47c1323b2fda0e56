"""rag1: many ways of answering questions over documents, run on one question file and compared."""

__version__ = "0.1.0"
