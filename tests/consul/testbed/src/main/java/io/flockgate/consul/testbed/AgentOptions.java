package io.flockgate.consul.testbed;

import org.jspecify.annotations.Nullable;

/**
 * The options of an agent.
 *
 * @param config JSON in the form of Consul's configuration files, in addition to the test bed's
 *     own; it must not set ports
 * @param token the ACL token of the test bed's own requests and of {@link ConsulAgent#cli}; null
 *     for none
 * @param durable true to keep data on disk, so that it survives a restart; false for a {@code -dev}
 *     agent
 * @param https true for an HTTPS port too; {@code config} names its certificates
 */
public record AgentOptions(String config, @Nullable String token, boolean durable, boolean https) {
    public static AgentOptions plain() {
        return new AgentOptions("{}", null, false, false);
    }

    public AgentOptions withConfig(String json) {
        return new AgentOptions(json, token, durable, https);
    }

    public AgentOptions withToken(String secret) {
        return new AgentOptions(config, secret, durable, https);
    }

    public AgentOptions onDisk() {
        return new AgentOptions(config, token, true, https);
    }

    public AgentOptions withHttps() {
        return new AgentOptions(config, token, durable, true);
    }

    /** Omits the token. */
    @Override
    public String toString() {
        return "AgentOptions[config=" + config + ", durable=" + durable + ", https=" + https + "]";
    }
}
