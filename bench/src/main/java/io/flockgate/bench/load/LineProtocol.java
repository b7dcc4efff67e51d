package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.nio.ByteBuffer;

/** dflockd's line protocol: three lines a request, one an answer. */
final class LineProtocol implements Protocol {
    private static final byte[] OK = Protocol.ascii("ok\n");
    private static final byte[] GRANTED = Protocol.ascii("ok ");

    @Override
    public int room() {
        return 64;
    }

    @Override
    public String greeting() {
        return "ping\n_\n_\n";
    }

    @Override
    public String session(String answer) {
        // dflockd 1.x does not know ping and answers with an error, which shows the same.
        if (!answer.equals("ok\n") && !answer.equals("error\n")) {
            throw new BenchException("ping was answered '" + answer.strip() + "'");
        }
        return "";
    }

    @Override
    public String farewell(String session) {
        return "";
    }

    @Override
    public String acquire(String key, String session, int leaseSeconds) {
        return "l\n" + key + "\n" + Settings.TIMEOUT_SECONDS + " " + leaseSeconds + "\n";
    }

    @Override
    public String release(String key, String session) {
        return "r\n" + key + "\n" + NO_TOKEN + "\n";
    }

    @Override
    public int end(ByteBuffer in, int from, int to) {
        for (int i = from; i < to; i++) {
            if (in.get(i) == '\n') {
                return i + 1;
            }
        }
        return NONE;
    }

    /** "ok", the token, the lease in whole seconds, with a space between each. */
    @Override
    public int grant(ByteBuffer in, int from, int end) {
        int token = from + GRANTED.length;
        int space = Protocol.startsWith(in, from, end, GRANTED) ? Protocol.afterToken(in, token, end) : NONE;
        boolean right = space != NONE && in.get(space) == ' ' && Protocol.afterDigits(in, space + 1, end) == end - 1;
        return right ? token : NONE;
    }

    @Override
    public boolean isReleased(ByteBuffer in, int from, int end) {
        return end - from == OK.length && Protocol.startsWith(in, from, end, OK);
    }
}
