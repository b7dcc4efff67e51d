# Sourced by compare: loads Redis with redis-benchmark.
# redis-benchmark repeats one command. So a load acquires keys for half of its time, and then releases the same keys.

redis_token=00112233445566778899aabbccddeeff
redis_script="if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
# Connections and requests a write of each load. The hot key would need two commands in turn on each connection.
redis_loads=("64 1" "1 1" "1 32")

redis_ask() {
    redis-cli -p "${port[redis]}" "$@" </dev/null
}

# redis_send CONNECTIONS DEPTH COUNT COMMAND...: sends a command COUNT times, replacing __rand_int__ with consecutive numbers,
# and adds the CPU seconds of redis-benchmark to a file.
redis_send() {
    local connections=$1 depth=$2 count=$3 TIMEFORMAT='%3U %3S'
    shift 3
    { time LD_PRELOAD=$work/redis-driver.so taskset -c "$driver_cpu" redis-benchmark -p "${port[redis]}" \
        -c "$connections" -P "$depth" -n "$count" -r "$count" "$@" >"$work/redis.out" 2>&1; } 2>>"$work/redis.cpu"
}

# redis_pairs CONNECTIONS DEPTH: acquires and releases some keys, few enough for the processor's caches.
redis_batch=12800
redis_pairs() {
    local before held after
    before=$(redis_ask dbsize) &&
        redis_send "$@" "$redis_batch" SET pair:__rand_int__ "$redis_token" NX PX 600000 &&
        held=$(redis_ask dbsize) &&
        redis_send "$@" "$redis_batch" EVALSHA "$redis_sha" 1 pair:__rand_int__ "$redis_token" &&
        after=$(redis_ask dbsize) || return
    if ((held != before + redis_batch || after != before)); then
        note "Redis had $before keys, then $held instead of $((before + redis_batch)), then $after"
        return 1
    fi
}

# redis_load INDEX: one of the loads, with the fields of the driver's JSON on standard output.
redis_load() {
    local shape pairs=0 from cpu start
    read -ra shape <<<"${redis_loads[$1]}"
    redis_sha=$(redis_ask script load "$redis_script") && redis_pairs "${shape[@]}" || return
    read -r _ from < <(cpu_of redis)
    start=$EPOCHREALTIME
    : >"$work/redis.cpu"
    until awk -v start="$start" -v now="$EPOCHREALTIME" -v most="$seconds" 'BEGIN { exit now - start < most }'; do
        redis_pairs "${shape[@]}" || return
        pairs=$((pairs + redis_batch))
    done
    read -r _ cpu < <(cpu_of redis)
    awk -v pairs="$pairs" -v cpu=$((cpu - from)) -v start="$start" -v end="$EPOCHREALTIME" '{ driver += $1 + $2 } END {
        wall = end - start
        printf "{\"ops_per_s\":%.3f,\"driver_share\":%.3f,\"server_busy\":%.3f,\"server_us_per_pair\":%.3f}\n", \
            pairs / wall, driver / wall, cpu / 1e9 / wall, cpu / 1e3 / pairs }' "$work/redis.cpu"
}

resident_kb() {
    awk '/^Rss:/ { print $2 }' "/proc/${pid[$1]}/smaps_rollup"
}

# redis_keys COUNT: the first load, keys that are held for a day, and the same load again, as the driver's --keys.
redis_keys() {
    local fresh empty start filled held loaded
    fresh=$(resident_kb redis)
    empty=$(redis_load 0) || return
    start=$EPOCHREALTIME
    redis_send 1 256 "$1" SET kept:__rand_int__ "$redis_token" NX PX 86400000 || return
    filled=$EPOCHREALTIME
    sleep 0.3
    held=$(resident_kb redis)
    (($(redis_ask dbsize) == $1)) && loaded=$(redis_load 0) || return
    awk -v count="$1" -v kb=$((held - fresh)) -v start="$start" -v end="$filled" \
        -v empty="$(field server_us_per_pair "$empty")" -v loaded="$(field server_us_per_pair "$loaded")" 'BEGIN {
        printf "{\"bytes_each\":%.3f,\"fill_s\":%.3f,\"empty_us_per_pair\":%.3f,\"server_us_per_pair\":%.3f,", \
            kb * 1024 / count, end - start, empty, loaded
        printf "\"cost_ratio\":%.3f}\n", loaded / empty }'
}
