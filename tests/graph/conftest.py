from tests.browser import page  # noqa: F401
from tests.stores import falkordb_folder, neo4j_uri, opener, store  # noqa: F401
