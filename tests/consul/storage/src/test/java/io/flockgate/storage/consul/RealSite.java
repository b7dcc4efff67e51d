package io.flockgate.storage.consul;

import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.options.OptionValues;
import io.flockgate.storage.consul.api.ConsulApi;
import io.flockgate.storage.consul.api.EcwidConsulApi;
import io.flockgate.storage.consul.config.ConsulConfig;
import io.flockgate.storage.consul.environment.Environment;
import java.util.Map;
import java.util.UUID;

/** Gateways on a real Consul, and other clients that use it directly. */
final class RealSite extends Site {
    private final Operator operator;

    RealSite() {
        this("site/" + UUID.randomUUID() + "/", ConsulAgent.shared());
    }

    RealSite(String base, ConsulAgent agent) {
        super(base, Map.of("consul-addr", agent.address().toString()));
        this.operator = new Operator(agent.address().toString());
    }

    @Override
    ConsulApi connect(Environment environment, OptionValues options) {
        return new EcwidConsulApi(environment, new ConsulConfig(options).consul(environment));
    }

    @Override
    long index(String prefix) {
        return operator.index(prefix);
    }

    Operator operator() {
        return operator;
    }

    @Override
    public void close() {
        super.close();
        operator.deleteTree(base());
    }
}
