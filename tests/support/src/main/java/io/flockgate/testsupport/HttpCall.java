package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Sends requests over HTTP. */
public final class HttpCall {
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .proxy(HttpClient.Builder.NO_PROXY)
            .build();

    private HttpCall() {}

    /**
     * Sends one request to a server, and returns the body of its answer, which must be a success.
     */
    @CanIgnoreReturnValue
    public static String ask(URI server, String method, String path, String body) {
        return ask(server, method, path, body, Polling.patience());
    }

    /** The same with another limit for the time until the answer. */
    @CanIgnoreReturnValue
    public static String ask(URI server, String method, String path, String body, Duration patience) {
        try {
            HttpResponse<String> answer = send(server.resolve(path), method, body, patience);
            if (answer.statusCode() / 100 != 2) {
                throw new IllegalStateException(path + ": " + answer.statusCode() + " " + answer.body());
            }
            return answer.body();
        } catch (IOException | InterruptedException failed) {
            throw new IllegalStateException(method + " " + server.resolve(path) + ": no answer", failed);
        }
    }

    static HttpResponse<String> send(URI address, String method, String body, Duration patience)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address)
                .method(method, BodyPublishers.ofString(body))
                .timeout(patience)
                .build();
        return HTTP.send(request, BodyHandlers.ofString());
    }
}
