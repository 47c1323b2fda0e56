"""Rules over Japanese text that answer the typed tasks without a model. `rag1.llm.offline` is the way in."""
