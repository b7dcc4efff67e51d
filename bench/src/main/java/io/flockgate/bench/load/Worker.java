package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import io.flockgate.bench.HandOverMeter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection and its progress in its round. Confined to the driver's thread. */
final class Worker {
    private static final int MAX_ANSWER_BYTES = 512;

    /** Receives the events of a worker. An interface, so that a worker does not know the driver. */
    interface Owner {
        /** A request's bytes may be sent now, or once all answers of this poll have been read. */
        void ready(Worker worker) throws IOException;

        /** A round has ended. Returns true to begin the next at once, false to park. */
        boolean roundDone();
    }

    private final int id;
    private final SelectionKey key;
    private final SocketChannel channel;
    private final List<Step> round;
    private final int slots;
    private final Replies replies;
    private final @Nullable HandOverMeter hotKey;
    private final Owner owner;
    private final ByteBuffer in;

    private int at;
    private int answered;
    private long acquireSent;
    private boolean parked = true;

    Worker(
            int id,
            SelectionKey key,
            List<Step> round,
            int slots,
            Dialect dialect,
            @Nullable HandOverMeter hotKey,
            Owner owner) {
        this.id = id;
        this.key = key;
        this.channel = (SocketChannel) key.channel();
        this.round = round;
        this.slots = slots;
        this.replies = dialect.replies();
        this.hotKey = hotKey;
        this.owner = owner;
        this.in = ByteBuffer.allocateDirect(MAX_ANSWER_BYTES + slots * replies.room());
    }

    /** Leaves the barrier and begins the first round. */
    void start() throws IOException {
        parked = false;
        owner.ready(this);
    }

    /** Sends the current step. */
    void send() throws IOException {
        Step step = round.get(at);
        if (hotKey != null) {
            note(step.expected(), hotKey);
        }
        answered = 0;
        step.frame().rewind();
        write();
    }

    private void note(Expected expected, HandOverMeter shared) {
        long now = System.nanoTime();
        if (expected == Expected.RELEASED) {
            shared.releasing(now);
        } else {
            acquireSent = now;
        }
    }

    private void write() throws IOException {
        ByteBuffer frame = round.get(at).frame();
        if (channel.write(frame) < 0) {
            throw new BenchException("connection closed by the server");
        }
        int interest = frame.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (key.interestOps() != interest) {
            key.interestOps(interest);
        }
    }

    void onReady(int operations) throws IOException {
        if ((operations & SelectionKey.OP_WRITE) != 0) {
            write();
        }
        if ((operations & SelectionKey.OP_READ) != 0) {
            read();
        }
    }

    private void read() throws IOException {
        int received = channel.read(in);
        if (received < 0) {
            throw new BenchException("worker " + id + ": connection closed by the server");
        }
        int used = 0;
        int end = received == 0 ? Replies.NONE : replies.end(in, 0, in.position());
        while (end != Replies.NONE) {
            answer(used, end);
            used = end;
            end = used == in.position() ? Replies.NONE : replies.end(in, used, in.position());
        }
        keepRest(used);
    }

    private void keepRest(int used) {
        if (used == in.position()) {
            in.clear();
        } else {
            in.flip().position(used);
            in.compact();
        }
        if (!in.hasRemaining()) {
            throw new BenchException("worker " + id + ": answer too long '" + Replies.quote(in, 0, in.limit()) + "'");
        }
    }

    private void answer(int from, int end) throws IOException {
        if (parked) {
            throw new BenchException(
                    "worker " + id + ": an answer to no request: '" + Replies.quote(in, from, end) + "'");
        }
        Expected expected = round.get(at).expected();
        int tokenAt = check(from, end, expected);
        if (tokenAt != Replies.NONE) {
            for (int i = at + 1; i < round.size(); i++) {
                round.get(i).setToken(answered, in, tokenAt);
            }
        }
        if (hotKey != null && expected == Expected.GRANT) {
            hotKey.granted(acquireSent, System.nanoTime());
        }
        if (++answered == slots) {
            stepDone();
        }
    }

    private int check(int from, int end, Expected expected) {
        try {
            return replies.check(in, from, end, expected);
        } catch (BenchException e) {
            throw new BenchException("worker " + id + ": " + e.getMessage());
        }
    }

    private void stepDone() throws IOException {
        if (++at < round.size()) {
            owner.ready(this);
            return;
        }
        at = 0;
        if (owner.roundDone()) {
            owner.ready(this);
        } else {
            parked = true;
        }
    }
}
