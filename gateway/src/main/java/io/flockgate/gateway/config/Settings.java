package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The table of all settings, in the order in which they are listed and checked. */
final class Settings {
    private static final Kind<Long> COUNT = Kind.number("count");
    private static final Kind<Long> SECONDS = Kind.number("seconds");
    private static final Kind<Long> PORT_NUMBER = Kind.number("port");
    private static final Kind<String> ADDRESS = Kind.text("address");
    private static final Rule<Long> PORTS = Rule.between(0, 65_535);
    private static final Rule<Long> POSITIVE_SECONDS = Rule.seconds(1);
    private static final Rule<Long> SECONDS_OR_ZERO = Rule.seconds(0);
    private static final Rule<Long> ZERO_OR_MORE = Rule.atLeast(0);

    static final Setting<String> HOST = Setting.of(
            "host",
            "DFLOCKD_HOST",
            ADDRESS,
            "127.0.0.1",
            Rule.oneWord(),
            Group.TCP,
            "Address to listen on. An empty one means all addresses of this host.");
    static final Setting<Long> PORT = Setting.of(
            "port",
            "DFLOCKD_PORT",
            PORT_NUMBER,
            "6388",
            PORTS,
            Group.TCP,
            "Port to listen on. With 0 the system chooses one; the log says which.");
    static final Setting<Long> READ_TIMEOUT = Setting.of(
            "read-timeout",
            "DFLOCKD_READ_TIMEOUT_S",
            SECONDS,
            "23",
            POSITIVE_SECONDS,
            Group.TCP,
            "Time for each line of a request once its first byte is there, and for the TLS handshake and"
                    + " the authentication of a new connection.");
    static final Setting<Long> WRITE_TIMEOUT = Setting.of(
            "write-timeout",
            "DFLOCKD_WRITE_TIMEOUT_S",
            SECONDS,
            "5",
            SECONDS_OR_ZERO,
            Group.TCP,
            "Time for a client to take a reply before its connection is closed. 0: no limit.");
    static final Setting<Long> MAX_CONNECTIONS = Setting.of(
            "max-connections",
            "DFLOCKD_MAX_CONNECTIONS",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.TCP,
            "Most connections at a time. 0: no limit.");
    static final Setting<Long> MAX_CONNECTIONS_PER_IP = Setting.of(
            "max-connections-per-ip",
            "DFLOCKD_MAX_CONNECTIONS_PER_IP",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.TCP,
            "Most connections at a time from one IP address. 0: no limit.");
    static final Setting<Boolean> AUTO_RELEASE = Setting.of(
            "auto-release-on-disconnect",
            "DFLOCKD_AUTO_RELEASE_ON_DISCONNECT",
            Kind.SWITCH,
            "true",
            Rule.any("true or false"),
            Group.TCP,
            "Whether what a connection holds is released when it closes; otherwise it stays until its lease ends.");
    static final Setting<Long> EVENT_LOOPS = Setting.of(
            "event-loops",
            "FLOCKGATE_EVENT_LOOPS",
            COUNT,
            "1",
            Rule.between(1, 1_024),
            Group.TCP,
            "Event loops that serve connections. More than one pays only with many cores and independent keys.");

    static final Setting<Long> DEFAULT_LEASE = Setting.of(
            "default-lease-ttl",
            "DFLOCKD_DEFAULT_LEASE_TTL_S",
            SECONDS,
            "33",
            POSITIVE_SECONDS,
            Group.LOCKS,
            "Lease of a request that names none.");
    static final Setting<Long> SWEEP_INTERVAL = Setting.of(
            "lease-sweep-interval",
            "DFLOCKD_LEASE_SWEEP_INTERVAL_S",
            SECONDS,
            "1",
            POSITIVE_SECONDS,
            Group.LOCKS,
            "How often to look for ended leases that a timer may have missed.");
    static final Setting<Long> GC_INTERVAL = Setting.of(
            "gc-interval",
            "DFLOCKD_GC_INTERVAL_S",
            SECONDS,
            "5",
            POSITIVE_SECONDS,
            Group.LOCKS,
            "How often to look for idle keys to forget.");
    static final Setting<Long> GC_MAX_IDLE = Setting.of(
            "gc-max-idle",
            "DFLOCKD_GC_MAX_IDLE_S",
            SECONDS,
            "60",
            SECONDS_OR_ZERO,
            Group.LOCKS,
            "A key without holder and waiter is forgotten when idle for longer than this.");
    static final Setting<Long> MAX_LOCKS = Setting.of(
            "max-locks",
            "DFLOCKD_MAX_LOCKS",
            COUNT,
            "1024",
            Rule.atLeast(1),
            Group.LOCKS,
            "Most keys at a time: locks and semaphores, idle ones included until they are forgotten.");
    static final Setting<Long> MAX_WAITERS = Setting.of(
            "max-waiters",
            "DFLOCKD_MAX_WAITERS",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.LOCKS,
            "Longest queue of a key. 0: no limit.");
    static final Setting<Optional<Path>> FENCE_STATE_FILE = Setting.of(
            "fence-state-file",
            "DFLOCKD_FENCE_STATE_FILE",
            Kind.FILE,
            "",
            Rule.any("a path"),
            Group.LOCKS,
            "File that keeps fences rising over restarts, whatever the clock does. Created when missing.");

    static final Setting<String> STORAGE = Setting.of(
            "storage",
            "FLOCKGATE_STORAGE",
            Kind.text("name"),
            "memory",
            Rule.notBlank(),
            Group.STORAGE,
            "Storage that holds the locks, by its name.");

    static final Setting<String> NODE_NAME = Setting.of(
                    "node-name",
                    "FLOCKGATE_NODE_NAME",
                    Kind.text("name"),
                    "",
                    NodeName.RULE,
                    Group.STORAGE,
                    "Name of this gateway in a storage that several share; each needs its own.")
            .showing("host name:port");
    static final Setting<Optional<Path>> DATA_DIR = Setting.of(
            "data-dir",
            "FLOCKGATE_DATA_DIR",
            Kind.FILE,
            "",
            Rule.any("a path"),
            Group.STORAGE,
            "Directory in which the storage memory keeps what must survive a restart: who holds FleetLock's slots.");

    static final Setting<Optional<Path>> TLS_CERT = Setting.of(
            "tls-cert",
            "DFLOCKD_TLS_CERT",
            Kind.FILE,
            "",
            Rule.any("together with --tls-key"),
            Group.TRUST,
            "Certificate chain, PEM. With --tls-key it turns on TLS.");
    static final Setting<Optional<Path>> TLS_KEY = Setting.of(
            "tls-key",
            "DFLOCKD_TLS_KEY",
            Kind.FILE,
            "",
            Rule.any("together with --tls-cert"),
            Group.TRUST,
            "Private key, PEM.");
    static final Setting<String> AUTH_TOKEN = Setting.of(
            "auth-token",
            "DFLOCKD_AUTH_TOKEN",
            Kind.text("token"),
            "",
            Rule.any("one line, not blank"),
            Group.TRUST,
            "Secret that clients must present. As a flag it can be read in the process list: prefer the file.");
    static final Setting<String> AUTH_TOKEN_FILE = Setting.of(
            "auth-token-file",
            "DFLOCKD_AUTH_TOKEN_FILE",
            Kind.text("file"),
            "",
            Rule.any("one line, not blank"),
            Group.TRUST,
            "File that holds the secret, and nothing else but white space around it.");

    static final Setting<Long> HTTP_PORT = Setting.of(
            "http-port",
            "DFLOCKD_HTTP_PORT",
            PORT_NUMBER,
            "0",
            PORTS,
            Group.HTTP,
            "Port of the HTTP server, another than --port. 0: no HTTP server.");
    static final Setting<String> HTTP_HOST = Setting.of(
                    "http-host",
                    "DFLOCKD_HTTP_HOST",
                    ADDRESS,
                    "",
                    Rule.oneWord(),
                    Group.HTTP,
                    "Address to listen on for HTTP.")
            .showing("as --host");
    static final Setting<Long> HTTP_SESSION_IDLE = Setting.of(
            "http-session-idle-timeout",
            "DFLOCKD_HTTP_SESSION_IDLE_S",
            SECONDS,
            "20",
            SECONDS_OR_ZERO,
            Group.HTTP,
            "Idle time told to clients; a session idle for twice as long is ended. 0: never.");
    static final Setting<Long> HTTP_MAX_SESSIONS = Setting.of(
            "http-max-sessions",
            "DFLOCKD_HTTP_MAX_SESSIONS",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.HTTP,
            "Most sessions at a time. 0: no limit.");
    static final Setting<Long> HTTP_MAX_SESSIONS_PER_IP = Setting.of(
            "http-max-sessions-per-ip",
            "DFLOCKD_HTTP_MAX_SESSIONS_PER_IP",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.HTTP,
            "Most sessions at a time from one IP address. 0: no limit.");
    static final Setting<Long> HTTP_MAX_CONNECTIONS_PER_IP = Setting.of(
            "http-max-connections-per-ip",
            "DFLOCKD_HTTP_MAX_CONNECTIONS_PER_IP",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.HTTP,
            "Most HTTP connections at a time from one IP address. 0: no limit.");
    static final Setting<Long> HTTP_RATE_LIMIT = Setting.of(
            "http-rate-limit-per-ip",
            "DFLOCKD_HTTP_RATE_LIMIT_PER_IP",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.HTTP,
            "Requests a second from one IP address. 0: no limit.");
    static final Setting<Long> HTTP_RATE_BURST = Setting.of(
            "http-rate-limit-burst",
            "DFLOCKD_HTTP_RATE_LIMIT_BURST",
            COUNT,
            "0",
            ZERO_OR_MORE,
            Group.HTTP,
            "Requests that may come at once within that rate. 0: as many as the rate.");
    static final Setting<List<String>> HTTP_CORS_ORIGINS = Setting.of(
            "http-cors-allowed-origins",
            "DFLOCKD_HTTP_CORS_ALLOWED_ORIGINS",
            Kind.LIST,
            "",
            Rule.words(),
            Group.HTTP,
            "Origins, separated by commas, whose pages may call the API; * for any.");

    static final Setting<Long> SHUTDOWN_TIMEOUT = Setting.of(
            "shutdown-timeout",
            "DFLOCKD_SHUTDOWN_TIMEOUT_S",
            SECONDS,
            "30",
            SECONDS_OR_ZERO,
            Group.PROCESS,
            "Time for connections to finish after SIGTERM or SIGINT before they are closed. 0: for ever.");
    static final Setting<Long> SHUTDOWN_DELAY = Setting.of(
            "shutdown-delay",
            "FLOCKGATE_SHUTDOWN_DELAY_S",
            SECONDS,
            "0",
            SECONDS_OR_ZERO,
            Group.PROCESS,
            "Time before that in which everything still works but readiness is denied, for load balancers.");
    static final Setting<Boolean> DEBUG = Setting.of(
            "debug",
            "DFLOCKD_DEBUG",
            Kind.SWITCH,
            "false",
            Rule.any("true or false"),
            Group.PROCESS,
            "Log at DEBUG, with stack traces.");

    private static final List<Setting<?>> BEFORE_CONSUL = List.of(
            HOST,
            PORT,
            READ_TIMEOUT,
            WRITE_TIMEOUT,
            MAX_CONNECTIONS,
            MAX_CONNECTIONS_PER_IP,
            AUTO_RELEASE,
            EVENT_LOOPS,
            DEFAULT_LEASE,
            SWEEP_INTERVAL,
            GC_INTERVAL,
            GC_MAX_IDLE,
            MAX_LOCKS,
            MAX_WAITERS,
            FENCE_STATE_FILE,
            STORAGE,
            NODE_NAME,
            DATA_DIR);
    private static final List<Setting<?>> AFTER_CONSUL = List.of(
            TLS_CERT,
            TLS_KEY,
            AUTH_TOKEN,
            AUTH_TOKEN_FILE,
            HTTP_PORT,
            HTTP_HOST,
            HTTP_SESSION_IDLE,
            HTTP_MAX_SESSIONS,
            HTTP_MAX_SESSIONS_PER_IP,
            HTTP_MAX_CONNECTIONS_PER_IP,
            HTTP_RATE_LIMIT,
            HTTP_RATE_BURST,
            HTTP_CORS_ORIGINS);
    private static final List<Setting<?>> AFTER_FLEETLOCK = List.of(SHUTDOWN_TIMEOUT, SHUTDOWN_DELAY, DEBUG);

    static final List<Setting<?>> ALL = Stream.of(
                    BEFORE_CONSUL, ConsulSettings.ALL, AFTER_CONSUL, FleetLockSettings.ALL, AFTER_FLEETLOCK)
            .<Setting<?>>flatMap(List::stream)
            .toList();

    private Settings() {}
}
