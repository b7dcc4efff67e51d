# Sourced by the scripts beside it.

# Prints the java command of a JDK 25 or newer: JAVA_HOME's, the one on PATH, or one in the usual directory.
find_java() {
    local java version
    for java in "${JAVA_HOME:-/nowhere}/bin/java" "$(command -v java || true)" /usr/lib/jvm/*/bin/java; do
        [[ -x $java ]] || continue
        version=$("$java" -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p' | head -n 1)
        ((${version:-0} >= 25)) && echo "$java" && return 0
    done
    return 1
}
