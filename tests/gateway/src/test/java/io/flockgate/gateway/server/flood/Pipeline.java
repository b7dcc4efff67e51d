package io.flockgate.gateway.server.flood;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sends frames of the line protocol, or HTTP requests, without waiting for replies. */
final class Pipeline {
    private static final int FRAMES_A_WRITE = 1000;
    /** The room for a flood's keys, beside that of the honest client. */
    static final int MAX_LOCKS = 1_024;

    private Pipeline() {}

    /** Locks as many long keys as there is room for. Returns the client. */
    static LineClient lockAllKeys(LineClient client) throws IOException {
        String key = "k".repeat(240);
        assertThat(send(client, MAX_LOCKS, i -> LineClient.frame("l", key + i, "0 1000000000")))
                .isEqualTo(Map.of("ok", MAX_LOCKS));
        return client;
    }

    /**
     * Sends this number of frames and reads their replies. Returns the number of replies by first
     * word.
     */
    static Map<String, Integer> send(LineClient client, int frames, IntFunction<String> frame) throws IOException {
        return send(client, frames, frame, Pattern.compile("(\\S+).*"));
    }

    /**
     * Sends this number of requests, and reads until as many lines match. Returns the number of
     * these lines by their first group.
     */
    static Map<String, Integer> send(LineClient client, int requests, IntFunction<String> request, Pattern reply)
            throws IOException {
        CompletableFuture<Void> sent = sendLater(client, requests, request);
        Map<String, Integer> words = new TreeMap<>();
        for (int replies = 0; replies < requests; ) {
            Matcher line = reply.matcher(client.line());
            if (line.matches()) {
                replies++;
                words.merge(line.group(1), 1, Integer::sum);
            }
        }
        sent.join();
        return words;
    }

    private static CompletableFuture<Void> sendLater(LineClient client, int many, IntFunction<String> text) {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                write(client, many, text);
                sent.complete(null);
            } catch (IOException e) {
                sent.completeExceptionally(e);
            }
        });
        return sent;
    }

    private static void write(LineClient client, int frames, IntFunction<String> frame) throws IOException {
        for (int from = 0; from < frames; from += FRAMES_A_WRITE) {
            StringBuilder text = new StringBuilder();
            for (int i = from; i < Math.min(frames, from + FRAMES_A_WRITE); i++) {
                text.append(frame.apply(i));
            }
            client.send(text.toString());
        }
    }
}
