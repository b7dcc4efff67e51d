package io.flockgate.gateway.rest;

import io.flockgate.gateway.http.FaultException;
import io.flockgate.storage.Claim;
import io.flockgate.storage.Key;
import io.flockgate.storage.KeyFilter;
import io.flockgate.storage.KeyFilter.ClientFilter;
import io.flockgate.storage.KeyQuery;
import io.flockgate.storage.KeySummary;
import io.flockgate.storage.Kind;
import io.flockgate.text.Utf8;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * A request for a list of keys. Other parameters are ignored.
 *
 * @param contained bytes that each key contains; none for all keys
 * @param order null for a page in the storage's order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record KeysQuery(KeyQuery query, byte[] contained, @Nullable KeyOrder order) {
    private static final BigDecimal MAX_SECONDS = BigDecimal.valueOf(Claim.MAX_SECONDS);
    private static final int NANO_DIGITS = 9;

    /** The orders in which a client may request keys. */
    enum KeyOrder {
        /** The longest-held key first. */
        LONGEST_HOLD(Comparator.comparingLong(KeySummary::heldNanos)),
        /** The key whose first waiter has waited longest first. */
        LONGEST_WAIT(Comparator.comparingLong(KeySummary::waitedNanos)),
        /** The key with the most waiters first. Among equals, the longest-held one. */
        LONGEST_QUEUE(Comparator.comparingInt(KeySummary::waiters).thenComparingLong(KeySummary::heldNanos));

        @SuppressWarnings("ImmutableEnumChecker") // has no state
        private final Comparator<KeySummary> lastFirst;

        KeyOrder(Comparator<KeySummary> lastFirst) {
            this.lastFirst = lastFirst.thenComparing(KeySummary::key, Key::compareByHash);
        }

        /** The reverse of this order. */
        Comparator<KeySummary> lastFirst() {
            return lastFirst;
        }
    }

    static KeysQuery parse(@Nullable String query) {
        Query given = Query.parse(query);
        String sort = text(given, "sort");
        KeyOrder order = sort == null ? null : Query.constant("sort", sort, KeyOrder.values());
        if (order != null && given.has("after")) {
            throw new FaultException("after and sort exclude each other");
        }
        return new KeysQuery(PageQuery.ofKeys(given, filter(given)), given.bytes("contains"), order);
    }

    private static KeyFilter filter(Query given) {
        String name = text(given, "name");
        String address = text(given, "address");
        String gateway = text(given, "gateway");
        ClientFilter client =
                name == null && address == null && gateway == null ? null : new ClientFilter(name, address, gateway);
        String kind = text(given, "kind");
        return new KeyFilter(
                kind == null ? null : Query.constant("kind", kind, Kind.values()),
                given.flag("held"),
                given.flag("waiting"),
                longerThan(given, "held_longer_than_s"),
                longerThan(given, "waiting_longer_than_s"),
                client);
    }

    private static long longerThan(Query given, String parameter) {
        if (!given.has(parameter)) {
            return 0;
        }
        String text = new String(given.bytes(parameter), StandardCharsets.ISO_8859_1);
        BigDecimal seconds = text.matches("[0-9]{1,10}(\\.[0-9]{1,9})?") ? new BigDecimal(text) : null;
        if (seconds == null || seconds.compareTo(MAX_SECONDS) > 0) {
            throw new FaultException(parameter + " must be seconds from 0 to " + Claim.MAX_SECONDS);
        }
        // At least 1 ns, so that a key without a holder or waiter does not match 0 seconds.
        return Math.max(
                1,
                seconds.scaleByPowerOfTen(NANO_DIGITS)
                        .setScale(0, RoundingMode.CEILING)
                        .longValueExact());
    }

    private static @Nullable String text(Query given, String parameter) {
        if (!given.has(parameter)) {
            return null;
        }
        String text = Utf8.decode(given.bytes(parameter));
        if (text == null || text.isEmpty()) {
            throw new FaultException(parameter + " must be text");
        }
        return text;
    }
}
