package io.flockgate.storage.consul.api;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import org.apache.http.conn.DnsResolver;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of an agent's name, in the order in which a connection tries them: those that have
 * left a request without an answer come last, the latest of them at the end. Thread safe.
 */
final class AgentAddresses implements DnsResolver {
    /** The time for the first answer of an address if there is another. */
    private static final int FIRST_MILLIS = 1000;

    /** The maximum number of addresses that are remembered. */
    private static final int MAX_REMEMBERED = 256;

    @GuardedBy("this")
    private final SequencedSet<InetAddress> tried = new LinkedHashSet<>();

    /** The addresses that have left a request without an answer, the latest last. */
    @GuardedBy("this")
    private final SequencedSet<InetAddress> silent = new LinkedHashSet<>();

    private volatile boolean several;

    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        return inOrder(InetAddress.getAllByName(host));
    }

    /** Sorts the addresses that a name has now. */
    synchronized InetAddress[] inOrder(InetAddress[] found) {
        several = found.length > 1;
        List<InetAddress> last = List.copyOf(silent);
        Arrays.sort(found, Comparator.comparingInt(last::indexOf));
        return found;
    }

    /**
     * The time limit of a request to this address, in milliseconds: this one, or less for the first
     * request.
     */
    synchronized int limit(InetAddress address, int millis) {
        boolean first = several && tried.add(address);
        bound(tried);
        return first ? Math.min(FIRST_MILLIS, millis) : millis;
    }

    /**
     * Tries this address last, because it left a request without an answer. Returns false if it was
     * the last already, or is the only one.
     */
    synchronized boolean avoid(InetAddress address) {
        boolean already = !silent.isEmpty() && silent.getLast().equals(address);
        silent.addLast(address);
        bound(silent);
        return several && !already;
    }

    private static void bound(SequencedSet<InetAddress> addresses) {
        if (addresses.size() > MAX_REMEMBERED) {
            addresses.removeFirst();
        }
    }

    /** The address for messages, unless it is the only one. */
    String shown(@Nullable InetAddress address) {
        return several && address != null ? " (" + address.getHostAddress() + ")" : "";
    }
}
