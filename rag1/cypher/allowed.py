"""What a reading statement may use, by dialect. Everything that is not listed is refused.

Left out on purpose although they only read: what opens a file or a socket (`apoc.load.*`, `apoc.spatial.geocode`,
`genai.*`, `apoc.ml.*`, `file()`), what runs Cypher from a string (`apoc.cypher.*`), what tells of the server rather
than the graph (`dbms.*`), what holds memory or locks (`gds.*`, `apoc.lock.*`, `apoc.util.sleep`).
"""

from __future__ import annotations

from typing import Literal, get_args

Dialect = Literal["neo4j", "falkordb"]
DIALECTS: tuple[str, ...] = get_args(Dialect)


def _listed(*texts: str) -> frozenset[str]:
    return frozenset(word.lower() for text in texts for word in text.split())


def _under(prefix: str, text: str) -> str:
    return " ".join(f"{prefix}.{word}" for word in text.split())


_CLAUSES = "MATCH OPTIONAL WITH RETURN UNWIND CALL UNION"
_NEO4J_CLAUSES = "ORDER SKIP OFFSET LIMIT FINISH EXPLAIN PROFILE"
CLAUSES: dict[str, frozenset[str]] = {
    "neo4j": frozenset([*_CLAUSES.split(), *_NEO4J_CLAUSES.split()]),
    # FalkorDB explains through a command of its own: there the two words are no prefix.
    "falkordb": frozenset(_CLAUSES.split()),
}

_SHARED_FUNCTIONS = """
    all any exists isEmpty none single coalesce endNode head id last length properties randomUUID size startNode
    timestamp toBoolean toBooleanOrNull toFloat toFloatOrNull toInteger toIntegerOrNull type
    avg collect count max min percentileCont percentileDisc stDev stDevP sum
    keys labels nodes range reduce relationships reverse tail
    toBooleanList toFloatList toIntegerList toStringList
    abs ceil floor rand round sign e exp log log10 sqrt
    acos asin atan atan2 cos cot degrees haversin pi radians sin tan
    left lower lTrim replace right rTrim split substring toLower toString toStringOrNull toUpper trim upper
    date datetime localdatetime localtime time duration point distance shortestPath allShortestPaths
"""
_NEO4J_FUNCTIONS = """
    elementId nullIf valueType isNaN char_length character_length bTrim normalize cosh coth sinh tanh
    point.distance point.withinBBox vector.similarity.cosine vector.similarity.euclidean
    duration.between duration.inDays duration.inMonths duration.inSeconds
    datetime.fromEpoch datetime.fromEpochMillis
"""
_CLOCKS = " ".join(
    f"{kind}.{clock}"
    for kind in ("date", "datetime", "localdatetime", "localtime", "time")
    for clock in ("realtime", "statement", "transaction", "truncate")
)
_FALKORDB_FUNCTIONS = """
    hasLabels inDegree outDegree typeOf toJSON pow vecf32 vec.euclideanDistance vec.cosineDistance
    string.join string.matchRegEx string.replaceRegEx list.dedup list.insert list.insertListElements list.remove
    list.sort
"""
_APOC_COLL = """
    avg combinations contains containsAll containsAllSorted containsDuplicates containsSorted different disjunction
    dropDuplicateNeighbors duplicates duplicatesWithCount fill flatten frequencies frequenciesAsMap indexOf insert
    insertAll intersection isEqualCollection max min occurrences pairs pairsMin randomItem randomItems remove
    removeAll reverse runningTotal set shuffle slice sort sortMaps sortMulti sortNodes sortText stdev subtract sum
    sumLongs toSet union unionAll zip
"""
_APOC_TEXT = """
    base64Decode base64Encode base64UrlDecode base64UrlEncode byteCount bytes camelCase capitalize capitalizeAll
    charAt clean code compareCleaned decapitalize decapitalizeAll distance doubleMetaphone format fuzzyMatch
    hammingDistance hexCharAt hexValue indexOf indexesOf jaroWinklerDistance join levenshteinDistance
    levenshteinSimilarity lpad phonetic random regexGroups regexGroupsByName regreplace repeat replace rpad slug
    snakeCase sorensenDiceSimilarity split swapCase toCypher toUpperCase upperCamelCase urldecode urlencode
"""
_APOC_MAP = """
    clean dropNullValues flatten fromLists fromNodes fromPairs fromValues get groupBy groupByMulti merge mergeList
    mget removeKey removeKeys setEntry setKey setLists setPairs setValues sortedProperties submap unflatten
    updateTree values
"""
_APOC_CONVERT = """
    fromJsonList fromJsonMap getJsonProperty getJsonPropertyMap toBoolean toBooleanList toFloat toInteger toIntList
    toJson toList toMap toNode toNodeList toRelationship toRelationshipList toSet toSortedJsonMap toString
    toStringList
"""
_APOC_DATE = """
    add convert convertFormat currentTimestamp field fields format fromISO8601 parse systemTimezone toISO8601 toYears
"""
_APOC_NODE = """
    degree degree.in degree.out id labels relationship.exists relationship.types relationships.exist
"""
_APOC = " ".join(
    [
        _under("apoc.agg", "first last maxItems median minItems nth percentiles product slice statistics"),
        _under("apoc.any", "isDeleted properties property"),
        _under("apoc.coll", _APOC_COLL),
        _under("apoc.convert", _APOC_CONVERT),
        _under("apoc.date", _APOC_DATE),
        _under("apoc.map", _APOC_MAP),
        _under("apoc.math", "cosh coth csch maxByte maxDouble maxInt maxLong minByte minDouble minInt minLong"),
        _under("apoc.math", "round sech sigmoid sigmoidPrime sinh tanh"),
        _under("apoc.meta.cypher", "isType type types"),
        _under("apoc.node", _APOC_NODE),
        _under("apoc.nodes", "connected isDense relationship.types relationships.exist"),
        _under("apoc.number", "arabicToRoman format parseFloat parseInt romanToArabic"),
        _under("apoc.path", "combine create elements slice"),
        _under("apoc.rel", "endNode id startNode type"),
        _under("apoc.scoring", "existence pareto"),
        _under("apoc.temporal", "format formatDuration toZonedTemporal"),
        _under("apoc.text", _APOC_TEXT),
        _under("apoc.util", "md5 sha1 sha256 sha384 sha512"),
        "apoc.bitwise.op apoc.data.email apoc.data.url apoc.diff.nodes apoc.label.exists apoc.version",
    ]
)
FUNCTIONS: dict[str, frozenset[str]] = {
    "neo4j": _listed(_SHARED_FUNCTIONS, _NEO4J_FUNCTIONS, _CLOCKS, _APOC),
    "falkordb": _listed(_SHARED_FUNCTIONS, _FALKORDB_FUNCTIONS),
}

PROCEDURES: dict[str, frozenset[str]] = {
    "neo4j": _listed(
        "db.labels db.relationshipTypes db.propertyKeys db.schema.visualization db.schema.nodeTypeProperties",
        "db.schema.relTypeProperties db.index.fulltext.queryNodes db.index.fulltext.queryRelationships",
        "db.index.fulltext.listAvailableAnalyzers db.index.vector.queryNodes db.index.vector.queryRelationships",
        _under("apoc.algo", "aStar allSimplePaths dijkstra"),
        _under("apoc.meta", "data graph nodeTypeProperties relTypeProperties schema stats"),
        _under("apoc.neighbors", "athop athop.count byhop byhop.count tohop tohop.count"),
        _under("apoc.path", "expand expandConfig spanningTree subgraphAll subgraphNodes"),
    ),
    "falkordb": _listed(
        "db.labels db.relationshipTypes db.propertyKeys db.indexes db.constraints db.meta.stats",
        "db.idx.fulltext.queryNodes db.idx.fulltext.queryRelationships db.idx.vector.queryNodes",
        "db.idx.vector.queryRelationships",
        _under("algo", "BFS betweenness labelPropagation MSF pageRank SPpaths SSpaths WCC"),
    ),
}

_WRITING_WORDS = """
    ALTER CALL CREATE CSV DEALLOCATE DELETE DENY DETACH DROP DRYRUN ENABLE FOREACH GRANT INSERT LOAD MERGE NODETACH
    REALLOCATE REMOVE RENAME REVOKE SET SHOW START STOP TERMINATE UNION USE
"""
WRITING_WORDS = frozenset(_WRITING_WORDS.split())
"""Words that an unquoted name in other letters (full-width, long s) must not spell."""
