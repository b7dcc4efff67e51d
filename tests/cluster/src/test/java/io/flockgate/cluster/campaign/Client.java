package io.flockgate.cluster.campaign;

import io.flockgate.cluster.campaign.Call.Action;
import io.flockgate.testsupport.HeldGrant;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A client that requests keys, holds them, renews, releases, forgets and leaves, in an order that
 * its seed decides, until it is stopped. Runs on its own thread.
 */
final class Client implements Runnable {
    private static final List<Integer> LEASES = List.of(1, 2, 4, 30, 30, 30, 30, 60);
    private static final int KEEPERS_LEASE = 60;
    private static final int RETRY_MILLIS = 200;

    private final int id;
    private final List<IntSupplier> gateways;
    private final List<KeySpec> keys;
    private final Consumer<Recording> history;
    private final Chance chance;
    private final boolean keeps;
    private volatile @Nullable Connection connection;
    private volatile boolean stopped;

    /**
     * @param keeps whether it keeps what it gets for some seconds. Only such long holds make two
     *     grants of one slot at two gateways overlap for long.
     */
    Client(
            int id,
            long seed,
            List<IntSupplier> gateways,
            List<KeySpec> keys,
            boolean keeps,
            Consumer<Recording> history) {
        this.id = id;
        this.gateways = gateways;
        this.keys = keys;
        this.history = history;
        this.chance = new Chance(seed, "client " + id);
        this.keeps = keeps;
    }

    /** Makes no further attempt. */
    void stop() {
        stopped = true;
    }

    /** Ends its connection abruptly, whatever it is doing. From any thread. */
    void cut() {
        Connection now = connection;
        if (now != null) {
            now.end(true);
        }
    }

    @Override
    public void run() {
        while (!stopped) {
            Connection now = connected();
            if (now == null) {
                sleep(RETRY_MILLIS);
                continue;
            }
            Recording recording = new Recording(chance.of(keys), id, now);
            attempt(recording, now);
            history.accept(recording);
            sleep(chance.between(0, 150));
            if (chance.percent(3)) {
                now.end(false);
            }
        }
        cut();
    }

    private @Nullable Connection connected() {
        Connection now = connection;
        if (now != null && now.isOpen()) {
            return now;
        }
        try {
            now = new Connection(gateways, chance.percent(70) ? id % gateways.size() : other(-1));
            connection = now;
            return now;
        } catch (IOException e) {
            return null;
        }
    }

    private int other(int than) {
        int gateway = chance.between(0, gateways.size() - 1);
        return gateway == than ? (gateway + 1) % gateways.size() : gateway;
    }

    private void attempt(Recording recording, Connection own) {
        int lease = keeps ? KEEPERS_LEASE : chance.of(LEASES);
        int patience = !keeps && chance.percent(20) ? 0 : chance.between(1, 8);
        if (acquire(recording, own, lease, patience) == Answer.GRANTED) {
            if (keeps) {
                keep(recording, own);
            } else {
                hold(recording, own, lease);
            }
        }
    }

    private Answer acquire(Recording recording, Connection own, int lease, int patience) {
        KeySpec key = recording.key();
        if (chance.percent(50)) {
            String argument = patience + " " + key.limitField() + lease;
            return recording.ask(Action.ACQUIRE, key.command("l"), argument, lease, patience);
        }
        Answer first = recording.ask(Action.ENQUEUE, key.command("e"), key.limitField() + lease, lease, 0);
        if (first != Answer.QUEUED && first != Answer.GRANTED) {
            return first;
        }
        sleep(chance.between(0, chance.percent(20) ? 1_000 : 100));
        if (chance.percent(10)) {
            own.end(chance.percent(50));
            return Answer.NONE;
        }
        return recording.ask(Action.WAIT, key.command("w"), Integer.toString(patience), lease, patience);
    }

    private void keep(Recording recording, Connection own) {
        sleep(chance.between(2_000, 6_000));
        if (release(recording, own) == Answer.NONE && own.broken() != Long.MAX_VALUE) {
            keepElsewhere(recording, own);
        }
    }

    /** The gateway has died: its grant continues through another one, until its session ends. */
    private void keepElsewhere(Recording recording, Connection own) {
        Connection other = elsewhere(own);
        if (other != null && renew(recording, other, KEEPERS_LEASE) == Answer.OK) {
            sleep(chance.between(2_000, 15_000));
            Connection last = elsewhere(own);
            if (last != null) {
                Answer unused = release(recording, last);
            }
        }
    }

    private void hold(Recording recording, Connection own, int lease) {
        sleep(chance.between(0, chance.percent(5) ? 1_000 : 60));
        int last = lease;
        if (chance.percent(40)) {
            last = chance.of(LEASES);
            Answer unused = renew(recording, chance.percent(15) ? elsewhere(own) : own, last);
            sleep(chance.between(0, 60));
        }
        if (last <= 4 && chance.percent(12)) {
            sleep(Math.toIntExact(TimeUnit.SECONDS.toMillis(last)) + 500);
            if (renew(recording, own, last) == Answer.OK) {
                release(recording, own, false);
            }
        } else if (chance.percent(10)) {
            own.end(chance.percent(50));
        } else {
            release(recording, own, chance.percent(20));
        }
    }

    private Answer renew(Recording recording, @Nullable Connection over, int lease) {
        HeldGrant grant = recording.grant();
        if (over == null || grant == null) {
            return Answer.NONE;
        }
        String argument = grant.token() + " " + lease;
        Answer answer = recording.ask(over, Action.RENEW, recording.key().command("n"), argument, lease, 0);
        leave(over);
        return answer;
    }

    /** What another gateway could not release is released where it was granted. */
    private void release(Recording recording, Connection own, boolean remotely) {
        Connection other = remotely ? elsewhere(own) : null;
        boolean done = other != null && release(recording, other) == Answer.OK;
        if (!done) {
            Answer unused = release(recording, own);
        }
    }

    private Answer release(Recording recording, Connection over) {
        HeldGrant grant = recording.grant();
        String token = grant == null ? "" : grant.token();
        Answer answer = recording.ask(over, Action.RELEASE, recording.key().command("r"), token, 0, 0);
        leave(over);
        return answer;
    }

    private void leave(Connection over) {
        if (over != connection) {
            over.end(false);
        }
    }

    /** A new connection to another gateway, which lives only for the few requests that need it. */
    private @Nullable Connection elsewhere(Connection own) {
        try {
            return new Connection(gateways, other(own.gateway()));
        } catch (IOException e) {
            return null;
        }
    }

    private static void sleep(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
