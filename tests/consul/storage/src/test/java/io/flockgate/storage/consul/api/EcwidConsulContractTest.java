package io.flockgate.storage.consul.api;

import io.flockgate.consul.testbed.AgentOptions;
import io.flockgate.consul.testbed.ConsulAgent;
import io.flockgate.storage.consul.environment.Environments;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Consul itself, through Ecwid's client. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("consul")
class EcwidConsulContractTest extends SessionContract {
    private static ConsulAgent agent;

    @BeforeAll
    static void start() {
        agent = ConsulAgent.start(AgentOptions.plain().withConfig("{\"session_ttl_min\": \"1s\"}"));
    }

    @AfterAll
    static void stop() {
        agent.close();
    }

    @Override
    ConsulApi connect() {
        return client(agent);
    }

    static EcwidConsulApi client(ConsulAgent agent) {
        return new EcwidConsulApi(
                Environments.SYSTEM, TestOptions.at(agent.address().toString()));
    }

    @Override
    long raftIndex() {
        return agent.raftIndex();
    }

    @Override
    void delayLock(String key) {
        String made = put("/v1/session/create", "{\"LockDelay\": \"30s\", \"NodeChecks\": []}");
        String id = made.replaceAll("(?s).*\"ID\":\\s*\"([^\"]+)\".*", "$1");
        String held = put("/v1/kv/" + key + "?acquire=" + id, "x");
        String destroyed = put("/v1/session/destroy/" + id, "");
        if (!held.strip().equals("true") || !destroyed.strip().equals("true")) {
            throw new AssertionError("no lock delay could be made: " + held + destroyed);
        }
    }

    private static String put(String path, String body) {
        URI uri = URI.create(agent.address() + path);
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .PUT(BodyPublishers.ofString(body))
                    .build();
            return http.send(request, BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
