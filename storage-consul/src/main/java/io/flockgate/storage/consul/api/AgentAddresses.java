package io.flockgate.storage.consul.api;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.http.conn.DnsResolver;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of an agent's name, in the order in which a connection tries them: the one that
 * last left a request without an answer comes last. Thread safe.
 */
final class AgentAddresses implements DnsResolver {
    /** The time for the first answer of an address if there is another. */
    private static final int FIRST_MILLIS = 1000;

    private final Set<InetAddress> tried = ConcurrentHashMap.newKeySet();
    private volatile boolean several;
    private volatile @Nullable InetAddress silent;

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        InetAddress[] found = InetAddress.getAllByName(host);
        InetAddress last = silent;
        several = found.length > 1;
        tried.retainAll(List.of(found));
        Arrays.sort(found, Comparator.comparing(each -> each.equals(last)));
        return found;
    }

    /**
     * The time limit of a request to this address, in milliseconds: this one, or less for the first
     * request.
     */
    int limit(InetAddress address, int millis) {
        return several && tried.add(address) ? Math.min(FIRST_MILLIS, millis) : millis;
    }

    /**
     * Tries this address last, because it left a request without an answer. Returns whether there
     * is another.
     */
    boolean avoid(InetAddress address) {
        silent = address;
        return several;
    }

    /** The address for messages, unless it is the only one. */
    String shown(@Nullable InetAddress address) {
        return several && address != null ? " (" + address.getHostAddress() + ")" : "";
    }
}
