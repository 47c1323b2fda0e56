"""Servers for the tests of the guard."""

from tests.stores import falkordb_folder, neo4j_uri, opener, store  # noqa: F401
