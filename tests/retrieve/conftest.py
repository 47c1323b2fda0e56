from tests.stores import falkordb_folder, neo4j_uri, opener, store  # noqa: F401
