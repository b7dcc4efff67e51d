package io.flockgate.storage.consul.layout;

/**
 * The form of the names that keys have below the base. The format of the cluster's record decides it (protocol-docs/consul-layout.md,
 * "Names"), because two gateways with different forms would give one key to two holders.
 */
public enum NameForm {
    /** Names with {@code ~} as the escape. Consul 1.21.5 refuses them in the paths of requests. */
    TILDE(1, '~'),
    /** Names with {@code ,} as the escape, which every version of Consul accepts. */
    COMMA(2, ',');

    private final int format;
    private final char escape;

    NameForm(int format, char escape) {
        this.format = format;
        this.escape = escape;
    }

    /** The format of a record whose gateways use this form. */
    int format() {
        return format;
    }

    char escape() {
        return escape;
    }
}
