package io.flockgate.storage.consul.config;

import io.flockgate.options.Option;
import io.flockgate.options.Option.Secret;
import io.flockgate.options.OptionType;
import io.flockgate.options.OptionValues;
import io.flockgate.options.Rule;
import io.flockgate.storage.StorageProvider;
import io.flockgate.storage.consul.api.ConsulAddress;
import io.flockgate.storage.consul.config.KeyMap.KeyPrefix;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The table of the options of the storage {@code consul}. */
public final class OptionTable {
    /** The longest TTL of a session that Consul accepts: one day. */
    private static final long DAY = 86_400;

    /** The texts that an HTTP header can contain. */
    private static final Rule<String> PRINTABLE = Rule.of(
            "one line of printable ASCII, not blank",
            "must be printable ASCII without spaces",
            text -> text.chars().allMatch(c -> c > ' ' && c <= '~'));

    /** Empty means that requests do not specify one. */
    private static final Rule<String> SCOPE = Rule.of(
            "letters, digits, `_` and `-`",
            "must be letters, digits, '_' and '-', at most 64",
            text -> text.matches("[A-Za-z0-9_-]{0,64}"));

    static final Option<String> ADDRESS = Option.of(
                    "consul-addr",
                    "CONSUL_HTTP_ADDR",
                    OptionType.text("address"),
                    "http://127.0.0.1:8500",
                    Rule.of(
                            "host:port, after http:// or https:// if wanted",
                            "must be host:port, with http:// or https:// before it if wanted and nothing else",
                            text -> ConsulAddress.parse(text).isPresent()))
            .help("HTTP API of a Consul agent, preferably the one on this host. http where no scheme is given, and"
                    + " that scheme's own port, 80 or 443, where no port is.");
    static final Option<String> TOKEN = Option.of(
                    "consul-token", "CONSUL_HTTP_TOKEN", OptionType.text("token"), "", PRINTABLE)
            .help("ACL token for Consul. A flag is visible in the process list, so prefer the file.");
    static final Option<Optional<Path>> TOKEN_FILE = Option.of(
                    "consul-token-file",
                    "CONSUL_HTTP_TOKEN_FILE",
                    OptionType.FILE,
                    "",
                    Rule.any("one line of printable ASCII, not blank"))
            .help("File that holds the ACL token, and nothing else but surrounding white space.");
    static final Option<Optional<Path>> CA_FILE = Option.of(
                    "consul-ca-file", "CONSUL_CACERT", OptionType.FILE, "", Rule.any("a path"))
            .help("Certificates of the authorities to trust for https, PEM, instead of Java's own.");
    static final Option<Optional<Path>> CLIENT_CERT = Option.of(
                    "consul-client-cert",
                    "CONSUL_CLIENT_CERT",
                    OptionType.FILE,
                    "",
                    Rule.any("together with --consul-client-key"))
            .help("Certificate chain to show to Consul, PEM.");
    static final Option<Optional<Path>> CLIENT_KEY = Option.of(
                    "consul-client-key",
                    "CONSUL_CLIENT_KEY",
                    OptionType.FILE,
                    "",
                    Rule.any("together with --consul-client-cert"))
            .help("Private key of that certificate, PEM.");
    static final Option<String> DATACENTRE = Option.of(
                    "consul-dc", "FLOCKGATE_CONSUL_DC", OptionType.text("name"), "", SCOPE)
            .help("Datacentre that every request to Consul names, instead of leaving it to the agent.");
    static final Option<String> NAMESPACE = Option.of(
                    "consul-namespace", "CONSUL_NAMESPACE", OptionType.text("name"), "", SCOPE)
            .help("Namespace of keys and sessions in Consul Enterprise.");
    static final Option<String> PARTITION = Option.of(
                    "consul-partition", "CONSUL_PARTITION", OptionType.text("name"), "", SCOPE)
            .help("Admin partition of keys and sessions in Consul Enterprise.");
    static final Option<String> PREFIX = Option.of(
                    "consul-prefix", "FLOCKGATE_CONSUL_PREFIX", OptionType.text("prefix"), "flockgate/", KeyPrefix.RULE)
            .help("Base of all keys in Consul's KV store. All gateways that act as one have the same.");
    static final Option<Long> SESSION_TTL = Option.of(
                    "consul-session-ttl",
                    "FLOCKGATE_CONSUL_SESSION_TTL_S",
                    OptionType.number("seconds"),
                    "10",
                    Rule.between(1, DAY))
            .help("TTL of the gateway's sessions. Consul frees what a crashed gateway held after up to twice this"
                    + " time, and refuses less than 10 unless its session_ttl_min has been lowered.");
    static final Option<String> HOLDERS = Option.of(
                    "consul-holders",
                    "FLOCKGATE_CONSUL_HOLDERS",
                    OptionType.text("form"),
                    "list",
                    Rule.oneOf("list", "map"))
            .help("Form of Holders in new semaphores: list, as in Consul's guide, or map, as Consul's CLI and"
                    + " Go API need it.");
    static final Option<Long> FENCE_BASE = Option.of(
                    "consul-fence-base",
                    "FLOCKGATE_CONSUL_FENCE_BASE",
                    OptionType.number("number"),
                    "0",
                    Rule.atLeast(0))
            .help("Added to Consul's index to make a fence, so that fences go on rising after a move to another"
                    + " cluster.");
    static final Option<List<String>> MAP = Option.of(
                    "consul-map", "FLOCKGATE_CONSUL_MAP", OptionType.entries("key=prefix"), "", KeyMap.RULE)
            .help("Maps a key to its own prefix, as shared with users of consul lock. May be given several times; in"
                    + " the variable, entries are separated by white space.");
    static final Option<Long> WATCHES = Option.of(
                    "consul-watches",
                    "FLOCKGATE_CONSUL_WATCHES",
                    OptionType.number("number"),
                    "32",
                    Rule.between(0, 10_000))
            .help("Maximum number of keys with waiters that have their own connection to the agent. A gateway"
                    + " needs 30 more connections; an agent takes 200 from one address. Hand-overs of"
                    + " further keys take a moment longer.");

    public static final List<Option<?>> ALL = List.of(
            ADDRESS,
            TOKEN,
            TOKEN_FILE,
            CA_FILE,
            CLIENT_CERT,
            CLIENT_KEY,
            DATACENTRE,
            NAMESPACE,
            PARTITION,
            PREFIX,
            SESSION_TTL,
            HOLDERS,
            FENCE_BASE,
            MAP,
            WATCHES,
            StorageProvider.FENCE_STATE_FILE);

    public static final List<Secret> SECRETS = List.of(new Secret(TOKEN, TOKEN_FILE));

    private OptionTable() {}

    /** The rule that the combination of values breaks; empty when it breaks none. */
    public static Optional<String> violation(OptionValues values) {
        if (values.get(CLIENT_CERT).isPresent() != values.get(CLIENT_KEY).isPresent()) {
            return Optional.of("both --consul-client-cert and --consul-client-key must be provided together");
        }
        return KeyMap.overlap(values.get(MAP), KeyPrefix.base(values.get(PREFIX)));
    }
}
