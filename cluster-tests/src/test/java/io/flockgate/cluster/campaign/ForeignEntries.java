package io.flockgate.cluster.campaign;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Entries of other programs under the gateways' prefix, and the deletion of everything there. */
final class ForeignEntries {
    /** The flag of gateways that count all these entries as keys. */
    static final String ROOM = "--max-locks=100000";

    private static final String PREFIX = "flockgate/";

    /** The maximum of Consul for one transaction. */
    private static final int TOGETHER = 64;

    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();

    private ForeignEntries() {}

    static void write(URI agent, int count) {
        for (int from = 0; from < count; from += TOGETHER) {
            String operations = IntStream.range(from, Math.min(count, from + TOGETHER))
                    .mapToObj(each -> "{\"KV\":{\"Verb\":\"set\",\"Key\":\"" + PREFIX + "foreign-" + each
                            + "/settings\",\"Value\":\"e30=\"}}")
                    .collect(Collectors.joining(",", "[", "]"));
            send(agent, "PUT", "/v1/txn", operations);
        }
    }

    static void deleteAll(URI agent) {
        send(agent, "DELETE", "/v1/kv/" + PREFIX + "?recurse", "");
    }

    private static void send(URI agent, String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(agent.resolve(path))
                .method(method, BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new AssertionError(path + ": " + response.statusCode() + " " + response.body());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
