package io.flockgate.storage.memory.roster;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flockgate.roster.support.RosterDocument;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A record of the rosters' journal: the length of the group's name (2 bytes), the name in UTF-8,
 * and the document as in Consul.
 */
record RosterRecord(String group, RosterDocument document) {
    byte[] encode() {
        byte[] name = group.getBytes(UTF_8);
        byte[] text = document.toBytes();
        return ByteBuffer.allocate(Short.BYTES + name.length + text.length)
                .putShort((short) name.length)
                .put(name)
                .put(text)
                .array();
    }

    /**
     * @throws IOException if these are not the bytes of a record
     */
    static RosterRecord decode(byte[] record) throws IOException {
        int documentAt = record.length < Short.BYTES
                ? Integer.MAX_VALUE
                : Short.BYTES + ByteBuffer.wrap(record).getShort();
        if (documentAt < Short.BYTES || documentAt > record.length) {
            throw new IOException("a record is no roster");
        }
        RosterDocument document = RosterDocument.parse(Arrays.copyOfRange(record, documentAt, record.length));
        if (document == null) {
            throw new IOException("a roster in it is not of version " + RosterDocument.VERSION);
        }
        return new RosterRecord(new String(record, Short.BYTES, documentAt - Short.BYTES, UTF_8), document);
    }
}
