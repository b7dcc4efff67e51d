package io.flockgate.storage.consul.api;

import io.flockgate.storage.consul.api.ConsulOptions.TlsFiles;
import java.util.List;

/** Options of connections to agents. */
public final class TestOptions {
    private TestOptions() {}

    /** Without token or certificates. */
    public static ConsulOptions at(String address) {
        ConsulAddress agent = ConsulAddress.parse(address).orElseThrow();
        return new ConsulOptions(agent, TokenSource.none(), new TlsFiles(null, null, null), List.of(), 150);
    }
}
