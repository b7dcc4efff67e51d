package io.flockgate.gateway.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientHelloTest {
    private static final int SCHEMES = 13;
    private static final int AUTHORITIES = 47;

    private static @Nullable String fault(byte[] record) {
        return ClientHello.fault(ByteBuffer.wrap(record));
    }

    /** A record with a ClientHello that has this extension only. */
    private static byte[] hello(int type, byte[] extension) {
        return hello(extension(type, extension));
    }

    private static byte[] hello(byte[]... extensions) {
        int length = Arrays.stream(extensions).mapToInt(each -> each.length).sum();
        ByteBuffer body = ByteBuffer.allocate(2 + 32 + 1 + 4 + 2 + 2 + length);
        body.putShort((short) 0x0303).position(34);
        body.put((byte) 0).putShort((short) 2).putShort((short) 0x1301);
        body.put((byte) 1).put((byte) 0);
        body.putShort((short) length);
        for (byte[] each : extensions) {
            body.put(each);
        }
        return record(1, body.array());
    }

    private static byte[] extension(int type, byte[] content) {
        ByteBuffer extension = ByteBuffer.allocate(4 + content.length);
        return extension
                .putShort((short) type)
                .putShort((short) content.length)
                .put(content)
                .array();
    }

    private static byte[] record(int message, byte[] body) {
        ByteBuffer record = ByteBuffer.allocate(5 + 4 + body.length);
        record.put((byte) 22).putShort((short) 0x0301).putShort((short) (4 + body.length));
        record.put((byte) message).put((byte) (body.length >> 16)).putShort((short) body.length);
        return record.put(body).array();
    }

    private static byte[] schemes(int... schemes) {
        ByteBuffer list = ByteBuffer.allocate(2 + 2 * schemes.length);
        list.putShort((short) (2 * schemes.length));
        for (int scheme : schemes) {
            list.putShort((short) scheme);
        }
        return list.array();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void theHelloOfAnUsualClientIsAccepted(String protocol) throws Exception {
        SSLEngine client = SSLContext.getDefault().createSSLEngine("localhost", 6388);
        client.setUseClientMode(true);
        client.setEnabledProtocols(new String[] {protocol});
        ByteBuffer record = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
        var unused = client.wrap(ByteBuffer.allocate(0), record);
        byte[] bytes = new byte[record.flip().remaining()];
        record.get(bytes);

        assertThat(fault(bytes)).isNull();
    }

    @Test
    void aHelloCutAnywhereIsRefused() {
        byte[] hello = hello(SCHEMES, schemes(0x0804, 0x0403));
        assertThat(fault(hello)).isNull();
        for (int length = 1; length < hello.length; length++) {
            assertThat(fault(Arrays.copyOf(hello, length)))
                    .as("%s bytes", length)
                    .isNotNull();
        }
    }

    @Test
    void aMessageBehindTheHelloIsRefused() {
        byte[] hello = hello(SCHEMES, schemes(0x0804));
        assertThat(fault(Arrays.copyOf(hello, hello.length + 1))).contains("not alone");
    }

    @Test
    void signatureSchemesAreLimitedAndDistinct() {
        int[] most = IntStream.rangeClosed(1, ClientHello.MAX_SCHEMES).toArray();
        int[] more = IntStream.rangeClosed(0, ClientHello.MAX_SCHEMES).toArray();
        for (int type : new int[] {SCHEMES, 50}) {
            assertThat(fault(hello(type, schemes(most)))).isNull();
            assertThat(fault(hello(type, schemes(more)))).contains("too many signature schemes");
            assertThat(fault(hello(type, schemes(0x0804, 0x0403, 0x0804)))).contains("repeated signature schemes");
        }
    }

    @Test
    void authoritiesAreLimited() {
        assertThat(fault(hello(AUTHORITIES, new byte[ClientHello.MAX_AUTHORITIES_BYTES])))
                .isNull();
        assertThat(fault(hello(AUTHORITIES, new byte[ClientHello.MAX_AUTHORITIES_BYTES + 1])))
                .contains("certificate authorities");
    }

    @Test
    void theWholeHelloIsLimited() {
        int around = hello(21, new byte[0]).length - 9;
        assertThat(fault(hello(21, new byte[ClientHello.MAX_BYTES - around]))).isNull();
        assertThat(fault(hello(21, new byte[ClientHello.MAX_BYTES - around + 1])))
                .contains("too long");
    }

    @Test
    void anotherHandshakeMessageIsRefusedAndOtherRecordsAreLeftToTheEngine() {
        assertThat(fault(record(11, new byte[10]))).contains("not ClientHello");
        assertThat(fault(new byte[] {20, 3, 3, 0, 1, 1})).isNull();
        assertThat(fault(new byte[] {21, 3, 3, 0, 2, 1, 0})).isNull();
    }

    /** The first one has no share of a key, so that the engine requests another ClientHello. */
    @Test
    void theSecondHelloIsCheckedToo() throws Exception {
        byte[] version = extension(43, new byte[] {2, 3, 4});
        byte[] group = extension(10, new byte[] {0, 2, 0, 0x1d});
        byte[] noShare = extension(51, new byte[] {0, 0});
        DataEngine engine = DataEngineTest.engine();
        ByteBuffer target = ByteBuffer.allocate(20_000);

        var unused = engine.unwrap(
                ByteBuffer.wrap(hello(version, group, noShare, extension(SCHEMES, schemes(0x0804, 0x0403)))), target);
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
        var unusedToo = engine.wrap(ByteBuffer.allocate(0), target);
        assertThat(target.flip().get()).as("a handshake record").isEqualTo((byte) 22);

        byte[] second = hello(version, group, noShare, extension(SCHEMES, schemes(0x0804, 0x0804)));
        assertThatThrownBy(() -> engine.unwrap(ByteBuffer.wrap(second), ByteBuffer.allocate(20_000)))
                .isInstanceOf(SSLException.class)
                .hasMessageContaining("repeated signature schemes");
    }
}
