package io.flockgate.gateway.net;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Checks a client's TLS message {@code ClientHello} (RFC 8446, 4.1.2) before the JDK's engine reads
 * it. The engine keeps each signature scheme in it, repeated ones included, as long as the
 * connection lasts, and turns each authority of four bytes into 130 bytes of objects.
 */
final class ClientHello {
    /** Several times what known clients send, with post-quantum key shares and a session ticket. */
    static final int MAX_BYTES = 8 * 1024;

    static final int MAX_SCHEMES = 64;
    static final int MAX_AUTHORITIES_BYTES = 1024;

    private static final byte HANDSHAKE_RECORD = 22;
    private static final int RECORD_HEADER = 5;
    private static final byte CLIENT_HELLO = 1;
    private static final int VERSION_AND_RANDOM = 2 + 32;
    private static final int SIGNATURE_ALGORITHMS = 13;
    private static final int SIGNATURE_ALGORITHMS_CERT = 50;
    private static final int CERTIFICATE_AUTHORITIES = 47;
    private static final String MALFORMED = "malformed ClientHello";

    private ClientHello() {}

    /**
     * Returns the reason why the engine must not read a record; null if it may. To be called for
     * each record until the engine has answered with a {@code ServerHello}. A {@code ClientHello}
     * must be alone in its record.
     */
    static @Nullable String fault(ByteBuffer record) {
        ByteBuffer left = record.slice();
        try {
            if (left.get() != HANDSHAKE_RECORD) {
                return null;
            }
            skip(left, RECORD_HEADER - 1);
            if (left.get() != CLIENT_HELLO) {
                return "the first message is not ClientHello";
            }
            int length = (left.get() & 0xff) << 16 | unsignedShort(left);
            if (length > MAX_BYTES || length != left.remaining()) {
                return "ClientHello is too long, or not alone in its record";
            }
            return faultOfBody(left);
        } catch (BufferUnderflowException | IllegalArgumentException tooShort) {
            return MALFORMED;
        }
    }

    private static @Nullable String faultOfBody(ByteBuffer left) {
        skip(left, VERSION_AND_RANDOM);
        skip(left, left.get() & 0xff); // session id
        skip(left, unsignedShort(left)); // cipher suites
        skip(left, left.get() & 0xff); // compression methods
        if (left.hasRemaining() && unsignedShort(left) != left.remaining()) {
            return MALFORMED;
        }
        while (left.hasRemaining()) {
            int type = unsignedShort(left);
            int length = unsignedShort(left);
            int end = left.position() + length;
            String fault = faultOfExtension(type, length, left);
            if (fault != null) {
                return fault;
            }
            left.position(end);
        }
        return null;
    }

    private static @Nullable String faultOfExtension(int type, int length, ByteBuffer left) {
        return switch (type) {
            case SIGNATURE_ALGORITHMS, SIGNATURE_ALGORITHMS_CERT -> faultOfSchemes(left);
            case CERTIFICATE_AUTHORITIES ->
                length > MAX_AUTHORITIES_BYTES ? "too many certificate authorities in ClientHello" : null;
            default -> null;
        };
    }

    private static @Nullable String faultOfSchemes(ByteBuffer left) {
        int count = unsignedShort(left) / 2;
        if (count > MAX_SCHEMES) {
            return "too many signature schemes in ClientHello";
        }
        int[] schemes = new int[count];
        for (int i = 0; i < count; i++) {
            schemes[i] = unsignedShort(left);
            for (int before = 0; before < i; before++) {
                if (schemes[before] == schemes[i]) {
                    return "repeated signature schemes in ClientHello";
                }
            }
        }
        return null;
    }

    private static int unsignedShort(ByteBuffer left) {
        return left.getShort() & 0xffff;
    }

    private static void skip(ByteBuffer left, int bytes) {
        left.position(left.position() + bytes);
    }
}
