package io.flockgate.gateway.metrics;

import io.flockgate.gateway.metrics.Exposition.Family;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The families that users' dashboards rely on: one that disappears or changes breaks them. */
final class Families {
    /** Each with its type and text; those of dflockd with its wording. */
    static final Map<String, Family> OURS = families("""
            dflockd_connections gauge Active TCP plus HTTP virtual protocol connections.
            dflockd_http_request_duration_seconds summary Total HTTP request duration in seconds.
            dflockd_http_requests_total counter Total HTTP requests.
            dflockd_http_sessions gauge Active HTTP bridge sessions.
            dflockd_lock_waiters gauge Current lock waiters.
            dflockd_locks_held gauge Currently held locks.
            dflockd_ready gauge 1 when HTTP readiness is healthy, 0 while draining.
            dflockd_semaphore_holders gauge Currently held semaphore slots.
            dflockd_semaphore_waiters gauge Current semaphore waiters.
            dflockd_uptime_seconds gauge Seconds since the HTTP API process started.
            flockgate_build_info gauge Always 1. The labels have the versions of the gateway and of Java.
            flockgate_cap_max gauge The caps on clients, by flag or resource.
            flockgate_cap_used gauge What counts under a cap on clients, by its flag or resource.
            flockgate_connections gauge Open network connections.
            flockgate_grants_total counter Slots granted, at once or to claims that had to queue.
            flockgate_handoff_seconds histogram Time from the storage's grant to telling the client that waits for it.
            flockgate_handoff_seconds_max gauge Time from the storage's grant to telling the client that waits for it.
            flockgate_hold_seconds histogram Time from grant to release, lease end or loss.
            flockgate_hold_seconds_max gauge Time from grant to release, lease end or loss.
            flockgate_lease_expiries_total counter Grants that ended because their lease ran out.
            flockgate_refused_total counter Claims, requests, sessions and connections refused.
            flockgate_keys gauge Keys: locks and semaphores. Idle ones count under --max-locks until they are forgotten.
            flockgate_longest_hold_seconds gauge Age of the oldest grant that is held now.
            flockgate_queues gauge Keys with waiters now, by the number of waiters: 1 to le.
            flockgate_keys_max gauge The maximum number of keys, --max-locks.
            flockgate_storage_readable gauge 1 when this scrape has read the storage's keys, 0 when it could not.
            flockgate_tcp_commands_total counter Replies of the line protocol, by command and first word.
            flockgate_wait_seconds histogram Time from claim to grant, of claims that had to queue.
            flockgate_wait_seconds_max gauge Time from claim to grant, of claims that had to queue.
            """);

    /** The families of FleetLock, present if it is served. */
    static final Map<String, Family> OF_FLEETLOCK = families("""
            flockgate_fleetlock_backend_errors_total counter FleetLock requests that the storage could not carry out.
            flockgate_fleetlock_cas_retries_total counter Changes of rosters that conflicted with another one and were tried again.
            flockgate_fleetlock_force_unlocks_total counter Slots taken back by operators.
            flockgate_fleetlock_held gauge Slots that are taken.
            flockgate_fleetlock_oldest_hold_seconds gauge Age of the oldest hold.
            flockgate_fleetlock_paused gauge 1 when an operator has paused the group.
            flockgate_fleetlock_requests_total counter FleetLock requests, by what was answered.
            flockgate_fleetlock_slots gauge Slots of the group.
            flockgate_fleetlock_stale_holders gauge Holders for longer than --fleetlock-stale-after.
            flockgate_fleetlock_writable gauge 1 when rosters can be kept as far as the storage knows, 0 when they cannot.
            flockgate_fleetlock_window_open gauge 1 when the group's windows let newcomers in.
            """);

    /** Samples, not families. */
    static final Set<String> OF_THE_JVM = Set.of(
            "jvm_memory_used_bytes",
            "jvm_memory_max_bytes",
            "jvm_memory_committed_bytes",
            "jvm_gc_memory_allocated_bytes_total",
            "jvm_threads_live_threads",
            "process_cpu_usage",
            "process_cpu_time_ns_total",
            "system_cpu_usage",
            "process_uptime_seconds",
            "process_start_time_seconds");

    private Families() {}

    private static Map<String, Family> families(String lines) {
        return lines.lines()
                .map(line -> line.split(" ", 3))
                .collect(Collectors.toUnmodifiableMap(words -> words[0], words -> new Family(words[1], words[2])));
    }
}
