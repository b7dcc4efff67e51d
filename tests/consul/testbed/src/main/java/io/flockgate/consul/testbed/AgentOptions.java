package io.flockgate.consul.testbed;

/**
 * The options of an agent.
 *
 * @param config JSON in the form of Consul's configuration files, in addition to the test bed's
 *     own; it must not set ports
 * @param durable true to keep data on disk, so that it survives a restart; false for a {@code -dev}
 *     agent
 * @param https true for an HTTPS port too; {@code config} names its certificates
 */
public record AgentOptions(String config, boolean durable, boolean https) {
    public static AgentOptions plain() {
        return new AgentOptions("{}", false, false);
    }

    public AgentOptions withConfig(String json) {
        return new AgentOptions(json, durable, https);
    }

    public AgentOptions onDisk() {
        return new AgentOptions(config, true, https);
    }

    public AgentOptions withHttps() {
        return new AgentOptions(config, durable, true);
    }
}
