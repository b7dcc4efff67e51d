package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.kv.KvEntry;
import io.flockgate.storage.consul.kv.KvList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How values that other software may have written are read. No value makes a reader fail, and what
 * is malformed frees no slot.
 */
class ReadingsTest {
    private static final long CENTURY = TimeUnit.DAYS.toNanos(36_000);

    /** Whole numbers from 0 to 2^63 - 1. Null counts as missing. */
    private static final List<String> WHOLE = List.of("5000", "0", "-0", "9223372036854775807", "null");

    private static final List<String> NOT_WHOLE = List.of(
            "-1",
            "9223372036854775808",
            "18446744073709551615",
            "1e400",
            "5000.0",
            "5e3",
            "1.9",
            "\"5000\"",
            "true",
            "[]",
            "{}");

    private static final List<String> TRUTHS = List.of("true", "false", "null");
    private static final List<String> NO_TRUTHS = List.of("\"yes\"", "\"true\"", "1", "0", "[]", "{}");
    private static final List<String> NO_TEXTS = List.of("null", "1", "true", "[]", "{}");

    private static final String MARK = "{\"v\":1,\"gw\":\"g\",\"nonce\":\"n\",\"fence\":7,\"lease_ms\":9000,\"seq\":2,"
            + "\"tok\":\"t\",\"ttl_ms\":10000,\"later\":{\"a\":[1.50]}}";
    private static final String TICKET =
            "{\"v\":1,\"gw\":\"g\",\"kind\":\"semaphore\",\"limit\":3,\"touches\":0,\"later\":1}";

    private static String with(String valid, String field, String value) {
        String name = "\"" + field + "\":";
        String without = valid.replaceFirst(name + "[^,}]*,?", "");
        return without.replaceFirst("\\{", "{" + name + value + ",");
    }

    private static Stream<String> fields(String valid, List<String> fields, List<String> values) {
        return fields.stream().flatMap(field -> values.stream().map(value -> with(valid, field, value)));
    }

    private static @Nullable HolderMark mark(String value) {
        return HolderMark.parse(value.getBytes(UTF_8));
    }

    private static @Nullable TicketMark ticket(String value) {
        return TicketMark.parse(value.getBytes(UTF_8));
    }

    static Stream<String> marks() {
        return Stream.concat(
                fields(MARK, List.of("v"), List.of("1", "null")),
                Stream.concat(
                        fields(MARK, List.of("fence", "lease_ms", "seq", "ttl_ms", "newer"), WHOLE),
                        fields(MARK, List.of("detached"), TRUTHS)));
    }

    @ParameterizedTest
    @MethodSource("marks")
    void aMarkIsRead(String value) {
        HolderMark mark = requireNonNull(mark(value));
        assertThat(HolderMark.parse(mark.toBytes())).isEqualTo(mark);
    }

    static Stream<String> endlessMarks() {
        return Stream.concat(
                fields(MARK, List.of("fence", "lease_ms", "seq", "ttl_ms"), NOT_WHOLE),
                fields(MARK, List.of("detached"), NO_TRUTHS));
    }

    /** Neither while its session lives nor after its end. */
    @ParameterizedTest
    @MethodSource("endlessMarks")
    void aHolderWhoseLeaseCannotBeReadIsNotEvicted(String value) {
        HolderMark mark = requireNonNull(mark(value));
        assertThat(mark.isSilent()).isTrue();
        assertThat(mark.unrenewedNanos()).isGreaterThan(CENTURY);
        assertThat(mark.trustedNanos(0)).isGreaterThan(CENTURY);
    }

    static Stream<String> noMarks() {
        return Stream.of(
                        fields(MARK, List.of("gw", "nonce", "tok"), NO_TEXTS),
                        fields(MARK, List.of("v"), List.of("0", "2", "1.0", "\"1\"", "true")),
                        noObjects(MARK))
                .flatMap(each -> each);
    }

    /**
     * Texts that are not JSON of one object of at most 4,096 bytes; {@code StrictJsonTest} has
     * more.
     */
    private static Stream<String> noObjects(String valid) {
        return Stream.of(
                "",
                "[" + valid + "]",
                valid.replaceFirst("\\{", "{\"gw\":\"other\","),
                valid.replaceFirst("\\{", "{\"x\":\"" + "x".repeat(4096) + "\","));
    }

    @ParameterizedTest
    @MethodSource("noMarks")
    void otherValuesAreNoMarks(String value) {
        assertThat(mark(value)).isNull();
    }

    static Stream<String> tickets() {
        return Stream.of(
                        fields(TICKET, List.of("v"), List.of("1", "null")),
                        fields(TICKET, List.of("touches"), WHOLE),
                        fields(TICKET, List.of("touches"), NOT_WHOLE),
                        fields(TICKET, List.of("removed"), List.of("false", "null")),
                        fields(TICKET, List.of("removed"), NO_TRUTHS))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("tickets")
    void aTicketIsReadWithoutWhatIsMalformed(String value) {
        TicketMark ticket = requireNonNull(ticket(value));
        assertThat(ticket.kind()).isEqualTo(Kind.SEMAPHORE);
        assertThat(ticket.limit()).isEqualTo(3);
        assertThat(ticket.isRemoved()).isFalse();
        assertThat(ticket.touched().touches()).isEqualTo(ticket.touches() + 1);
    }

    static Stream<String> noTickets() {
        return Stream.of(
                        fields(TICKET, List.of("gw", "kind"), NO_TEXTS),
                        fields(TICKET, List.of("kind"), List.of("\"\"", "\"shared\"", "\"LOCK\"")),
                        fields(TICKET, List.of("limit"), NOT_WHOLE),
                        fields(TICKET, List.of("limit"), List.of("0", "-0", "null")),
                        fields(TICKET, List.of("v"), List.of("0", "2", "1.0")),
                        noObjects(TICKET))
                .flatMap(each -> each);
    }

    @ParameterizedTest
    @MethodSource("noTickets")
    void otherValuesAreNoTickets(String value) {
        assertThat(ticket(value)).isNull();
    }

    /** A lock has one slot. A ticket that says otherwise fits no key, and delays no waiter. */
    @ParameterizedTest
    @CsvSource({"lock,1,true", "lock,3,false", "semaphore,1,false"})
    void aTicketWhoseKindAndLimitDoNotBelongTogetherIsNoHead(String kind, long limit, boolean fits) {
        KeyPath path = new KeyPath("base/job", false);
        byte[] ticket = with(with(TICKET, "kind", "\"" + kind + "\""), "limit", String.valueOf(limit))
                .getBytes(UTF_8);
        KeyView view = KeyView.of(
                path,
                new KvList(
                        List.of(
                                new KvEntry(path.lock(), Flags.MUTEX, new byte[0], null, 1, 1),
                                new KvEntry(path.ticket("g-1"), 0, ticket, "s", 2, 2)),
                        2));
        assertThat(view.head().isPresent()).isEqualTo(fits);
    }

    /**
     * Tries every prefix of a valid value, and every value with one byte changed: each reader
     * returns a result, and can write every mark that it reads.
     */
    @Test
    void noValueMakesAReaderFail() {
        List<byte[]> values = new ArrayList<>();
        for (String valid : List.of(
                MARK,
                TICKET,
                "{\"Limit\":2,\"Holders\":[\"a\"]}",
                "{\"format\":2,\"cluster\":\"c\",\"fence_base\":0,"
                        + "\"holders\":\"list\",\"map\":\"m\",\"fence_floor\":\"0\",\"checks\":0}")) {
            byte[] bytes = valid.getBytes(UTF_8);
            for (int i = 0; i < bytes.length; i++) {
                values.add(java.util.Arrays.copyOf(bytes, i));
                for (byte other : new byte[] {'"', '}', '9', '-', '.', 0, (byte) 0xff, '\\'}) {
                    byte[] changed = bytes.clone();
                    changed[i] = other;
                    values.add(changed);
                }
            }
        }
        assertThat(values).allSatisfy(ReadingsTest::isReadOrRefused);
    }

    private static void isReadOrRefused(byte[] value) {
        HolderMark mark = HolderMark.parse(value);
        assertThat(mark == null || HolderMark.parse(mark.toBytes()) != null).isTrue();
        TicketMark ticket = TicketMark.parse(value);
        assertThat(ticket == null || TicketMark.parse(ticket.toBytes()) != null).isTrue();
        SemaphoreDocument document = SemaphoreDocument.parse(value);
        assertThat(document == null || SemaphoreDocument.parse(document.toBytes()) != null)
                .isTrue();
        ClusterRecord record = ClusterRecord.parse(value);
        assertThat(record == null || ClusterRecord.parse(record.toBytes()) != null)
                .isTrue();
        assertThat(GatewayMark.of("g-1", value)).isNotNull();
    }
}
