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
import org.junit.jupiter.params.provider.ValueSource;

class ClientMarkTest {
    private static final ClientMark CLIENT =
            new ClientMark(42, new ClientDescription(Via.SESSION, "ci-7", "192.0.2.7:51044", null), 1_772_366_416);
    private static final String FIELDS =
            "\"client\":{\"id\":42,\"via\":\"session\",\"name\":\"ci-7\",\"addr\":\"192.0.2.7:51044\"},\"since\":1772366416";

    private static HolderMark mark() {
        return HolderMark.of("gw-a-0", "c3f2770f606fdab9", 7, 60_000, true);
    }

    private static TicketMark ticket() {
        return new TicketMark("gw-a-0", Kind.LOCK, 1, 0);
    }

    private static HolderMark holderWith(String fields) {
        String plain = text(mark().toBytes());
        return requireNonNull(HolderMark.parse(bytes(plain.substring(0, plain.length() - 1) + "," + fields + "}")));
    }

    private static String text(byte[] value) {
        return new String(value, UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static @Nullable ClientMark read(byte[] mark) {
        return requireNonNull(HolderMark.parse(mark)).client();
    }

    @Test
    void marksAndTicketsTellTheirClient() {
        assertThat(text(mark().to(CLIENT).toBytes())).contains("," + FIELDS);
        assertThat(read(mark().to(CLIENT).toBytes())).isEqualTo(CLIENT);
        byte[] ticket = ticket().of(CLIENT).toBytes();
        assertThat(text(ticket)).contains("," + FIELDS);
        assertThat(requireNonNull(TicketMark.parse(ticket)).client()).isEqualTo(CLIENT);
    }

    @Test
    void marksAndTicketsTellTheNameOfTheToken() {
        ClientMark client = new ClientMark(42, new ClientDescription(Via.SESSION, null, null, "ci"), 0);
        byte[] written = mark().to(client).toBytes();
        assertThat(text(written)).contains(",\"client\":{\"id\":42,\"via\":\"session\",\"token_name\":\"ci\"}");
        assertThat(read(written)).isEqualTo(client);
        assertThat(requireNonNull(TicketMark.parse(ticket().of(client).toBytes()))
                        .client())
                .isEqualTo(client);
        String longest = "x".repeat(64);
        assertThat(described("\"token_name\":\"" + longest + "\"").description().tokenName())
                .isEqualTo(longest);
        assertThat(described("\"token_name\":\"" + longest + "x\"")
                        .description()
                        .tokenName())
                .isNull();
    }

    @Test
    void aClientStaysWhenAMarkIsRewritten() {
        HolderMark read = requireNonNull(HolderMark.parse(mark().to(CLIENT).toBytes()));
        assertThat(read(read.renewed(7, 1_000, false).toBytes())).isEqualTo(CLIENT);
        TicketMark ticket = requireNonNull(TicketMark.parse(ticket().of(CLIENT).toBytes()));
        assertThat(ticket.touched().client()).isEqualTo(CLIENT);
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
        assertThat(holderWith(fields).client()).isNull();
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
        assertThat(holderWith(fields).client())
                .isEqualTo(new ClientMark(0, new ClientDescription(Via.OTHER, null, null, null), 0));
    }

    @Test
    void whatIsTooLongIsNotKnown() {
        String name = "\u00fc".repeat(64);
        assertThat(named(name).description().name()).isEqualTo(name);
        assertThat(named(name + "x").description().name()).isNull();
        assertThat(named("x".repeat(128)).description().name()).hasSize(128);
        assertThat(named("x".repeat(129)).description().name()).isNull();
        String address = "\"client\":{\"addr\":\"%s\"}";
        assertThat(requireNonNull(holderWith(address.formatted("1".repeat(96))).client())
                        .description()
                        .address())
                .hasSize(96);
        assertThat(requireNonNull(holderWith(address.formatted("1".repeat(97))).client())
                        .description()
                        .address())
                .isNull();
    }

    private static ClientMark named(String name) {
        return described("\"name\":\"" + name + "\"");
    }

    private static ClientMark described(String fields) {
        return requireNonNull(holderWith("\"client\":{" + fields + "}").client());
    }

    @Test
    void aHolderCostsSoManyBytesMore() {
        int plain = mark().toBytes().length;
        ClientMark unnamed =
                new ClientMark(42, new ClientDescription(Via.SESSION, null, "192.0.2.7:51044", null), 1_772_366_416);
        assertThat(mark().to(unnamed).toBytes().length - plain).isEqualTo(79);
        ClientMark longest = new ClientMark(
                Long.MAX_VALUE,
                new ClientDescription(Via.CONNECTION, "\"".repeat(128), "1".repeat(96), "\"".repeat(64)),
                1_772_366_416);
        byte[] written = mark().to(longest).toBytes();
        assertThat(written.length - plain).isLessThan(650);
        assertThat(read(written)).isEqualTo(longest);
    }
}
