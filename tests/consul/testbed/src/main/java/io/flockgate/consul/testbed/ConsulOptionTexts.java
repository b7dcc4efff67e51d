package io.flockgate.consul.testbed;

import java.util.HashMap;
import java.util.Map;

/** A value for each option of the Consul storage, none of which is the default. */
public final class ConsulOptionTexts {
    private static final Map<String, String> ALL_BUT_TOKEN = Map.ofEntries(
            Map.entry("consul-addr", "consul.example:8501"),
            Map.entry("consul-ca-file", "ca.pem"),
            Map.entry("consul-client-cert", "c.pem"),
            Map.entry("consul-client-key", "k.pem"),
            Map.entry("consul-dc", "dc-1"),
            Map.entry("consul-namespace", "team-a"),
            Map.entry("consul-partition", "part_1"),
            Map.entry("consul-prefix", "locks/live"),
            Map.entry("consul-session-ttl", "+015"),
            Map.entry("consul-holders", "map"),
            Map.entry("consul-fence-base", "9223372036854775807"),
            Map.entry("consul-map", "a=x/one/\nb,c=two"),
            Map.entry("consul-watches", "140"));

    private ConsulOptionTexts() {}

    /**
     * The values, with one of the options that set the token.
     *
     * @param tokenOption the option that sets the token or its file
     */
    public static Map<String, String> with(String tokenOption, String value) {
        Map<String, String> texts = new HashMap<>(ALL_BUT_TOKEN);
        texts.put(tokenOption, value);
        return Map.copyOf(texts);
    }
}
