package io.flockgate.cli.keys;

import io.flockgate.cli.shared.CommandException;
import io.flockgate.cli.shared.RestClient;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Wakes a command when keys have changed. It follows the events of a gateway, and reconnects when
 * the stream ends. While it cannot follow them, it wakes nothing, and the command polls. Thread
 * safe.
 */
final class ChangeSignal implements AutoCloseable {
    private static final Duration AGAIN = Duration.ofSeconds(10);
    private static final String TYPES = "granted,queued,released,expired,lost,set_free,removed";

    /** The first line of every stream. Keys may have changed before it. */
    private static final String BEGIN = ": flockgate";

    private static final String EVENT = "event: ";
    private static final int FIRST_REFUSAL = 400;
    private static final int RATE_LIMITED = 429;
    private static final int FIRST_FAILURE = 500;

    private final Semaphore changed = new Semaphore(0);
    private @Nullable Thread follower;
    private volatile boolean closed;

    /**
     * A signal for each change of a key that begins with this prefix. Close it before the client.
     */
    static ChangeSignal of(RestClient client, String prefix) {
        return of(client, prefix, AGAIN);
    }

    static ChangeSignal of(RestClient client, String prefix, Duration again) {
        ChangeSignal signal = new ChangeSignal();
        String path = "/v1/events?type=" + TYPES + "&prefix=" + RestClient.encoded(prefix);
        signal.follower = Thread.ofVirtual().start(() -> signal.follow(client, path, again));
        return signal;
    }

    private void follow(RestClient client, String path, Duration again) {
        while (!closed) {
            try {
                int status = client.follow(path, this::read);
                if (status >= FIRST_REFUSAL && status < FIRST_FAILURE && status != RATE_LIMITED) {
                    // An older gateway, or a token without the right: it would refuse again.
                    return;
                }
            } catch (CommandException e) {
                // The list reports that the gateway does not answer.
            }
            try {
                Thread.sleep(again);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void read(String line) {
        if (line.startsWith(EVENT) || line.equals(BEGIN)) {
            changed.release();
        }
    }

    /** Forgets the changes so far. */
    void clear() {
        int unused = changed.drainPermits();
    }

    /**
     * Returns once a key has changed since the last {@link #clear}, or after this time at the
     * latest.
     */
    void await(Duration most) throws InterruptedException {
        boolean unused = changed.tryAcquire(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        closed = true;
        Thread following = follower;
        if (following != null) {
            following.interrupt();
        }
    }
}
