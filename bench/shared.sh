# Sourced by the scripts beside it.

here=$(CDPATH="" cd -- "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname "$here")
build=yes

die() {
    echo "${0##*/}: $1" >&2
    exit "${2:-1}"
}

# Prints the java command of a JDK 25 or newer: JAVA_HOME's, the one on PATH, or one in the usual directory.
find_java() {
    local java version
    for java in "${JAVA_HOME:-/nowhere}/bin/java" "$(command -v java || true)" /usr/lib/jvm/*/bin/java; do
        [[ -x $java ]] || continue
        version=$("$java" -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' | head -n 1)
        ((${version:-0} >= 25)) && echo "$java" && return 0
    done
    die "no JDK 25 or newer: set JAVA_HOME"
}

whole() { # option value
    [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || die "$1 needs a whole number" 2
    echo "$((10#$2))"
}

# build_bench LIBRARIES...: builds, unless --no-build says not to.
build_bench() {
    local libraries
    if [[ $build == yes ]]; then
        command -v mvn >/dev/null || die "mvn is missing: install Maven, or use --no-build"
        echo "${0##*/}: building" >&2
        (cd "$root" && mvn -q -pl bench -am -DskipTests package) >&2 || die "the build failed"
    fi
    for libraries; do [[ -d $here/target/$libraries ]] || die "not built: run without --no-build"; done
}

# The first run of the launcher builds its cache, so that no measured start has to.
try_launcher() {
    "$root/flockgate" --version >/dev/null || die "$root/flockgate does not run"
}

# Prints the JVM flags with which the launcher starts a server.
server_flags() {
    local sizes flags
    sizes=$(sed -nE 's/^ +sizes="(-Xms16m [^"$]+)"$/\1/p' "$root/flockgate")
    flags=$(sed -nE 's/^flags="([^"]+ \$sizes [^"]+)"$/\1/p' "$root/flockgate")
    [[ -n $sizes && -n $flags ]] || die "no JVM flags found in $root/flockgate"
    flags=${flags/\$sizes/$sizes}
    [[ $("$java" -version 2>&1) != *' version "25'* ]] || flags+=" --sun-misc-unsafe-memory-access=allow"
    echo "$flags"
}

server=

# serve PORT COMMAND...: starts a server and waits until it listens.
serve() {
    local port=$1
    shift
    "$@" >/dev/null 2>&1 &
    server=$!
    for _ in {1..200}; do
        (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    die "$1 does not run"
}

stop_server() {
    [[ -z $server ]] || kill "$server" 2>/dev/null || true
    [[ -z $server ]] || wait "$server" 2>/dev/null || true
    server=
}

# The machine and its load, for the head of a result.
machine() {
    local cpu
    cpu=$(sed -nE 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%Y-%m-%d), ${cpu:-unknown processor}, $(nproc --all) cores, $(uname -sr)"
}

load_average() {
    cut -d ' ' -f 1-3 /proc/loadavg
}
