package io.flockgate.gateway.server.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.flockgate.testsupport.Chromium;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * A Chromium without a display, driven by its DevTools protocol. The messages go through pipes, so
 * no port is open, and the browser ends when its pipe does, even if this JVM is killed. Thread
 * safe.
 */
final class Browser implements AutoCloseable {
    static final ObjectMapper JSON = new ObjectMapper();

    private static final int PATIENCE_SECONDS = 60;

    private final Path profile;
    private final Process process;
    private final OutputStream out;
    private final AtomicInteger lastId = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> calls = new ConcurrentHashMap<>();
    private final Map<String, Consumer<JsonNode>> listeners = new ConcurrentHashMap<>();

    private Browser(Path profile, Process process) {
        this.profile = profile;
        this.process = process;
        this.out = process.getOutputStream();
        Thread unused = Thread.ofPlatform().daemon().name("browser-messages").start(this::readAll);
    }

    /** Starts Chromium. Where none can be had, the test is left out, which Maven reports. */
    static Browser start() throws IOException, InterruptedException {
        Path program = chromium();
        Path profile = Files.createTempDirectory("flockgate-chromium");
        Process process = new ProcessBuilder(List.of(
                        "/bin/sh",
                        "-c",
                        "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null",
                        "sh",
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--no-first-run",
                        "--hide-scrollbars",
                        "--remote-debugging-pipe",
                        "--user-data-dir=" + profile,
                        "about:blank"))
                .redirectError(profile.resolve("stderr").toFile())
                .start();
        return new Browser(profile, process);
    }

    private static Path chromium() throws IOException, InterruptedException {
        try {
            return Chromium.path();
        } catch (UnsupportedOperationException impossible) {
            return Assumptions.abort("LEFT OUT: the tests of the page: " + impossible.getMessage());
        }
    }

    /** A page in its own context, which shares no storage with others. */
    BrowserPage page(int width, int height) throws IOException {
        String context = call(null, "Target.createBrowserContext", "{}")
                .get("browserContextId")
                .asText();
        String target = call(
                        null,
                        "Target.createTarget",
                        "{\"url\":\"about:blank\",\"browserContextId\":\"" + context + "\"}")
                .get("targetId")
                .asText();
        String session = call(null, "Target.attachToTarget", "{\"targetId\":\"" + target + "\",\"flatten\":true}")
                .get("sessionId")
                .asText();
        BrowserPage page = new BrowserPage(this, session, target);
        listeners.put(session, page::received);
        page.begin(width, height);
        return page;
    }

    /** Makes a call and returns its result. */
    JsonNode call(@Nullable String session, String method, String parameters) throws IOException {
        int id = lastId.incrementAndGet();
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", JSON.readTree(parameters));
        if (session != null) {
            message.put("sessionId", session);
        }
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        calls.put(id, answer);
        write(JSON.writeValueAsBytes(message));
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError(
                    method + " " + parameters + ": "
                            + Objects.requireNonNull(e.getCause()).getMessage(),
                    e);
        } catch (TimeoutException e) {
            throw new AssertionError(method + " was not answered; the browser said: " + said(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            calls.remove(id);
        }
    }

    private synchronized void write(byte[] message) throws IOException {
        try {
            out.write(message);
            out.write(0);
            out.flush();
        } catch (IOException e) {
            throw new IOException("the browser has ended: " + said(), e);
        }
    }

    private String said() throws IOException {
        return Files.readString(profile.resolve("stderr"), StandardCharsets.ISO_8859_1);
    }

    private void readAll() {
        try (InputStream in = process.getInputStream()) {
            ByteArrayOutputStream message = new ByteArrayOutputStream();
            byte[] part = new byte[65_536];
            for (int length = in.read(part); length >= 0; length = in.read(part)) {
                int from = 0;
                for (int i = 0; i < length; i++) {
                    if (part[i] == 0) {
                        message.write(part, from, i - from);
                        received(JSON.readTree(message.toByteArray()));
                        message.reset();
                        from = i + 1;
                    }
                }
                message.write(part, from, length - from);
            }
            fail(new IOException("the browser has ended"));
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(IOException cause) {
        calls.values().forEach(call -> call.completeExceptionally(cause));
    }

    private void received(JsonNode message) {
        if (message.has("id")) {
            CompletableFuture<JsonNode> call = calls.get(message.get("id").asInt());
            if (call == null) {
                return;
            }
            if (message.has("error")) {
                call.completeExceptionally(
                        new IllegalStateException(message.get("error").toString()));
            } else {
                call.complete(message.get("result"));
            }
        } else if (message.has("sessionId")) {
            listeners
                    .getOrDefault(message.get("sessionId").asText(), ignored -> {})
                    .accept(message);
        }
    }

    void closed(String session) {
        listeners.remove(session);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        process.getOutputStream().close();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        deleteProfile();
    }

    /**
     * Helpers of the browser may still write for a moment. What they leave is in the system's
     * temporary directory.
     */
    private void deleteProfile() throws IOException {
        try (Stream<Path> files = Files.walk(profile)) {
            files.sorted((a, b) -> b.compareTo(a)).forEach(file -> file.toFile().delete());
        }
    }
}
