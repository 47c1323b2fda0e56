"""Cypher as data: reading, correcting and judging statements that models write."""
