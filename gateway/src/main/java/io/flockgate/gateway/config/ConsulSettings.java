package io.flockgate.gateway.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The part of the table of settings that concerns the storage {@code consul}. */
final class ConsulSettings {
    /** Consul takes sessions of up to a day. */
    private static final long DAY = 86_400;

    static final Setting<String> ADDRESS = Setting.of(
            "consul-addr",
            "CONSUL_HTTP_ADDR",
            Kind.text("address"),
            "http://127.0.0.1:8500",
            ConsulAddress.RULE,
            Group.CONSUL,
            "HTTP API of a Consul agent, best the one on this host. http where no scheme is given, and that scheme's"
                    + " own port, 80 or 443, where no port is.");
    static final Setting<String> TOKEN = Setting.of(
            "consul-token",
            "CONSUL_HTTP_TOKEN",
            Kind.text("token"),
            "",
            Rule.any("one line of printable ASCII, not blank"),
            Group.CONSUL,
            "ACL token for Consul. As a flag it can be read in the process list: prefer the file.");
    static final Setting<String> TOKEN_FILE = Setting.of(
            "consul-token-file",
            "CONSUL_HTTP_TOKEN_FILE",
            Kind.text("file"),
            "",
            Rule.any("one line of printable ASCII, not blank"),
            Group.CONSUL,
            "File that holds the ACL token, and nothing else but white space around it.");
    static final Setting<Optional<Path>> CA_FILE = Setting.of(
            "consul-ca-file",
            "CONSUL_CACERT",
            Kind.FILE,
            "",
            Rule.any("a path"),
            Group.CONSUL,
            "Certificates of the authorities to trust for https, PEM, instead of Java's own.");
    static final Setting<Optional<Path>> CLIENT_CERT = Setting.of(
            "consul-client-cert",
            "CONSUL_CLIENT_CERT",
            Kind.FILE,
            "",
            Rule.any("together with --consul-client-key"),
            Group.CONSUL,
            "Certificate chain to show to Consul, PEM.");
    static final Setting<Optional<Path>> CLIENT_KEY = Setting.of(
            "consul-client-key",
            "CONSUL_CLIENT_KEY",
            Kind.FILE,
            "",
            Rule.any("together with --consul-client-cert"),
            Group.CONSUL,
            "Private key of that certificate, PEM.");
    static final Setting<String> PREFIX = Setting.of(
            "consul-prefix",
            "FLOCKGATE_CONSUL_PREFIX",
            Kind.text("prefix"),
            "flockgate/",
            ConsulPrefix.RULE,
            Group.CONSUL,
            "Base of all keys in Consul's KV store. All gateways that act as one have the same.");
    static final Setting<Long> SESSION_TTL = Setting.of(
            "consul-session-ttl",
            "FLOCKGATE_CONSUL_SESSION_TTL_S",
            Kind.number("seconds"),
            "10",
            Rule.between(1, DAY),
            Group.CONSUL,
            "TTL of the gateway's sessions. Consul frees what a crashed gateway held after up to twice this time, and"
                    + " refuses less than 10 unless its session_ttl_min has been lowered.");
    static final Setting<Long> CHECK_TTL = Setting.of(
            "consul-check-ttl",
            "FLOCKGATE_CONSUL_CHECK_TTL_S",
            Kind.number("seconds"),
            "0",
            Rule.between(0, DAY),
            Group.CONSUL,
            "Binds the sessions to a check of this TTL at the agent, so that a crash shows that soon; a pause of the"
                    + " gateway for longer loses all it holds. 0: no check.");
    static final Setting<String> HOLDERS = Setting.of(
            "consul-holders",
            "FLOCKGATE_CONSUL_HOLDERS",
            Kind.text("form"),
            "list",
            Rule.oneOf("list", "map"),
            Group.CONSUL,
            "Form of Holders in the semaphores that we create: list, as in Consul's guide, or map, as Consul's CLI and"
                    + " Go API need it.");
    static final Setting<Long> FENCE_BASE = Setting.of(
            "consul-fence-base",
            "FLOCKGATE_CONSUL_FENCE_BASE",
            Kind.number("number"),
            "0",
            Rule.atLeast(0),
            Group.CONSUL,
            "Added to Consul's index to make a fence, so that fences go on rising after a move to another cluster.");
    static final Setting<List<String>> MAP = Setting.of(
            "consul-map",
            "FLOCKGATE_CONSUL_MAP",
            Kind.entries("key=prefix"),
            "",
            ConsulMap.RULE,
            Group.CONSUL,
            "Puts a key at a prefix of its own, as shared with users of consul lock. May be given several times; in"
                    + " the variable, entries are parted by white space.");

    static final List<Setting<?>> ALL = List.of(
            ADDRESS,
            TOKEN,
            TOKEN_FILE,
            CA_FILE,
            CLIENT_CERT,
            CLIENT_KEY,
            PREFIX,
            SESSION_TTL,
            CHECK_TTL,
            HOLDERS,
            FENCE_BASE,
            MAP);

    private ConsulSettings() {}
}
