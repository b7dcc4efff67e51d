package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.FakeLocks.Place;
import io.flockgate.testsupport.ScriptedServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that speaks only the part of the line protocol that {@link Client} uses. Thread-safe.
 */
final class FakeGateway implements AutoCloseable {
    private static final int RANDOM_HALF = 7;

    private final FakeLocks locks;
    private final ScriptedServer server = ScriptedServer.ofConnections(this::serve);

    FakeGateway(FakeLocks locks) {
        this.locks = locks;
    }

    int port() {
        return server.port();
    }

    private void serve(Socket socket) throws IOException {
        Map<Place, String> places = new HashMap<>();
        Map<String, Entry> entries = new HashMap<>();
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (String command = in.readLine(); command != null; command = in.readLine()) {
                String key = String.valueOf(in.readLine());
                List<String> fields = List.of(String.valueOf(in.readLine()).split(" ", -1));
                String answer = locks.fails() ? "error" : answer(command, key, fields, places, entries);
                socket.getOutputStream().write((answer + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            places.forEach((place, key) -> locks.leave(key, place));
        }
    }

    private record Entry(Place place, long seconds) {}

    private String answer(
            String command, String key, List<String> fields, Map<Place, String> places, Map<String, Entry> entries)
            throws InterruptedException {
        long first = fields.getFirst().length() == 32 ? fence(fields.getFirst()) : Long.parseLong(fields.getFirst());
        long lease = Long.parseLong(
                fields.size() > 1 ? fields.getLast() : fields.getFirst().substring(0, 1));
        int limit = command.equals("sl")
                ? Integer.parseInt(fields.get(1))
                : command.equals("se") ? Math.toIntExact(first) : 1;
        return switch (command) {
            case "l", "sl" -> {
                Place place = locks.join(key, limit);
                places.put(place, key);
                yield granted("ok", key, place, lease, first, "timeout");
            }
            case "e", "se" -> {
                Place place = locks.join(key, limit);
                places.put(place, key);
                entries.put(key, new Entry(place, lease));
                String line = granted("acquired", key, place, lease, 0, "queued");
                yield line;
            }
            case "w", "sw" -> waited(key, entries.remove(key), first);
            case "n", "sn" -> locks.renew(key, first, lease) ? "ok " + lease : "error";
            case "r", "sr" -> locks.release(key, first) ? "ok" : "error";
            default -> "error";
        };
    }

    private String waited(String key, @Nullable Entry entry, long patience) throws InterruptedException {
        return entry == null
                ? "error_not_enqueued"
                : granted("ok", key, entry.place(), entry.seconds(), patience, "timeout");
    }

    private String granted(String word, String key, Place place, long lease, long patience, String otherwise)
            throws InterruptedException {
        long fence = locks.await(key, place, lease, Bounds.nanos(patience));
        if (fence == 0) {
            if (otherwise.equals("timeout")) {
                locks.leave(key, place);
            }
            return otherwise;
        }
        return "%s %016x%016x %d".formatted(word, fence, RANDOM_HALF, lease);
    }

    private static long fence(String token) {
        return Long.parseUnsignedLong(token.substring(0, 16), 16);
    }

    @Override
    public void close() {
        server.close();
    }
}
