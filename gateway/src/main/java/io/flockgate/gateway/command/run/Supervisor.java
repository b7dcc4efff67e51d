package io.flockgate.gateway.command.run;

import io.flockgate.client.Grant;
import io.flockgate.gateway.command.run.SignalInbox.Caught;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Keeps a command company while it holds the key.
 *
 * <ol>
 *   <li>Signals go to the command at once, on the thread that receives them. A terminal has sent its signals to the command already.
 *   <li>The deadline is noted again and again while the grant is alive: the moment at which the grant ends unless it is renewed. The client
 *       counts it from before the sending of a request, and earlier than the server by its margin and the grace.
 *   <li>If the grant ends, TERM goes to the command and its descendants. What is left after the grace is killed. The grace is counted from the
 *       noted deadline if that is earlier. So all have ended while the server still reserves the slot for us.
 *   <li>If the server itself has ended the grant, it may have passed on already. The grace is counted from the news.
 * </ol>
 */
final class Supervisor {
    private static final Duration LEFTOVERS_INTERVAL = Duration.ofMillis(20);

    private sealed interface Event {}

    private record Ended() implements Event {}

    private record Lost(String message) implements Event {}

    private final Process process;
    private final Guard guard;
    private final Grant grant;
    private final RunOptions options;
    private final Notices notices;
    private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
    private long deadline;

    Supervisor(Process process, Guard guard, Grant grant, RunOptions options, Notices notices) {
        this.process = process;
        this.guard = guard;
        this.grant = grant;
        this.options = options;
        this.notices = notices;
        this.deadline = System.nanoTime();
    }

    /** Sends a signal to the command, unless the terminal has. */
    void pass(Caught signal) {
        boolean fromTerminal = List.of("INT", "HUP", "WINCH").contains(signal.name()) && Terminal.isInForeground();
        if (signal.name().equals("TERM")) {
            process.destroy();
        } else if (!fromTerminal && process.isAlive()) {
            guard.send(signal.name());
        }
    }

    /** Waits for the command's end and returns the exit status. */
    int supervise() throws InterruptedException {
        var unusedEnd = process.onExit().thenAccept(ended -> events.add(new Ended()));
        var unusedLoss = grant.lost().thenAccept(event -> events.add(new Lost(event.message())));
        while (true) {
            note();
            switch (events.poll(interval().toMillis(), TimeUnit.MILLISECONDS)) {
                case Ended ignored -> {
                    return process.exitValue();
                }
                case Lost lost -> {
                    return afterLoss(lost.message());
                }
                case null -> {}
            }
        }
    }

    private void note() {
        Duration left = grant.remaining();
        if (!left.isZero()) {
            deadline = System.nanoTime() + left.toNanos();
        }
    }

    private Duration interval() {
        Duration twentieth = options.claim().lease().dividedBy(20);
        return twentieth.compareTo(Duration.ofSeconds(1)) < 0 ? twentieth : Duration.ofSeconds(1);
    }

    private int afterLoss(String message) throws InterruptedException {
        notices.lost(message);
        return switch (options.onLoss()) {
            case IGNORE -> process.waitFor();
            case TERM -> {
                tree().forEach(ProcessHandle::destroy);
                int unused = process.waitFor();
                yield options.lostStatus();
            }
            case KILL -> {
                endTree();
                yield options.lostStatus();
            }
        };
    }

    /** Ends the command and its descendants: those of the first look, which may lose their parents, and those of the last. */
    private void endTree() throws InterruptedException {
        long now = System.nanoTime();
        long grace = options.claim().grace().toNanos();
        long end = Math.min(0, deadline - now) + now + grace;
        List<ProcessHandle> first = tree().toList();
        first.forEach(ProcessHandle::destroy);
        guard.markLost();
        while (first.stream().anyMatch(ProcessHandle::isAlive) && System.nanoTime() - end < 0) {
            TimeUnit.NANOSECONDS.sleep(Math.min(LEFTOVERS_INTERVAL.toNanos(), Math.max(1, end - System.nanoTime())));
        }
        Stream.concat(tree(), first.stream()).toList().forEach(ProcessHandle::destroyForcibly);
        int unused = process.waitFor();
    }

    /** The command and its descendants; children first would let parents start new ones. */
    private Stream<ProcessHandle> tree() {
        return Stream.concat(Stream.of(process.toHandle()), process.descendants());
    }
}
