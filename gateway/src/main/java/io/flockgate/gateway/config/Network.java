package io.flockgate.gateway.config;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Optional;

/** A range of IP addresses. */
public record Network(InetAddress address, int bits) {
    /** Reads {@code 10.0.0.0/8}, or a single address. */
    static Optional<Network> parse(String text) {
        int slash = text.indexOf('/');
        try {
            InetAddress address = InetAddress.ofLiteral(slash < 0 ? text : text.substring(0, slash));
            int most = Byte.SIZE * address.getAddress().length;
            int bits = slash < 0 ? most : Integer.parseInt(text.substring(slash + 1));
            return bits < 0 || bits > most ? Optional.empty() : Optional.of(new Network(address, bits));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    public boolean contains(InetAddress other) {
        byte[] mine = address.getAddress();
        byte[] its = other.getAddress();
        return mine.length == its.length
                && new BigInteger(1, mine)
                                .xor(new BigInteger(1, its))
                                .shiftRight(Byte.SIZE * mine.length - bits)
                                .signum()
                        == 0;
    }
}
