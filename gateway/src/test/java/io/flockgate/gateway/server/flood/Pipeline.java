package io.flockgate.gateway.server.flood;

import io.flockgate.testsupport.LineClient;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** Sends frames of the line protocol without waiting for replies. */
final class Pipeline {
    private static final int FRAMES_A_WRITE = 1000;

    private Pipeline() {}

    /** Sends so many frames and reads their replies. The number of replies by their first word. */
    static Map<String, Integer> send(LineClient client, int frames, IntFunction<String> frame) throws IOException {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        Thread unused = Thread.ofVirtual().start(() -> {
            try {
                write(client, frames, frame);
                sent.complete(null);
            } catch (IOException e) {
                sent.completeExceptionally(e);
            }
        });
        Map<String, Integer> words = new TreeMap<>();
        for (int i = 0; i < frames; i++) {
            words.merge(client.line().split(" ", 2)[0], 1, Integer::sum);
        }
        sent.join();
        return words;
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
