package io.flockgate.consul.testbed;

import org.jspecify.annotations.Nullable;

/**
 * The options of an agent.
 *
 * @param config JSON in the form of Consul's configuration files, over the test bed's own; ports are not for it to set
 * @param token the ACL token of the test bed's own requests and of {@link ConsulAgent#cli}; null for none
 * @param durable whether data is kept on disk, so that a restart finds it; otherwise the agent is a {@code -dev} one
 * @param https whether there is an HTTPS port too; certificates are named in {@code config}
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

    /** Says nothing of the token. */
    @Override
    public String toString() {
        return "AgentOptions[config=" + config + ", durable=" + durable + ", https=" + https + "]";
    }
}
