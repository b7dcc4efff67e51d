package io.flockgate.cli.run;

import io.flockgate.cli.shared.Answer;
import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.ConnectionOptions;
import io.flockgate.cli.shared.LineServer;
import io.flockgate.cli.shared.RestClient;
import io.flockgate.cli.shared.RestClient.ServerReply;
import io.flockgate.cli.shared.Servers;
import io.flockgate.client.ConnectOptions;
import io.flockgate.client.LeaseOptions;
import io.flockgate.client.json.JsonObject;
import io.flockgate.client.support.Refusals;
import io.flockgate.options.Arguments;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The claim of {@code flockgate lock --for}: its grant outlives this process, and lasts until it is
 * released by its token or its time has expired. Blocks.
 *
 * @param time the lease, in whole seconds
 * @param patience the maximum time in the queue
 */
record KeptLock(String key, long limit, Duration time, Duration patience, String name) {
    /**
     * @throws CommandException for a value that cannot be used
     */
    static KeptLock of(Arguments arguments, String key, Duration time) {
        if (arguments.given(ClaimOptions.LEASE).isPresent()) {
            throw CommandException.usage("--for is the lease: give it without --lease");
        }
        long limit = ClaimOptions.limit(arguments);
        String name = arguments
                .text(ClaimOptions.NAME)
                .orElse(ConnectOptions.defaults().clientName());
        LeaseOptions unused = ClaimOptions.checked(
                () -> LeaseOptions.named(key).limit(limit).ttl(time).build());
        ConnectOptions unusedToo =
                ClaimOptions.checked(() -> ConnectOptions.defaults().clientName(name));
        return new KeptLock(key, limit, time, ClaimOptions.patience(arguments), name);
    }

    /**
     * Claims the key, and waits for it.
     *
     * @return the token; empty if others hold the key
     * @throws CommandException if the gateway refuses, or the result is unknown
     */
    Optional<String> claim(ConnectionOptions connection) {
        try {
            return claimAtServer(connection);
        } catch (CommandException e) {
            throw e.isFailure() ? CommandException.withStatus(Statuses.UNAVAILABLE, String.valueOf(e.getMessage())) : e;
        }
    }

    private Optional<String> claimAtServer(ConnectionOptions connection) {
        return switch (connection.servers()) {
            case Servers.Line line -> overLine(connection, new LineServer(connection, line));
            case Servers.Rest rest -> {
                try (RestClient client = RestClient.of(connection, rest)) {
                    yield overRest(connection, client);
                }
            }
        };
    }

    private Optional<String> overLine(ConnectionOptions connection, LineServer server) {
        String seconds = String.valueOf(patience.toSeconds());
        String reply = limit == 1
                ? server.claimDetached(name, "l", key, seconds + " " + time.toSeconds(), patience)
                : server.claimDetached(name, "sl", key, seconds + " " + limit + " " + time.toSeconds(), patience);
        String[] words = reply.split(" ", -1);
        if (words[0].equals("ok") && words.length == 3) {
            return Optional.of(words[1]);
        }
        if (reply.equals("timeout")) {
            return Optional.empty();
        }
        throw reply.equals("error_limit_mismatch")
                ? otherLimit(connection)
                : CommandException.failed(LineServer.refusal(reply, "the claim to " + key));
    }

    private Optional<String> overRest(ConnectionOptions connection, RestClient client) {
        Answer session = client.begin(
                JsonObject.builder().put("name", name).put("detached", true).build());
        if (!session.isTrue("detached")) {
            throw CommandException.failed("the server is no gateway: it cannot keep a lock without its client");
        }
        JsonObject.Builder claim = JsonObject.builder()
                .put("acquire_timeout_s", patience.toSeconds())
                .put("lease_ttl_s", time.toSeconds());
        String path = limit == 1 ? "/v1/locks/" : "/v1/semaphores/";
        if (limit != 1) {
            claim.put("limit", limit);
        }
        // The session is left to expire, because on its deletion the gateway would release its
        // locks.
        Optional<String> id = Optional.of(session.text("session_id"));
        String body = claim.build().toString();
        ServerReply reply = client.ask("POST", path + RestClient.encoded(key), id, body, patience);
        return switch (reply.answer().text("status")) {
            case "ok" -> Optional.of(reply.answer().text("token"));
            case "timeout" -> Optional.empty();
            default ->
                throw reply.answer().text("error").equals("limit_mismatch") ? otherLimit(connection) : reply.refusal();
        };
    }

    /** The refusal in the words of the Java client, and the limit to set. */
    private CommandException otherLimit(ConnectionOptions connection) {
        String refusal = Refusals.otherLimit(server(connection.servers()), key, limit);
        OptionalLong right = QueueSource.of(connection, key, name).limit();
        return CommandException.failed(right.isPresent() ? refusal + ": set --limit " + right.getAsLong() : refusal);
    }

    /** The server's address, if there is only one. */
    private static String server(Servers servers) {
        URI first = servers.addresses().getFirst();
        if (servers.addresses().size() > 1) {
            return "the gateway";
        }
        return servers instanceof Servers.Rest ? first.toString() : first.getAuthority();
    }
}
