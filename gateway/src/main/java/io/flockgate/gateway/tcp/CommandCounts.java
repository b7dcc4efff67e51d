package io.flockgate.gateway.tcp;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts replies by command and first word. Written on one event loop, without a memory fence; read
 * on any thread.
 */
final class CommandCounts {
    private static final int WORDS = ReplyWord.values().length;

    private final AtomicLongArray counts = new AtomicLongArray(Command.values().length * WORDS);

    void count(Command command, ReplyWord answer) {
        assert command.answers().contains(answer) : command + " answered by " + answer;
        int cell = cell(command, answer);
        counts.setOpaque(cell, counts.getPlain(cell) + 1);
    }

    long of(Command command, ReplyWord answer) {
        return counts.getOpaque(cell(command, answer));
    }

    @SuppressWarnings("EnumOrdinal") // a table by both, in memory only
    private static int cell(Command command, ReplyWord answer) {
        return command.ordinal() * WORDS + answer.ordinal();
    }
}
