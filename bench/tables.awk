# Makes compare's tables out of its results:
#   pair LOAD SERVER ROUND µs p50 p99 pairs/s server-busy driver-share
#   pair rest SERVER ROUND …, the first load for the REST table
#   keys COUNT SERVER ROUND bytes µs-empty µs-held ratio fill-seconds
# A cell is the median of its rounds; a ratio is the median of the ratios of each round, so that a machine that
# slows down between rounds does not show in it.

BEGIN {
    split(labels, load, "\n")
    servers = split("ours floor redis dflockd", server, " ")
    split("ours|C floor|Redis|dflockd", title, "|")
    split("1.25 1.30 1.80 1.25", floor_target, " ")
    split("0.90 1.00 0.40", redis_target, " ")
    split("0.75 0.58 0.08 0.70", dflockd_target, " ")
    for (i in floor_target) {
        target["floor", i - 1] = floor_target[i]
        target["redis", i - 1] = redis_target[i]
        target["dflockd", i - 1] = dflockd_target[i]
    }
}

$5 == "-" { next }

$4 > last { last = $4 }

$1 == "pair" {
    cost[$2, $3, $4] = $5
    p50[$2, $3, $4] = $6
    p99[$2, $3, $4] = $7
    rate[$2, $3, $4] = $8
    busy[$2, $3, $4] = $9
    runs++
    seen[$2 == "rest" ? "rest" : "loads"] = 1
    if ($10 < 0.9) disturbed++
}

$1 == "keys" {
    held = 1
    count[$3] = $2
    bytes[0, $3, $4] = $5
    empty[0, $3, $4] = $6
    full[0, $3, $4] = $7
    dearer[0, $3, $4] = $8
    fill[0, $3, $4] = $9
}

# The median over the rounds of table[load, name, round], or of its ratio to table[load, base, round].
function median(table, l, name, base,    n, r, i, v, list) {
    n = 0
    for (r = 1; r <= last; r++) {
        if (!((l, name, r) in table) || (base != "" && !((l, base, r) in table))) continue
        v = table[l, name, r] / (base != "" ? table[l, base, r] : 1)
        for (i = n++; i > 0 && list[i - 1] > v; i--) list[i] = list[i - 1]
        list[i] = v
    }
    if (n == 0) return "-"
    return n % 2 ? list[(n - 1) / 2] : (list[n / 2 - 1] + list[n / 2]) / 2
}

# The least over the rounds of table[load, name, round], or of that the quotient to the least of base.
function least(table, l, name, base,    r, v) {
    v = "-"
    for (r = 1; r <= last; r++)
        if ((l, name, r) in table && (v == "-" || table[l, name, r] < v)) v = table[l, name, r]
    if (base == "" || v == "-") return v
    r = least(table, l, base, "")
    return r == "-" ? r : v / r
}

function shown(value, format) {
    return value == "-" ? "–" : sprintf(format, value)
}

function against(value, most, format) {
    if (value == "-") return "–"
    return sprintf(format " (≤ " format ") %s", value, most, value <= most ? "ok" : "**missed**")
}

# Server CPU and its ratios, by the median of the rounds, which is held against the targets, or by the least.
function cost_table(by_median,    l, i, row, ratio) {
    print "| load | ours | C floor | Redis | dflockd | ours / C floor | ours / Redis | ours / dflockd |"
    print "|---|---|---|---|---|---|---|---|"
    for (l = 0; l < 4; l++) {
        row = "| " load[l + 1] " |"
        for (i = 1; i <= servers; i++)
            row = row " " shown(by_median ? median(cost, l, server[i]) : least(cost, l, server[i]), "%.2f") " |"
        for (i = 2; i <= servers; i++) {
            ratio = by_median ? median(cost, l, "ours", server[i]) : least(cost, l, "ours", server[i])
            row = row " " (by_median ? against(ratio, target[server[i], l], "%.2f") : shown(ratio, "%.2f")) " |"
        }
        print row
    }
}

# Pairs per second of a load and how busy the server was meanwhile.
function speed(l, name,    cell) {
    cell = shown(median(rate, l, name), "%.0f")
    return median(busy, l, name) == "-" ? cell : cell sprintf(", %.0f %%", median(busy, l, name) * 100)
}

function speed_table(    l, i, row) {
    print "\nThe same runs, pairs per second, and how busy the server's core was"
    print "\n| load | ours | C floor | Redis | dflockd |\n|---|---|---|---|---|"
    for (l = 0; l < 4; l++) {
        row = "| " load[l + 1] " |"
        for (i = 1; i <= servers; i++) row = row " " speed(l, server[i]) " |"
        print row
    }
}

function handoff_table(    i) {
    print "\nHand-over on the hot key: release sent to next grant received, µs\n"
    print "| server | p50 | p99 |\n|---|---|---|"
    for (i = 1; i <= servers; i++)
        if (median(p50, 3, server[i]) != "-")
            print "| " title[i] " | " shown(median(p50, 3, server[i]), "%.1f") " | " \
                shown(median(p99, 3, server[i]), "%.1f") " |"
}

function keys_table(    i, name, own) {
    print "\nKeys held: resident memory per key, and what a pair costs meanwhile (64 connections)\n"
    print "| server | keys | bytes a key | µs a pair, empty | µs a pair, held | held / empty | filled in, s |"
    print "|---|---|---|---|---|---|---|"
    for (i = 1; i <= servers; i++) {
        name = server[i]
        if (!(name in count)) continue
        own = name == "ours"
        print "| " title[i] " | " count[name] " | " \
            (own ? against(median(bytes, 0, name), 250, "%.0f") : shown(median(bytes, 0, name), "%.0f")) " | " \
            shown(median(empty, 0, name), "%.2f") " | " shown(median(full, 0, name), "%.2f") " | " \
            (own ? against(median(dearer, 0, name), 1.1, "%.2f") : shown(median(dearer, 0, name), "%.2f")) " | " \
            shown(median(fill, 0, name), "%.1f") " |"
    }
}

function rest_table() {
    print "\nREST: server CPU per acquire + release pair, µs, " load[1] "; ratios (target)\n"
    print "| | ours, REST | bare Vert.x HTTP | ours, TCP | REST / bare | REST / TCP |\n|---|---|---|---|---|---|"
    print "| median | " shown(median(cost, "rest", "rest"), "%.2f") " | " shown(median(cost, "rest", "bare"), "%.2f") \
        " | " shown(median(cost, "rest", "ours"), "%.2f") \
        " | " against(median(cost, "rest", "rest", "bare"), 1.3, "%.2f") \
        " | " against(median(cost, "rest", "rest", "ours"), 1.6, "%.2f") " |"
    if (last > 1)
        print "| least disturbed | " shown(least(cost, "rest", "rest"), "%.2f") \
            " | " shown(least(cost, "rest", "bare"), "%.2f") " | " shown(least(cost, "rest", "ours"), "%.2f") \
            " | " shown(least(cost, "rest", "rest", "bare"), "%.2f") \
            " | " shown(least(cost, "rest", "rest", "ours"), "%.2f") " |"
    print "| pairs per second, share of the server's core | " speed("rest", "rest") " | " speed("rest", "bare") \
        " | " speed("rest", "ours") " | | |"
}

# What the first part measured: all loads on all servers.
function loads_tables() {
    print "\nServer CPU per acquire + release pair, µs; ratios ours / other (target)\n"
    cost_table(1)
    if (last > 1) {
        print "\nThe same in the round that was least disturbed, each server's own\n"
        cost_table(0)
    }
    speed_table()
    handoff_table()
}

END {
    if (disturbed)
        print "**Disturbed**: in " disturbed " of " runs " runs other work took more than a tenth of the driver's core. " \
            "Its pauses let the server sleep, and waking costs; repeat this on a quiet machine."
    if ("loads" in seen) loads_tables()
    if (held) keys_table()
    if ("rest" in seen) rest_table()
}
