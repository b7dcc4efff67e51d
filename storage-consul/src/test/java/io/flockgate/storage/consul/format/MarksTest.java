package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.Kind;
import io.flockgate.storage.consul.format.ClusterRecord.SharedSettings;
import io.flockgate.storage.consul.format.HolderMark.SessionOrigin;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of holders' keys and tickets, with their clients, and of the record of a cluster. */
class MarksTest {
    private static final long SALT = 0x5eed_5eed_5eed_5eedL;

    private static final TicketMark TICKET = new TicketMark("gw", Kind.LOCK, 1, 0);
    private static final ClientDescription NOTHING = new ClientDescription(Via.OTHER, null, null, null);
    private static final HolderMark MARK = HolderMark.of("gw", "nonce", SALT, 30_000);

    @Test
    void aRenewalKeepsTheGrantAndChangesTheBytes() {
        HolderMark renewed = MARK.renewed(17, 30_000);
        assertThat(renewed.fenceIndex()).isEqualTo(17);
        assertThat(renewed.nonce()).isEqualTo(MARK.nonce());
        assertThat(renewed.renewed(17, 30_000).toBytes()).isNotEqualTo(renewed.toBytes());
    }

    /**
     * Without a TTL, other gateways check it once too often rather than never. The end of a
     * detached lease must be visible to all gateways.
     */
    @ParameterizedTest
    @CsvSource({
        "19999, 10000, false, false",
        "20000, 10000, false, true",
        "9223372036854775807, 4611686018427387903, false, true",
        "20000, 0, false, false",
        "86400000, 10000, true, false"
    })
    void aPlainLeaseOfTwoTtlsIsSilent(long leaseMillis, long ttlMillis, boolean detached, boolean silent) {
        HolderMark held =
                HolderMark.of("gw", "nonce", SALT, leaseMillis).from(new SessionOrigin("node", ttlMillis, detached));
        assertThat(held.isSilent()).isEqualTo(silent);
    }

    @Test
    void aTokenIsKnownByItsRandomHalf() {
        assertThat(MARK.isOf(SALT)).isTrue();
        assertThat(MARK.isOf(SALT ^ 1)).isFalse();
        assertThat(MARK.renewed(1, 1).isOf(SALT)).isTrue();
    }

    @Test
    void theTokenIsNotToBeSeen() {
        String text = new String(MARK.toBytes(), UTF_8);
        assertThat(text).doesNotContain(Long.toHexString(SALT)).doesNotContain(String.valueOf(SALT));
        assertThat(HolderMark.of("gw", "other", SALT, 30_000).hash()).isNotEqualTo(MARK.hash());
    }

    /**
     * A ticket that cannot be understood is not evicted early, and one that requests too much does
     * not delay the others for long.
     */
    @ParameterizedTest
    @CsvSource({
        "6500, 6500",
        "1, 2000",
        "0, 2000",
        "null, 2000",
        "60001, 60000",
        "9223372036854775807, 60000",
        "-1, 60000",
        "6500.0, 60000",
        "true, 60000"
    })
    void aTicketStatesTheTimeInWhichItsHeadActs(String stated, long actMillis) {
        TicketMark read = requireNonNull(TicketMark.parse(with(TICKET.toBytes(), "\"act_ms\":" + stated)));
        assertThat(read.actMillis()).isEqualTo(actMillis);
        assertThat(read.touched().actMillis()).isEqualTo(actMillis);
    }

    @Test
    void aTicketStatesNoUsualTime() {
        assertThat(TICKET.actMillis()).isEqualTo(2_000);
        assertThat(TICKET.acting(2_000)).isEqualTo(TICKET);
        assertThat(text(TICKET.acting(6_500).toBytes())).contains("\"act_ms\":6500");
    }

    /** A page links to it, so it must not be that of a script. */
    @Test
    void theAddressOfAGatewaysPageIsOneOfTheWeb() {
        assertThat(page("https://gate-2.example:6389/")).isEqualTo("https://gate-2.example:6389/");
        assertThat(page("javascript:alert(1)//https://")).isEmpty();
        assertThat(page("https://" + "x".repeat(300))).isEmpty();
    }

    private static String page(String written) {
        return GatewayMark.of("gw-b-1", ("{\"v\":1,\"page\":\"" + written + "\"}").getBytes(UTF_8))
                .page();
    }

    /**
     * A gateway's name is a node name, escaped, followed by eight digits; the mark has room for the
     * longest.
     */
    @Test
    void theLongestNameOfAGatewayFits() {
        String process = Names.process("~".repeat(256), "01234567");
        HolderMark longest = HolderMark.of(process, "0123456789abcdef", Long.MIN_VALUE, Long.MAX_VALUE)
                .renewed(Long.MAX_VALUE, Long.MAX_VALUE);
        assertThat(HolderMark.parse(longest.toBytes())).isEqualTo(longest);
        TicketMark ticket = new TicketMark(process, Kind.SEMAPHORE, Long.MAX_VALUE, Long.MAX_VALUE);
        assertThat(TicketMark.parse(ticket.toBytes())).isEqualTo(ticket);
    }

    private static String text(byte[] value) {
        return new String(value, UTF_8);
    }

    private static byte[] with(byte[] value, String more) {
        String text = text(value);
        return (text.substring(0, text.length() - 1) + "," + more + "}").getBytes(UTF_8);
    }

    /** A newer gateway may have written them. */
    @Test
    void unknownFieldsAreKept() {
        byte[] newer = with(MARK.toBytes(), "\"later\":{\"a\":[1,null]},\"none\":null");
        HolderMark known = requireNonNull(HolderMark.parse(newer));
        assertThat(known.isOf(SALT)).isTrue();
        assertThat(text(known.renewed(17, 1).toBytes())).contains("\"later\":{\"a\":[1,null]},\"none\":null");
        TicketMark ticket = requireNonNull(TicketMark.parse(with(TICKET.toBytes(), "\"later\":7")));
        assertThat(text(ticket.touched().toBytes())).contains("\"later\":7");
        ClusterRecord record = requireNonNull(ClusterRecord.parse(with(
                ClusterRecord.of("a", "1", new SharedSettings(0, "list", "map"), 0)
                        .toBytes(),
                "\"later\":{\"a\":1}")));
        assertThat(text(record.checked(5).toBytes())).contains("\"later\":{\"a\":1}");
    }

    /** Two clocks that run at different speeds differ by more after a long lease. */
    @ParameterizedTest
    @CsvSource({"1000, 2001", "30000, 31030", "86400000, 86487400"})
    void theGraceGrowsWithTheLease(long leaseMillis, long unrenewedMillis) {
        HolderMark held = HolderMark.of("gw", "nonce", SALT, leaseMillis);
        assertThat(held.unrenewedNanos()).isEqualTo(unrenewedMillis * 1_000_000);
    }

    /**
     * How long a slot counts as held after its session has ended. An older gateway that renews a
     * detached grant for longer changes only the lease in the mark.
     */
    @ParameterizedTest
    @CsvSource({
        "30000, 10000, false, 11010",
        "30000, 0, false, 6005",
        "300000, 10000, true, 301300",
        "10000, 300000, true, 301300",
        "9223372036854775807, 10000, true, 3156753601000"
    })
    void aSlotIsTrustedForItsTtlAndADetachedOneForItsLeaseToo(
            long leaseMillis, long ttlMillis, boolean detached, long trustedMillis) {
        HolderMark held =
                HolderMark.of("gw", "nonce", SALT, leaseMillis).from(new SessionOrigin("node", ttlMillis, detached));
        assertThat(held.trustedNanos(5_000)).isEqualTo(trustedMillis * 1_000_000);
    }

    private static ClientMark client(@Nullable String name, @Nullable String address, @Nullable String token) {
        return new ClientMark(42, new ClientDescription(Via.SESSION, name, address, token), 1_772_366_416);
    }

    private static @Nullable ClientMark read(byte[] mark) {
        return requireNonNull(HolderMark.parse(mark)).client();
    }

    private static @Nullable ClientMark read(String fields) {
        return read(with(MARK.toBytes(), fields));
    }

    private static ClientDescription described(String field, String value) {
        return requireNonNull(read("\"client\":{\"" + field + "\":\"" + value + "\"}"))
                .description();
    }

    @Test
    void marksAndTicketsTellTheirClientAndKeepItWhenTheyAreRewritten() {
        ClientMark client = client("ci-7", "192.0.2.7:51044", "ci");
        String fields = ",\"client\":{\"id\":42,\"via\":\"session\",\"name\":\"ci-7\",\"addr\":\"192.0.2.7:51044\","
                + "\"token_name\":\"ci\"},\"since\":1772366416";
        HolderMark mark = MARK.to(client);
        assertThat(mark.toBytes()).asString(UTF_8).contains(fields);
        assertThat(read(mark.toBytes())).isEqualTo(client);
        assertThat(read(mark.renewed(7, 1_000).toBytes())).isEqualTo(client);
        TicketMark ticket = TICKET.of(client);
        assertThat(ticket.toBytes()).asString(UTF_8).contains(fields);
        assertThat(requireNonNull(TicketMark.parse(ticket.toBytes())).touched().client())
                .isEqualTo(client);
    }

    @Test
    void whatIsNotKnownIsNotWritten() {
        byte[] written = MARK.to(new ClientMark(42, new ClientDescription(Via.SESSION, null, null, null), 0))
                .toBytes();
        assertThat(written).asString(UTF_8).endsWith(",\"client\":{\"id\":42,\"via\":\"session\"}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"client\":null",
                "\"client\":7",
                "\"client\":\"ci\"",
                "\"client\":[]",
                "\"client\":null,\"since\":null"
            })
    void anotherValueIsNoClient(String fields) {
        assertThat(read(fields)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"client\":{}",
                "\"client\":{\"id\":null,\"via\":null,\"name\":null,\"addr\":null,\"token_name\":null},\"since\":null",
                "\"client\":{\"id\":\"x\",\"via\":1,\"name\":[],\"addr\":{}},\"since\":\"now\"",
                "\"client\":{\"via\":\"smoke\",\"name\":\"\",\"addr\":\"\"},\"since\":-1",
                "\"client\":{\"name\":\"\\u0000\",\"addr\":\"\\u202e\"},\"since\":253402300800",
                "\"client\":{\"id\":-1,\"name\":7},\"since\":0"
            })
    void whatIsMalformedIsNotKnown(String fields) {
        assertThat(read(fields)).isEqualTo(new ClientMark(0, NOTHING, 0));
    }

    @ParameterizedTest
    @CsvSource({"name, ü, 64", "name, x, 128", "addr, 1, 96", "token_name, x, 64"})
    void whatIsTooLongIsNotKnown(String field, String unit, int most) {
        assertThat(described(field, unit.repeat(most)).toString()).contains("=" + unit.repeat(most));
        assertThat(described(field, unit.repeat(most) + "x")).isEqualTo(NOTHING);
    }

    @Test
    void aHolderCostsSoManyBytesMore() {
        int plain = MARK.toBytes().length;
        assertThat(MARK.to(client(null, "192.0.2.7:51044", null)).toBytes().length - plain)
                .isEqualTo(79);
        ClientMark longest = new ClientMark(
                Long.MAX_VALUE,
                new ClientDescription(Via.CONNECTION, "\"".repeat(128), "1".repeat(96), "\"".repeat(64)),
                1_772_366_416);
        byte[] written = MARK.to(longest).toBytes();
        assertThat(written.length - plain).isLessThan(650);
        assertThat(read(written)).isEqualTo(longest);
    }
}
