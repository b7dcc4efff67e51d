package io.flockgate.consul.testbed;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("consul")
class ConsulTlsTest {
    @Test
    void httpsWantsTheClientsCertificateTooWhereTold(@TempDir Path folder) {
        ConsulTls tls = ConsulTls.create(folder);
        try (ConsulAgent agent = ConsulAgent.start(tls.options(true))) {
            String address = "-http-addr=" + agent.httpsAddress();
            String authority = "-ca-file=" + tls.authority();
            String certificate = "-client-cert=" + tls.clientCertificate();
            String key = "-client-key=" + tls.clientKey();
            assertThat(agent.cli("kv", "put", address, authority, certificate, key, "k", "v"))
                    .returns(0, CliResult::exitCode);
            assertThat(agent.cli("kv", "put", address, authority, "k", "v").exitCode())
                    .isNotZero();
            assertThat(agent.cli("kv", "put", address, "k", "v").output()).contains("certificate");
        }
    }
}
