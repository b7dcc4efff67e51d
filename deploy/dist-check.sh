#!/usr/bin/env bash
# Tries what mvn -Pdist package has made, where there is no Java, no Maven and no network: in a fresh Debian without them.
# As root, on Linux. Fetches the base system once with debootstrap, from the mirror of this machine's apt.
#
#   deploy/dist-check.sh [archive] [debian] [same] [figures]     all but figures without arguments
#
#   archive   unpacks the archive as a user, starts a server, takes a lock: at most FLOCKGATE_CHECK_SECONDS (60)
#   debian    installs the package, starts it as its unit does, upgrades it, purges it
#   same      builds twice and compares the bytes
#   figures   sizes, times and memory; on a quiet machine
set -euo pipefail

here=$(CDPATH="" cd -- "$(dirname "$0")/.." && pwd -P)
dist=$here/deploy/dist/target
work=$(mktemp -d)
root=$work/root
base=${XDG_CACHE_HOME:-${HOME:?}/.cache}/flockgate/debian-base.tar
suite=bookworm
export SECONDS_TO_LOCK=${FLOCKGATE_CHECK_SECONDS:-60}

say() { printf 'dist-check: %s\n' "$*"; }
fail() { say "FAILED: $*" >&2; exit 1; }

cleanup() {
    [ ! -f "$work/pid" ] || kill -9 "$(cat "$work/pid")" 2>/dev/null || :
    rm -rf "$work"
}
trap cleanup EXIT

[ "$(id -u)" = 0 ] || fail "this needs root, to change the root directory"
archive=$(ls "$dist"/flockgate-*-linux-*.tar.gz 2>/dev/null) || fail "there is no $dist/flockgate-*.tar.gz: mvn -Pdist package -DskipTests makes it"
package=$(ls "$dist"/flockgate_*.deb)

mirror() {
    apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' | sed -n 's/^Debian //p' | grep -v security | head -n 1
}

# A Debian with what is always there, and adduser.
make_root() {
    if [ ! -f "$base" ]; then
        command -v debootstrap >/dev/null || fail "debootstrap is needed: apt-get install debootstrap"
        say "fetching a base system, once"
        mkdir -p "$(dirname "$base")"
        debootstrap --variant=minbase --include=adduser "$suite" "$root" "$(mirror)" >"$work/debootstrap.log" 2>&1 ||
            { tail "$work/debootstrap.log" >&2; fail "debootstrap"; }
        tar -C "$root" -cf "$base.$$" .
        mv "$base.$$" "$base"
    fi
    rm -rf "$root"
    mkdir "$root"
    tar -C "$root" -xf "$base"
    for tool in java mvn javac; do
        [ -z "$(find "$root" -name "$tool" -type f)" ] || fail "the base system has $tool"
    done
}

# Runs a script in the root, with a network of its own that has nothing but loopback, and processes that end with it.
inside() {
    unshare --net --mount --pid --fork --kill-child -- bash -c '
        set -e
        ip link set lo up
        mount -t proc proc "$1/proc"
        mount -t devtmpfs dev "$1/dev" 2>/dev/null || mount --bind /dev "$1/dev"
        root=$1
        shift
        exec env -i SECONDS_TO_LOCK="$SECONDS_TO_LOCK" PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" bash -euc "$@"
    ' bash "$root" "$@"
}

check_archive() {
    make_root
    cp "$archive" "$root/tmp/flockgate.tar.gz"
    inside '
        useradd -m tester
        cd /home/tester
        cat >try <<"TRY"
set -eu
waits=0
until_up() {
    until grep -q "msg=\"http listening\"" server.log; do
        waits=$((waits + 1)); [ $waits -lt 600 ] || { cat server.log; exit 1; }; sleep 0.1
    done
}
start=$(date +%s.%N)
tar xf /tmp/flockgate.tar.gz
cd flockgate-*
touch server.log
./bin/flockgate --http-port 6389 2>server.log &
server=$!
until_up
./bin/flockgate run --key first -- sh -c "echo dist-check: the first lock has the fence \$FLOCKGATE_FENCE"
echo "$start $(date +%s.%N)" | awk "{ printf \"dist-check: %.1f s from the archive to the first lock\\n\", \$2 - \$1; exit \$2 - \$1 > seconds }" seconds="$SECONDS_TO_LOCK"
./bin/flockgate health --http-port 6389
./bin/flockgate health --ready --pid $server
[ "$(./bin/flockgate run --key with-arguments -- echo "a  b")" = "a  b" ]
ls cache/*http*.aot cache/*command*.aot cache/*health*.aot >/dev/null
kill $server
wait $server
if ./bin/flockgate health --http-port 6389 2>/dev/null; then exit 1; fi
echo "dist-check: a read-only copy elsewhere starts from its cache"
TRY
        su tester -s /bin/sh -c "sh -eu try"
        cp -a flockgate-*/ /opt/flockgate
        FLOCKGATE_AOT=make /opt/flockgate/bin/flockgate
        chmod -R a-w /opt/flockgate
        mount -t tmpfs -o ro tmpfs /tmp
        cat >try <<"TRY"
set -eu
cd /
umask 077
touch /home/tester/server.log
/opt/flockgate/bin/flockgate --port 7000 2>/home/tester/server.log &
server=$!
until grep -q "msg=listening" /home/tester/server.log; do sleep 0.1; done
# Netty finds no card in a network that has only loopback. All else that is no news is a fault.
if grep -v -e " level=INFO " -e MacAddressUtil /home/tester/server.log; then exit 1; fi
grep -q "flockgate-server-.*\.aot" /proc/$server/maps
grep -q "/opt/flockgate/native/libnetty" /proc/$server/maps
/opt/flockgate/bin/flockgate run --server 127.0.0.1:7000 --key k -- true
kill $server
wait $server
TRY
        su tester -s /bin/sh -c "sh -eu try"
        for page in /opt/flockgate/share/man/man1/*.1; do
            head -n 1 "$page" | grep -q "^\.TH FLOCKGATE"
        done
        bash -n /opt/flockgate/share/bash-completion/completions/flockgate
    '
    if command -v man >/dev/null; then
        mkdir "$work/man"
        tar xf "$archive" -C "$work/man" --wildcards '*/share/man/*'
        for page in "$work"/man/*/share/man/man1/*.1; do
            warnings=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null || :)
            [ -z "$warnings" ] || fail "${page##*/}: $warnings"
        done
    fi
    say "archive: ok"
}

# The command of the unit, as its user, with its settings; systemd itself does not run in a changed root.
service='
start_service() {
    setting() { sed -n "s/^$1=//p" /usr/lib/systemd/system/flockgate.service; }
    set -a; . "$(setting EnvironmentFile)"; set +a
    install -d -m 0700 -o flockgate -g flockgate "/var/lib/$(setting StateDirectory)"
    : >/var/log/flockgate.log
    eval "set -- $(setting ExecStart)"
    setpriv --reuid "$(setting User)" --regid "$(setting Group)" --clear-groups --no-new-privs --bounding-set=-all \
        --inh-caps=-all "$@" 2>/var/log/flockgate.log &
    server=$!
    tries=0
    until grep -q "msg=\"http listening\"" /var/log/flockgate.log; do
        tries=$((tries + 1)); [ $tries -lt 600 ] || { cat /var/log/flockgate.log; exit 1; }; sleep 0.1
    done
}
stop_service() { kill $server; wait $server; }
fence() { flockgate run --key deploy -- sh -c "echo \$FLOCKGATE_FENCE"; }
'

check_debian() {
    make_root
    cp "$package" "$root/tmp/flockgate.deb"
    # The next version, of the same files.
    dpkg-deb -R "$package" "$work/next"
    sed -i 's/^Version: .*/Version: 99.0/' "$work/next/DEBIAN/control"
    echo 0123456789abcdef >"$work/next/usr/lib/flockgate/app/id"
    sed -i '/ usr\/lib\/flockgate\/app\/id$/d' "$work/next/DEBIAN/md5sums"
    dpkg-deb -b -Zgzip "$work/next" "$root/tmp/next.deb" >/dev/null
    inside "$service"'
        export DEBIAN_FRONTEND=noninteractive
        find / -xdev \( -path /proc -o -path /tmp -o -path /var/log -o -path /var/lib/dpkg -o -path /var/cache -o -path /dev -o -path /run \) -prune -o -print | sort >/tmp/before
        dpkg -i /tmp/flockgate.deb >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log; exit 1; }
        dpkg --verify flockgate
        [ "$(stat -c %a:%U:%G /etc/flockgate/flockgate.env)" = 640:root:flockgate ]
        ls /var/cache/flockgate/flockgate-server-*.aot /var/cache/flockgate/flockgate-http-*.aot /var/cache/flockgate/flockgate-command-*.aot /var/cache/flockgate/flockgate-health-*.aot >/dev/null
        test -r /usr/share/man/man1/flockgate-run.1.gz
        start_service
        flockgate health --http-port 6389
        before=$(fence)
        [ "$(ps -o user= -p $server 2>/dev/null || stat -c %U /proc/$server)" = flockgate ]
        echo "dist-check: installed and started; fence $before"
        echo "DFLOCKD_MAX_LOCKS=77" >>/etc/flockgate/flockgate.env
        # Under load: leases without a process, commands that run, and claims that come and go. These leave the making of caches to the package.
        for n in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "leased-$n $(flockgate lock leased-$n --for 10m)"; done >/tmp/leases
        for n in 1 2 3; do
            FLOCKGATE_AOT=off flockgate run --key running-$n -- sh -c "echo \$FLOCKGATE_FENCE >/tmp/running-$n; while [ ! -e /tmp/upgraded ]; do sleep 0.2; done" &
            eval "running$n=$!"
        done
        for n in 1 2; do
            (while [ ! -e /tmp/upgraded ]; do FLOCKGATE_AOT=off flockgate run --key "churn-$n" --wait 5 -- true >/dev/null 2>&1 && echo x >>/tmp/churn-$n || sleep 0.2; done) &
            eval "churn$n=$!"
        done
        until [ -s /tmp/running-1 ] && [ -s /tmp/running-2 ] && [ -s /tmp/running-3 ] && [ -s /tmp/churn-1 ]; do sleep 0.1; done
        dpkg -i /tmp/next.deb >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log; exit 1; }
        grep -q "^DFLOCKD_MAX_LOCKS=77" /etc/flockgate/flockgate.env
        ls /var/cache/flockgate/flockgate-server-0123456789abcdef.aot >/dev/null
        [ "$(ls /var/cache/flockgate/ | wc -l)" = 4 ]
        stop_service
        start_service
        after=$(fence)
        [ "$after" -gt "$before" ]
        while read -r key token; do
            if flockgate run --key $key --wait 0 -- true 2>/dev/null; then echo "$key was granted twice"; exit 1; fi
            flockgate renew $key $token >/dev/null || { echo "$key is lost"; exit 1; }
        done </tmp/leases
        for n in 1 2 3; do
            if flockgate run --key running-$n --wait 0 -- true 2>/dev/null; then echo "running-$n was granted twice"; exit 1; fi
        done
        touch /tmp/upgraded
        wait $running1; wait $running2; wait $running3; wait $churn1; wait $churn2
        echo "dist-check: $(wc -l </tmp/leases) leases and 3 commands outlived the upgrade, beside $(cat /tmp/churn-* | wc -l) locks that came and went"
        stop_service
        echo "dist-check: upgraded to $(dpkg-query -W -f "\${Version}" flockgate); settings kept; fence $after"
        dpkg -r flockgate >/dev/null 2>&1
        [ ! -e /usr/lib/flockgate ] && [ -e /etc/flockgate/flockgate.env ] && [ -e /var/lib/flockgate/grants.journal ]
        mkdir -p /run/systemd/system /tmp/fake
        printf "#!/bin/sh\\necho \"\$*\" >>/tmp/systemctl.log\\n" >/tmp/fake/systemctl
        chmod +x /tmp/fake/systemctl
        PATH=/tmp/fake:$PATH dpkg -i /tmp/flockgate.deb >/tmp/dpkg.log 2>&1 || { cat /tmp/dpkg.log; exit 1; }
        grep -q "enable --now flockgate.service" /tmp/systemctl.log || { echo "not started after it was removed and installed again"; exit 1; }
        rm -r /run/systemd
        dpkg -P flockgate >/dev/null 2>&1
        find / -xdev \( -path /proc -o -path /tmp -o -path /var/log -o -path /var/lib/dpkg -o -path /var/cache -o -path /dev -o -path /run \) -prune -o -print | sort >/tmp/after
        if diff /tmp/before /tmp/after | grep -v -e "^[0-9]" -e "/etc/\(passwd\|group\|shadow\|gshadow\|subuid\|subgid\)-\$"; then exit 1; fi
        if getent passwd flockgate; then exit 1; fi
        [ ! -e /var/cache/flockgate ]
        echo "dist-check: purged, nothing left"
    '
    if command -v systemd-analyze >/dev/null; then
        mkdir -p "$work/unit"
        cp "$here/deploy/dist/debian/flockgate.service" "$work/unit"
        say "$(systemd-analyze security --offline=true "$work/unit/flockgate.service" | tail -n 1 | sed 's/^[^A-Za-z]*//')"
    fi
    say "debian: ok"
}

check_same() {
    for run in one two; do
        # Another time, another place, other permissions of new files, another order of names.
        (umask "$([ $run = one ] && echo 077 || echo 002)"
            sh "$here/deploy/dist/build" same "$(sed -n 's:.*<project.build.outputTimestamp>\(.*\)</.*:\1:p' "$here/pom.xml")" "$work/same-$run" >/dev/null)
        sleep 1
    done
    for file in "$work"/same-one/*.tar.gz; do
        cmp "$file" "$work/same-two/${file##*/}" || fail "two builds differ: ${file##*/}"
    done
    say "same: ok, $(sha256sum "$work"/same-one/flockgate-*.tar.gz | cut -c 1-16)"
}

check_figures() {
    mkdir "$work/f"
    tar xf "$archive" -C "$work/f" --strip-components 1
    python3 "$here/deploy/dist-figures.py" "$work/f/bin/flockgate" "$archive" "$package"
}

[ $# != 0 ] || set -- archive debian same
for part; do
    case $part in
        archive | debian | same | figures) "check_$part" ;;
        *) fail "unknown part $part" ;;
    esac
done
