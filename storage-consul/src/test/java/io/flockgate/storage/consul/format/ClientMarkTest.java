package io.flockgate.storage.consul.format;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.storage.ClientDescription;
import io.flockgate.storage.ClientDescription.Via;
import io.flockgate.storage.Kind;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientMarkTest {
    private static final ClientDescription NOTHING = new ClientDescription(Via.OTHER, null, null, null);
    private static final HolderMark MARK = HolderMark.of("gw-a-0", "c3f2770f606fdab9", 7, 60_000);
    private static final TicketMark TICKET = new TicketMark("gw-a-0", Kind.LOCK, 1, 0);

    private static ClientMark client(@Nullable String name, @Nullable String address, @Nullable String token) {
        return new ClientMark(42, new ClientDescription(Via.SESSION, name, address, token), 1_772_366_416);
    }

    private static @Nullable ClientMark read(byte[] mark) {
        return requireNonNull(HolderMark.parse(mark)).client();
    }

    private static @Nullable ClientMark read(String fields) {
        String plain = new String(MARK.toBytes(), UTF_8);
        return read((plain.substring(0, plain.length() - 1) + "," + fields + "}").getBytes(UTF_8));
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
