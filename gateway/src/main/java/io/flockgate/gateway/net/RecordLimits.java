package io.flockgate.gateway.net;

import javax.net.ssl.SSLException;

/**
 * The limits on the records that a client sends over TLS. Confined to the connection's event loop.
 *
 * <ol>
 *   <li>A handshake with too many records is ended, because the engine accepts some warnings
 *       without limit. So is one with too many bytes, because certificates take up to fifty times
 *       their bytes, and are read before {@link ClientTrust} refuses them.
 *   <li>After the handshake, a connection with too many records without data is ended: key updates,
 *       alerts, and empty records. Each costs as much as a request, and the answer to a key update
 *       waits in memory until the client reads. The number allowed grows with the number of records
 *       with data, because some clients update their keys every 2²⁴ records.
 * </ol>
 */
final class RecordLimits {
    /** Clients send at most five, and more only for a long chain of certificates. */
    static final int MAX_HANDSHAKE_RECORDS = 64;

    /** Twice as much as a {@link ClientHello} and an ordinary chain of three certificates. */
    static final int MAX_HANDSHAKE_BYTES = 16 * 1024;

    static final int MAX_WITHOUT_DATA = 8;

    /** This many records with data make up for one without. */
    static final int WITH_DATA = 256;

    private boolean handshakeComplete;
    private int handshakeRecords;
    private int handshakeBytes;
    private int withoutData;
    private int withData;

    void completeHandshake() {
        handshakeComplete = true;
    }

    boolean isHandshakeComplete() {
        return handshakeComplete;
    }

    /**
     * Counts one record.
     *
     * @param bytes the length of the record
     * @param data the number of bytes of data in it
     * @throws SSLException if the connection must end
     */
    void count(int bytes, int data) throws SSLException {
        if (!handshakeComplete) {
            handshakeBytes += bytes;
            if (++handshakeRecords > MAX_HANDSHAKE_RECORDS || handshakeBytes > MAX_HANDSHAKE_BYTES) {
                throw new SSLException("too many records or bytes in a handshake");
            }
            return;
        }
        if (data == 0) {
            withoutData++;
        } else if (withoutData > 0 && ++withData == WITH_DATA) {
            withData = 0;
            withoutData--;
        }
        if (withoutData > MAX_WITHOUT_DATA) {
            throw new SSLException("too many records without data");
        }
    }
}
