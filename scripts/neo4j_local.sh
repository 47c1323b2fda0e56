#!/usr/bin/env bash
# A Neo4j 5.26 Community server on this machine without Docker, from Maven Central, for tests and for trying things.
#
#   scripts/neo4j_local.sh start|stop|status [--port 7687]
#
# Loopback only, Bolt only, APOC core beside it; files under .servers/neo4j/. Starting twice is fine.
# Set NEO4J_PASSWORD before the first start for user neo4j and that password; without it there is no login at all,
# which is for a machine of your own only. NEO4J_JAVA_OPTS adds options for Java.
# Needs mvn and Java 17 or 21 (JAVA_HOME is respected).
# Neo4j Community is GPL-3; it is fetched, not shipped.
set -euo pipefail

version=${NEO4J_VERSION:-5.26.12}
root=$(cd "$(dirname "$0")/.." && pwd)/.servers/neo4j
dist=$root/$version
port=7687

die() { echo "neo4j_local: $*" >&2; exit 2; }

usage="usage: $0 start|stop|status [--port N]"
action=${1:-}
[ $# -gt 0 ] && shift
while [ $# -gt 0 ]; do
  case $1 in
    --port) [ $# -ge 2 ] || die "$usage"; port=$2; shift 2 ;;
    *) die "unknown argument $1; $usage" ;;
  esac
done
[[ $port =~ ^[0-9]+$ ]] && [ "$port" -ge 1024 ] && [ "$port" -le 65535 ] || die "port $port is not one of 1024 to 65535"

home=$root/$port
java=${JAVA_HOME:+$JAVA_HOME/bin/}java

install_server() {
  [ -e "$dist/ready" ] && return
  command -v mvn >/dev/null || die "mvn is not installed: install Maven, or use compose.yaml"
  rm -rf "$dist" && mkdir -p "$dist"
  cat >"$dist/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>rag1.local</groupId><artifactId>neo4j-local</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>$version</version></dependency>
    <dependency>
      <groupId>org.neo4j.app</groupId><artifactId>neo4j-server</artifactId><version>$version</version>
    </dependency>
  </dependencies>
</project>
POM
  local plugin=org.apache.maven.plugins:maven-dependency-plugin:3.6.1 options=(-B -q -ntp)
  echo "neo4j_local: fetching Neo4j $version and APOC core (about 120 MB, once)"
  (cd "$dist" && mvn "${options[@]}" $plugin:copy-dependencies -DincludeScope=runtime -DoutputDirectory=lib \
    && mvn "${options[@]}" $plugin:copy -Dartifact="org.neo4j.procedure:apoc-core:$version" -DoutputDirectory=plugins) \
    || die "Maven could not fetch Neo4j $version; its message is above"
  touch "$dist/ready"
}

check_java() {
  local major
  command -v "$java" >/dev/null || die "no Java: install a Java 17 or 21 runtime, or set JAVA_HOME"
  major=$("$java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -1)
  [ "$major" = 17 ] || [ "$major" = 21 ] || die "Java $major found, Neo4j 5.26 needs 17 or 21: set JAVA_HOME"
}

# The pid of our server, or nothing. The command line is compared, since a pid file may outlive its process.
running() {
  local pid
  pid=$(cat "$home/neo4j.pid" 2>/dev/null) || return 1
  ps -o args= -p "$pid" 2>/dev/null | grep -qF -- "--home-dir=$home " && echo "$pid"
}

# True when something answers the Bolt handshake with four bytes.
bolt_answers() {
  local reply
  reply=$(timeout 3 bash -c '
    exec 3<>"/dev/tcp/127.0.0.1/'"$port"'" || exit 1
    printf "\x60\x60\xb0\x17\x00\x00\x04\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" >&3
    head -c 4 <&3 | wc -c' 2>/dev/null) || return 1
  [ "${reply// /}" = 4 ]
}

configure() {
  mkdir -p "$home"/{conf,data,logs,import}
  cat >"$home/conf/neo4j.conf" <<CONF
server.default_listen_address=127.0.0.1
server.bolt.listen_address=127.0.0.1:$port
server.http.enabled=false
server.https.enabled=false
server.directories.plugins=$dist/plugins
server.memory.heap.initial_size=512m
server.memory.heap.max_size=512m
server.memory.pagecache.size=128m
dbms.security.auth_enabled=$([ -n "${NEO4J_PASSWORD:-}" ] && echo true || echo false)
dbms.security.procedures.allowlist=apoc.meta.*,apoc.text.*,apoc.coll.*,db.*,dbms.*
dbms.security.allow_csv_import_from_file_urls=false
internal.dbms.cypher_ip_blocklist=0.0.0.0/0,::/0
server.bolt.connection_keep_alive=5s
server.bolt.connection_keep_alive_for_requests=ALL
dbms.usage_report.enabled=false
CONF
}

set_password() {
  [ -n "${NEO4J_PASSWORD:-}" ] && [ ! -e "$home/data/databases/system" ] || return 0
  NEO4J_HOME=$home NEO4J_CONF=$home/conf "$java" -cp "$dist/lib/*" org.neo4j.cli.AdminTool \
    dbms set-initial-password "$NEO4J_PASSWORD" >"$home/logs/password.log" 2>&1 \
    || die "the password was refused: $(tail -1 "$home/logs/password.log")"
}

launch() {
  local opens=() package extra
  read -ra extra <<<"${NEO4J_JAVA_OPTS:-}"
  for package in java.nio java.io sun.nio.ch java.util.concurrent; do
    opens+=(--add-opens "java.base/$package=ALL-UNNAMED")
  done
  # The lock of this script must not live on in the server.
  setsid nohup "$java" -Xms256m -Xmx512m -XX:+UseSerialGC -Dfile.encoding=UTF-8 -cp "$dist/lib/*" "${opens[@]}" ${extra[@]+"${extra[@]}"} \
    org.neo4j.server.CommunityEntryPoint --home-dir="$home" --config-dir="$home/conf" \
    >"$home/logs/console.log" 2>&1 </dev/null 9>&- &
  echo $! >"$home/neo4j.pid"
}

start() {
  mkdir -p "$root"
  exec 9>"$root/lock" && flock 9
  check_java
  install_server
  if ! running >/dev/null; then
    bolt_answers && die "port $port is taken by another server: choose one with --port"
    configure
    set_password
    launch
  fi
  for _ in $(seq 240); do
    bolt_answers && { status; return; }
    running >/dev/null || die "Neo4j ended at once: $(grep -m1 -E 'ERROR|Exception' "$home/logs/console.log")"
    sleep 0.5
  done
  die "Neo4j did not answer on port $port within 120 s: see $home/logs/console.log"
}

status() {
  local pid
  pid=$(running) || { echo "not running on port $port"; return 3; }
  echo "running: bolt://127.0.0.1:$port (pid $pid, $version, login $(grep -q auth_enabled=true "$home/conf/neo4j.conf" && echo on || echo off))"
}

stop() {
  local pid
  pid=$(running) || { echo "not running on port $port"; return 0; }
  kill "$pid"
  for _ in $(seq 120); do
    kill -0 "$pid" 2>/dev/null || { rm -f "$home/neo4j.pid"; echo "stopped"; return 0; }
    sleep 0.25
  done
  kill -9 "$pid" && rm -f "$home/neo4j.pid" && echo "stopped by force after 30 s"
}

case $action in
  start | stop | status) "$action" ;;
  *) die "$usage" ;;
esac
