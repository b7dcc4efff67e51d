package io.flockgate.gateway.tcp;

/**
 * Recognises other protocols by the first command of a connection (line protocol, "Connections"). A
 * web page can make browsers send bytes of its choice to this port, inside HTTP, TLS or STUN; other
 * programs can be made to speak SMTP or Redis to it. None of these begins with a line that is a
 * word of lower-case letters, as every command of any version of dflockd is. Until a known command
 * has arrived, nothing else is accepted. On one event loop only.
 */
final class FirstCommand {
    private static final int MAX_LETTERS = 16;

    private final LineDecoder decoder;
    private boolean known;

    FirstCommand(LineDecoder decoder) {
        this.decoder = decoder;
    }

    /** Notes that the client has shown that it speaks this protocol. */
    void known() {
        known = true;
    }

    /** Whether a client of this protocol may have sent the frame with this command. */
    boolean accepts(Command command) {
        known |= command != Command.INVALID;
        if (known) {
            return true;
        }
        int length = decoder.to(0) - decoder.from(0);
        return length > 0 && length <= MAX_LETTERS && isWord(decoder.from(0), decoder.to(0));
    }

    /** The same for the part of an unfinished frame that has arrived. */
    boolean acceptsBeginning() {
        return known || isWord(decoder.commandFrom(), decoder.commandTo());
    }

    private boolean isWord(int from, int to) {
        int end = to;
        while (end > from && decoder.bytes()[end - 1] == '\r') {
            end--;
        }
        for (int i = from; i < end; i++) {
            byte next = decoder.bytes()[i];
            if ((next < 'a' || next > 'z') && next != '-') {
                return false;
            }
        }
        return true;
    }
}
