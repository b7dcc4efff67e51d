package io.flockgate.testsupport;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A gateway as a separate process, as under a supervisor. The process ends with this JVM at the
 * latest, however the JVM ends, even while the process is paused. Thread-safe.
 */
public final class GatewayProcess implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern LISTENING = Pattern.compile("msg=listening addr=\\S+:(\\d+)");
    private static final Pattern HTTP_LISTENING = Pattern.compile("msg=\"http listening\" addr=\\S+:(\\d+)");

    private final Process process;
    private final String command;
    private final ProcessLog out;
    private final ProcessLog err;
    private volatile int port;
    private volatile int httpPort;

    /** The answer to a health check. */
    public record Health(int status, String body) {}

    GatewayProcess(Process process, String command) {
        this.process = process;
        this.command = command;
        this.out = new ProcessLog(command, process.getInputStream());
        this.err = new ProcessLog(command, process.getErrorStream());
    }

    void awaitListening(boolean http) throws InterruptedException {
        port = Integer.parseInt(err.await(LISTENING, PATIENCE).group(1));
        if (http) {
            httpPort = Integer.parseInt(err.await(HTTP_LISTENING, PATIENCE).group(1));
        }
    }

    /** The port of the line protocol. */
    public int port() {
        return started(port);
    }

    public int httpPort() {
        return started(httpPort);
    }

    private static int started(int number) {
        if (number == 0) {
            throw new IllegalStateException("it was not started to listen there");
        }
        return number;
    }

    public URI http() {
        return URI.create("http://127.0.0.1:" + httpPort());
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Opens a new connection to the process. */
    public LineClient client() throws IOException {
        return LineClient.connect(port());
    }

    /** Sends a signal, named without SIG. */
    public void signal(String name) {
        Signals.send(name, pid());
    }

    /** Stops all its threads until it is resumed. */
    public void pause() {
        Signals.pause(pid());
    }

    public void resume() {
        signal("CONT");
    }

    /** Ends the process as a crash would, even if it is paused, and waits for its end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        int unused = exitStatus();
    }

    /**
     * Requests the process to end, as a supervisor does, waits for its end, and returns the exit
     * status.
     */
    @CanIgnoreReturnValue
    public int stop() throws InterruptedException {
        signal("TERM");
        return exitStatus();
    }

    /** The exit status, once it has ended. */
    public int exitStatus() throws InterruptedException {
        return exitStatus(PATIENCE);
    }

    /** The exit status, once it has ended, with a patience other than the tests' usual one. */
    public int exitStatus(Duration patience) throws InterruptedException {
        return Programs.awaitEnd(process, patience, this::logTail);
    }

    /** The answer of {@code /ready}. */
    public Health ready() throws IOException, InterruptedException {
        HttpResponse<String> response = HttpCall.send(http().resolve("/ready"), "GET", "", Duration.ofSeconds(10));
        return new Health(response.statusCode(), response.body());
    }

    /**
     * Waits until {@code /ready} answers with this status, and returns the answer. A connection
     * that a cap refuses gets none.
     */
    @CanIgnoreReturnValue
    public Health awaitReady(int status) throws Exception {
        return Polling.until(PATIENCE, this::readyUnlessRefused, health -> health.status() == status);
    }

    private Health readyUnlessRefused() throws InterruptedException {
        try {
            return ready();
        } catch (IOException e) {
            return new Health(0, e.toString());
        }
    }

    /** Waits for a match in its log since its start. */
    @CanIgnoreReturnValue
    public Matcher awaitLog(String regex) throws InterruptedException {
        return awaitLog(regex, PATIENCE);
    }

    Matcher awaitLog(String regex, Duration patience) throws InterruptedException {
        return err.await(Pattern.compile(regex), patience);
    }

    /** Stops reading its standard error after the next line, so that the pipe fills up. */
    public void stopReadingLog() {
        err.pause(true);
    }

    public void readLogAgain() {
        err.pause(false);
    }

    /**
     * Calls the listener with each line that it logs from now on, on a thread that must not be
     * blocked.
     */
    public void listen(Consumer<String> listener) {
        err.listen(listener);
    }

    /** Everything that it wrote to standard output, once it has ended. */
    public String out() throws InterruptedException {
        return out.whole(PATIENCE);
    }

    /** Everything that it wrote to standard error, including its log, once it has ended. */
    public String err() throws InterruptedException {
        return err.whole(PATIENCE);
    }

    /** The end of its log, to be shown with a failure. */
    public String logTail() {
        return this + (isAlive() ? "" : " (ended)") + ":\n" + err.tail();
    }

    /** Kills it. Closing twice is harmless. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return command + " (process " + pid() + (port == 0 ? ")" : " at " + port + ")");
    }
}
