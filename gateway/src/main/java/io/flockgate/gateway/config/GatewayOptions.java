package io.flockgate.gateway.config;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.flockgate.options.Option;
import io.flockgate.options.OptionType;
import io.flockgate.options.Rule;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The table of the gateway's own options, except FleetLock's. */
final class GatewayOptions {
    /**
     * Options that the help lists under one heading. Changes only while the class that declares it
     * is initialized.
     */
    record Section(String title, List<Option<?>> options) {
        Section(String title) {
            this(title, new ArrayList<>());
        }

        /** Adds an option, and returns it. */
        @CanIgnoreReturnValue
        <T> Option<T> add(Option<T> option) {
            options.add(option);
            return option;
        }
    }

    private static final OptionType<Long> COUNT = OptionType.number("count");
    private static final OptionType<Long> SECONDS = OptionType.number("seconds");
    private static final OptionType<Long> PORT_NUMBER = OptionType.number("port");
    private static final OptionType<String> ADDRESS = OptionType.text("address");
    private static final Rule<Long> PORTS = Rule.between(0, 65_535);
    private static final Rule<Long> POSITIVE_SECONDS = Rule.seconds(1);
    private static final Rule<Long> SECONDS_OR_ZERO = Rule.seconds(0);
    private static final Rule<Long> ZERO_OR_MORE = Rule.atLeast(0);

    static final Section TCP = new Section("TCP server");
    static final Section LOCKS = new Section("Locks and semaphores");
    static final Section STORAGES = new Section("Storage");
    static final Section TRUST = new Section("TLS and authentication");
    static final Section HTTP = new Section("HTTP server");
    static final Section PROCESS = new Section("Process");

    static final Option<String> HOST = TCP.add(Option.of("host", "DFLOCKD_HOST", ADDRESS, "127.0.0.1", Rule.oneWord())
            .help("Address to listen on. An empty one means all addresses of this host."));
    static final Option<Long> PORT = TCP.add(Option.of("port", "DFLOCKD_PORT", PORT_NUMBER, "6388", PORTS)
            .help("Port to listen on. With 0 the system chooses one; the log says which."));
    static final Option<Long> READ_TIMEOUT = TCP.add(Option.of(
                    "read-timeout", "DFLOCKD_READ_TIMEOUT_S", SECONDS, "23", POSITIVE_SECONDS)
            .help("Time for each line of a request once its first byte has arrived, and for the TLS handshake and"
                    + " the authentication of a new connection."));
    static final Option<Long> WRITE_TIMEOUT =
            TCP.add(Option.of("write-timeout", "DFLOCKD_WRITE_TIMEOUT_S", SECONDS, "5", SECONDS_OR_ZERO)
                    .help("Time for a client to accept a reply before its connection is closed. 0: no limit."));
    static final Option<Long> MAX_CONNECTIONS =
            TCP.add(Option.of("max-connections", "DFLOCKD_MAX_CONNECTIONS", COUNT, "20000", ZERO_OR_MORE)
                    .help("Maximum number of concurrent connections; 0 means unlimited."));
    static final Option<Long> MAX_CONNECTIONS_PER_IP =
            TCP.add(Option.of("max-connections-per-ip", "DFLOCKD_MAX_CONNECTIONS_PER_IP", COUNT, "15000", ZERO_OR_MORE)
                    .help("Maximum number of concurrent connections from one IP address, or one /64 of IPv6; 0 means"
                            + " unlimited."));
    static final Option<Boolean> AUTO_RELEASE =
            TCP.add(Option.onOff("auto-release-on-disconnect", "DFLOCKD_AUTO_RELEASE_ON_DISCONNECT", "true")
                    .help("Whether a connection's grants are released when it closes; otherwise they last until their"
                            + " leases end."));
    static final Option<Long> EVENT_LOOPS = TCP.add(
            Option.of("event-loops", "FLOCKGATE_EVENT_LOOPS", COUNT, "1", Rule.between(1, 1_024))
                    .help(
                            "Event loops that serve connections. More than one helps only with many cores and independent keys."));

    static final Option<List<Network>> PROXY_PROTOCOL = TCP.add(Option.of(
                    "proxy-protocol",
                    "FLOCKGATE_PROXY_PROTOCOL",
                    OptionType.list("a list of IP addresses and networks such as 10.0.0.0/8", Network::parse),
                    "",
                    Rule.any("addresses and networks"))
            .help("Addresses and networks of proxies, separated by commas, that begin each connection to either port"
                    + " with a PROXY header, version 1 or 2, which names the client."));

    static final Option<Long> DEFAULT_LEASE =
            LOCKS.add(Option.of("default-lease-ttl", "DFLOCKD_DEFAULT_LEASE_TTL_S", SECONDS, "33", POSITIVE_SECONDS)
                    .help("Lease of a request that names none."));
    static final Option<Long> SWEEP_INTERVAL = LOCKS.add(
            Option.of("lease-sweep-interval", "DFLOCKD_LEASE_SWEEP_INTERVAL_S", SECONDS, "1", POSITIVE_SECONDS)
                    .help("How often to check for ended leases that a timer may have missed."));
    static final Option<Long> GC_INTERVAL =
            LOCKS.add(Option.of("gc-interval", "DFLOCKD_GC_INTERVAL_S", SECONDS, "5", POSITIVE_SECONDS)
                    .help("How often to look for idle keys to forget."));
    static final Option<Long> GC_MAX_IDLE =
            LOCKS.add(Option.of("gc-max-idle", "DFLOCKD_GC_MAX_IDLE_S", SECONDS, "60", SECONDS_OR_ZERO)
                    .help("A key without holders and waiters is forgotten when idle for longer than this."));
    static final Option<Long> MAX_LOCKS = LOCKS.add(Option.of(
                    "max-locks", "DFLOCKD_MAX_LOCKS", COUNT, "1024", Rule.atLeast(1))
            .help("Maximum number of keys: locks and semaphores, including idle ones until they are forgotten."));
    static final Option<Long> MAX_HOLDERS = LOCKS.add(cap("max-holders", "250000")
            .help("Maximum number of held slots of all semaphores. Locks count only under --max-locks. 0: no limit."));
    static final Option<Long> MAX_HOLDERS_PER_CLIENT = LOCKS.add(cap("max-holders-per-client", "50000")
            .help("Maximum number of semaphore slots held by one client: a connection of the line protocol, or an"
                    + " HTTP session. Detached clients of one address count as one. 0: no limit."));
    static final Option<Long> MAX_WAITERS =
            LOCKS.add(Option.of("max-waiters", "DFLOCKD_MAX_WAITERS", COUNT, "20000", ZERO_OR_MORE)
                    .help("Longest queue of a key. 0: no limit."));

    static final Option<String> STORAGE =
            STORAGES.add(Option.of("storage", "FLOCKGATE_STORAGE", OptionType.text("name"), "memory", Rule.notBlank())
                    .help("Storage that holds the locks, by its name."));

    static final Option<String> NODE_NAME =
            STORAGES.add(Option.of("node-name", "FLOCKGATE_NODE_NAME", OptionType.text("name"), "", NodeName.RULE)
                    .help("Name of this gateway in a storage that several share; each needs its own.")
                    .showing("host name:port"));
    static final Option<Optional<Path>> TLS_CERT = TRUST.add(
            Option.of("tls-cert", "DFLOCKD_TLS_CERT", OptionType.FILE, "", Rule.any("together with --tls-key"))
                    .help("Certificate chain, PEM. With --tls-key it turns on TLS."));
    static final Option<Optional<Path>> TLS_KEY =
            TRUST.add(Option.of("tls-key", "DFLOCKD_TLS_KEY", OptionType.FILE, "", Rule.any("together with --tls-cert"))
                    .help("Private key, PEM."));
    static final Option<Optional<Path>> TLS_CLIENT_CA = TRUST.add(Option.of(
                    "tls-client-ca",
                    "FLOCKGATE_TLS_CLIENT_CA",
                    OptionType.FILE,
                    "",
                    Rule.any("together with --tls-cert"))
            .help("Certificates of the authorities, PEM, that sign those of clients. A client's certificate names"
                    + " its entry in --tokens-file. Without tokens each client needs a certificate. Read"
                    + " again when it changes."));
    static final Option<String> AUTH_TOKEN = TRUST.add(Option.of(
                    "auth-token", "DFLOCKD_AUTH_TOKEN", OptionType.text("token"), "", Rule.any("one line, not blank"))
            .help("Secret that clients must present. A flag is visible in the process list, so prefer the file."));
    static final Option<String> AUTH_TOKEN_FILE = TRUST.add(Option.of(
                    "auth-token-file",
                    "DFLOCKD_AUTH_TOKEN_FILE",
                    OptionType.text("file"),
                    "",
                    Rule.any("one line, not blank"))
            .help("File that holds the secret, and nothing else but surrounding white space."));
    static final Option<String> TOKENS_FILE = TRUST.add(
            Option.of("tokens-file", "FLOCKGATE_TOKENS_FILE", OptionType.text("file"), "", Rule.any("not blank"))
                    .help("File of named tokens and what each may do, JSON. Read again when it changes. flockgate token"
                            + " new makes a line."));

    static final Option<Long> HTTP_PORT = HTTP.add(Option.of("http-port", "DFLOCKD_HTTP_PORT", PORT_NUMBER, "0", PORTS)
            .help("Port of the HTTP server, different from --port. 0: no HTTP server."));
    static final Option<String> HTTP_HOST =
            HTTP.add(Option.of("http-host", "DFLOCKD_HTTP_HOST", ADDRESS, "", Rule.oneWord())
                    .help("Address to listen on for HTTP.")
                    .showing("as --host"));
    static final Option<Long> HTTP_SESSION_IDLE = HTTP.add(
            Option.of("http-session-idle-timeout", "DFLOCKD_HTTP_SESSION_IDLE_S", SECONDS, "20", SECONDS_OR_ZERO)
                    .help("Idle time reported to clients; a session idle for twice as long is ended. 0: never."));
    static final Option<Long> HTTP_MAX_SESSIONS =
            HTTP.add(Option.of("http-max-sessions", "DFLOCKD_HTTP_MAX_SESSIONS", COUNT, "20000", ZERO_OR_MORE)
                    .help("Maximum number of sessions; 0 means unlimited."));
    static final Option<Long> HTTP_MAX_SESSIONS_PER_IP = HTTP.add(Option.of(
                    "http-max-sessions-per-ip", "DFLOCKD_HTTP_MAX_SESSIONS_PER_IP", COUNT, "15000", ZERO_OR_MORE)
            .help("Maximum number of sessions of one token of --tokens-file, or else from one IP address, or one /64 of"
                    + " IPv6; 0 means unlimited."));
    static final Option<Long> HTTP_MAX_CONNECTIONS =
            HTTP.add(Option.of("http-max-connections", "FLOCKGATE_HTTP_MAX_CONNECTIONS", COUNT, "2048", ZERO_OR_MORE)
                    .help("Maximum number of concurrent HTTP connections; 0 means unlimited."));
    static final Option<Long> HTTP_MAX_CONNECTIONS_PER_IP = HTTP.add(Option.of(
                    "http-max-connections-per-ip", "DFLOCKD_HTTP_MAX_CONNECTIONS_PER_IP", COUNT, "1500", ZERO_OR_MORE)
            .help("Maximum number of concurrent HTTP connections from one IP address, or one /64 of IPv6; 0 means"
                    + " unlimited."));
    static final Option<Long> HTTP_RATE_LIMIT =
            HTTP.add(Option.of("http-rate-limit-per-ip", "DFLOCKD_HTTP_RATE_LIMIT_PER_IP", COUNT, "0", ZERO_OR_MORE)
                    .help("Requests a second from one IP address, or one /64 of IPv6. 0: no limit."));
    static final Option<Long> HTTP_RATE_BURST =
            HTTP.add(Option.of("http-rate-limit-burst", "DFLOCKD_HTTP_RATE_LIMIT_BURST", COUNT, "0", ZERO_OR_MORE)
                    .help("Maximum burst of requests within that rate. 0: as many as the rate."));
    static final Option<List<String>> HTTP_ALLOWED_HOSTS =
            HTTP.add(Option.of("http-allowed-hosts", "FLOCKGATE_HTTP_ALLOWED_HOSTS", OptionType.LIST, "", Rule.words())
                    .help("Names, separated by commas, under which clients reach the API without a token; * for any."
                            + " localhost and the gateway's addresses always work."));
    static final Option<List<String>> HTTP_CORS_ORIGINS = HTTP.add(Option.of(
                    "http-cors-allowed-origins", "DFLOCKD_HTTP_CORS_ALLOWED_ORIGINS", OptionType.LIST, "", Rule.words())
            .help("Origins, separated by commas, whose pages may call the API; * for any."));

    static final Option<Long> HTTP_MAX_EVENT_STREAMS = HTTP.add(
            Option.of("http-max-event-streams", "FLOCKGATE_HTTP_MAX_EVENT_STREAMS", COUNT, "16", Rule.between(1, 1_024))
                    .help("Maximum number of concurrent event streams."));
    static final Option<Boolean> HTTP_PAGE = HTTP.add(Option.onOff("http-page", "FLOCKGATE_HTTP_PAGE", "true")
            .help("Whether the HTTP server has the page for operators, at /."));

    static final Option<String> HTTP_PAGE_URL =
            HTTP.add(Option.of("http-page-url", "FLOCKGATE_HTTP_PAGE_URL", OptionType.text("url"), "", PageAddress.RULE)
                    .help("Address of the page, to which the pages of other gateways on one Consul link.")
                    .showing("http://host:port/"));

    static final Option<Long> SHUTDOWN_TIMEOUT =
            PROCESS.add(Option.of("shutdown-timeout", "DFLOCKD_SHUTDOWN_TIMEOUT_S", SECONDS, "30", SECONDS_OR_ZERO)
                    .help("Time for connections to finish after SIGTERM, SIGINT or SIGHUP before they are closed. 0: no"
                            + " limit."));
    static final Option<Long> SHUTDOWN_DELAY = PROCESS.add(Option.of(
                    "shutdown-delay", "FLOCKGATE_SHUTDOWN_DELAY_S", SECONDS, "0", SECONDS_OR_ZERO)
            .help("Time before that in which everything still works but /ready answers 503, for load balancers."));
    static final Option<Boolean> LOG_GRANTS = PROCESS.add(Option.onOff("log-grants", "FLOCKGATE_LOG_GRANTS", "false")
            .help("Log each grant and its end, with the client."));
    static final Option<Boolean> DEBUG =
            PROCESS.add(Option.onOff("debug", "DFLOCKD_DEBUG", "false").help("Log at DEBUG, with stack traces."));

    private GatewayOptions() {}

    /** A cap that Flockgate adds; 0 means no limit. Its variable is named after the flag. */
    private static Option<Long> cap(String flag, String fallback) {
        String variable = "FLOCKGATE_" + flag.replace('-', '_').toUpperCase(Locale.ROOT);
        return Option.of(flag, variable, COUNT, fallback, ZERO_OR_MORE);
    }
}
