package io.flockgate.storage.consul;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.ConsulApi.Consistency;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.api.TestOptions;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import io.flockgate.storage.consul.environment.SystemEnvironment;
import io.flockgate.storage.consul.kv.KvList;
import java.util.Map;
import java.util.UUID;

/** Gateways on a real Consul, and another client of it. */
final class RealSite extends Site {
    private final ConsulAgent agent;
    private final ConsulApi client;

    RealSite() {
        this("site/" + UUID.randomUUID() + "/", ConsulAgent.shared());
    }

    RealSite(String base, ConsulAgent agent) {
        super(base, Map.of("consul-addr", agent.address().toString()));
        this.agent = agent;
        this.client = new EcwidConsulApi(
                new SystemEnvironment(), TestOptions.at(agent.address().toString()));
    }

    @Override
    ConsulApi connect(Environment environment, OptionValues options) {
        return new EcwidConsulApi(environment, new ConsulConfig(options).consul(environment));
    }

    @Override
    long index(String prefix) {
        return read(prefix).index();
    }

    /** Everything below a prefix. */
    KvList read(String prefix) {
        return client.list(prefix, Consistency.CONSISTENT);
    }

    void deleteTree(String prefix) {
        var unused = agent.cli("kv", "delete", "-recurse", prefix);
    }

    @Override
    public void close() {
        super.close();
        deleteTree(base());
        client.close();
    }
}
