package io.flockgate.client.consul;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.layout.HolderMark;
import io.flockgate.storage.consul.layout.HoldersForm;
import io.flockgate.storage.consul.layout.SemaphoreDocument;
import io.flockgate.storage.consul.layout.TicketMark;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Gateways and this client read the same value in the same way, and no value makes them fail. */
class SameReadingsTest {
    private static final String NONE = "none";

    /** Values of a field that has to be a number. */
    private static final String[] NUMBERS = {
        "5000", "0", "-1", "-0", "9223372036854775807", "9223372036854775808", "18446744073709551615", "1e400",
        "5000.0", "5e3", "1.9", "\"5000\"", "null", "true", "[]", "{}"
    };

    /** Values of a field that has to be a truth value. */
    private static final String[] TRUTHS = {"true", "false", "null", "\"yes\"", "\"true\"", "1", "0", "[]", "{}"};

    private static final String[] TEXTS = {"\"x\"", "\"\"", "null", "1", "true", "[]", "{}"};

    private static String read(byte[] value, Function<byte[], @Nullable String> reader) {
        try {
            String read = reader.apply(value);
            return read == null ? NONE : read;
        } catch (RuntimeException e) {
            return "throws " + e;
        }
    }

    private static @Nullable String markOfGateway(byte[] value) {
        HolderMark mark = HolderMark.parse(value);
        return mark == null
                ? null
                : mark(
                        mark.nonce(),
                        mark.fenceIndex(),
                        mark.leaseMillis(),
                        mark.silent(),
                        mark.sequence(),
                        mark.hash(),
                        mark.origin().ttlMillis(),
                        mark.isDetached());
    }

    private static @Nullable String markOfClient(byte[] value) {
        Mark mark = Mark.parse(value);
        return mark == null
                ? null
                : mark(
                        mark.nonce(),
                        mark.fenceIndex(),
                        mark.leaseMillis(),
                        mark.silent(),
                        mark.sequence(),
                        mark.hash(),
                        mark.ttlMillis(),
                        mark.detached());
    }

    private static String mark(
            String nonce,
            long fence,
            long lease,
            boolean silent,
            long sequence,
            String hash,
            long ttl,
            boolean detached) {
        return String.join(
                " ",
                nonce,
                "fence=" + fence,
                "lease=" + lease,
                "silent=" + silent,
                "seq=" + sequence,
                hash,
                "ttl=" + ttl,
                "detached=" + detached);
    }

    private static @Nullable String ticketOfGateway(byte[] value) {
        TicketMark ticket = TicketMark.parse(value);
        return ticket == null
                ? null
                : ticket.gateway() + " " + (ticket.kind() == Kind.LOCK) + " " + ticket.limit() + " "
                        + ticket.isRemoved();
    }

    private static @Nullable String ticketOfClient(byte[] value) {
        Ticket ticket = Ticket.parse(new Entry("k", value, 0, "s", 1, 1));
        if (ticket == null) {
            return null;
        }
        assertThat(ticket.touched()).isNotEmpty();
        return ticket.gateway() + " " + ticket.lock() + " " + ticket.limit() + " " + ticket.isRemoved();
    }

    private static @Nullable String documentOfGateway(byte[] value) {
        SemaphoreDocument document = SemaphoreDocument.parse(value);
        return document == null
                ? null
                : document.limit() + " " + document.holders() + " " + (document.form() == HoldersForm.MAP);
    }

    private static @Nullable String documentOfClient(byte[] value) {
        Document document = Document.parse(value);
        return document == null ? null : document.limit() + " " + document.holders() + " " + document.map();
    }

    /** A valid value, and the same with each field replaced by others. */
    private static Stream<String> varied(String valid, String... fieldsAndValues) {
        Stream.Builder<String> all = Stream.builder();
        all.add(valid);
        for (int i = 0; i < fieldsAndValues.length; i += 2) {
            String field = "\"" + fieldsAndValues[i] + "\":";
            for (String value : of(fieldsAndValues[i + 1])) {
                String without = valid.replaceFirst(field + "[^,}]*,?", "");
                all.add(without.replaceFirst("\\{", "{" + field + value + ","));
            }
        }
        return all.build();
    }

    private static String[] of(String kind) {
        return switch (kind) {
            case "number" -> NUMBERS;
            case "truth" -> TRUTHS;
            default -> TEXTS;
        };
    }

    static Stream<String> marks() {
        return varied(
                "{\"v\":1,\"gw\":\"g\",\"nonce\":\"n\",\"fence\":7,\"lease_ms\":9000,\"silent\":true,\"seq\":2,\"tok\":\"t\",\"ttl_ms\":10000,\"detached\":true,\"later\":{\"a\":[1.50]}}",
                "v",
                "number",
                "gw",
                "text",
                "nonce",
                "text",
                "tok",
                "text",
                "fence",
                "number",
                "lease_ms",
                "number",
                "seq",
                "number",
                "ttl_ms",
                "number",
                "silent",
                "truth",
                "detached",
                "truth",
                "later",
                "number",
                "node",
                "text");
    }

    static Stream<String> tickets() {
        return varied(
                "{\"v\":1,\"gw\":\"g\",\"kind\":\"semaphore\",\"limit\":3,\"touches\":0,\"later\":1}",
                "v",
                "number",
                "gw",
                "text",
                "kind",
                "text",
                "limit",
                "number",
                "touches",
                "number",
                "removed",
                "truth",
                "offer",
                "text");
    }

    @ParameterizedTest
    @MethodSource("marks")
    void aMark(String value) {
        byte[] bytes = value.getBytes(UTF_8);
        String client = read(bytes, SameReadingsTest::markOfClient);
        assertThat(client).doesNotStartWith("throws").isEqualTo(read(bytes, SameReadingsTest::markOfGateway));
    }

    /** Whoever cannot tell when a lease ends does not end it, not even after the holder's session has ended. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"lease_ms\":5000.0",
                "\"lease_ms\":18446744073709551615",
                "\"lease_ms\":-1",
                "\"lease_ms\":5000,\"ttl_ms\":\"1\"",
                "\"lease_ms\":5000,\"ttl_ms\":1,\"silent\":\"no\"",
                "\"lease_ms\":5000,\"ttl_ms\":1,\"detached\":1"
            })
    void nobodyEvictsAHolderWhoseLeaseCannotBeRead(String lease) {
        byte[] value = ("{\"gw\":\"g\",\"nonce\":\"n\",\"tok\":\"t\"," + lease + "}").getBytes(UTF_8);
        Mark mark = Objects.requireNonNull(Mark.parse(value));
        HolderMark same = Objects.requireNonNull(HolderMark.parse(value));
        long years = TimeUnit.DAYS.toNanos(36_000);
        assertThat(mark.silent()).isTrue();
        assertThat(same.silent()).isTrue();
        assertThat(mark.unrenewedNanos()).isGreaterThan(years);
        assertThat(mark.believedNanos(0)).isGreaterThan(years);
        assertThat(same.believedNanos(0)).isGreaterThan(years);
    }

    @ParameterizedTest
    @MethodSource("tickets")
    void aTicket(String value) {
        byte[] bytes = value.getBytes(UTF_8);
        String client = read(bytes, SameReadingsTest::ticketOfClient);
        assertThat(client).doesNotStartWith("throws").isEqualTo(read(bytes, SameReadingsTest::ticketOfGateway));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"Limit\":2,\"Holders\":[\"a\",\"b\",\"a\"]}",
                "{\"limit\":2,\"holders\":{\"a\":true,\"b\":false}}",
                "{\"Limit\":2.0,\"Holders\":[]}",
                "{\"Limit\":2e0,\"Holders\":[]}",
                "{\"Limit\":18446744073709551615,\"Holders\":[]}",
                "{\"Limit\":0,\"Holders\":[]}",
                "{\"Limit\":\"2\",\"Holders\":[]}",
                "{\"Limit\":2,\"Holders\":null}",
                "{\"Limit\":2}",
                "{\"Limit\":2,\"Holders\":[1]}",
                "{\"Limit\":2,\"Holders\":[null]}",
                "{\"Limit\":2,\"Holders\":{\"a\":null}}",
                "[]",
                "null",
                "",
                "{"
            })
    void aDocument(String value) {
        byte[] bytes = value.getBytes(UTF_8);
        String client = read(bytes, SameReadingsTest::documentOfClient);
        assertThat(client).doesNotStartWith("throws").isEqualTo(read(bytes, SameReadingsTest::documentOfGateway));
    }
}
