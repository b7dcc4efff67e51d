package io.flockgate.gateway.server;

import io.flockgate.testsupport.GatewayProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** The memory of a gateway process that was started with {@link #OPTION}. */
public final class JvmMemory {
    /** Lets the JVM listen for commands from its start. */
    public static final String OPTION = "-XX:+StartAttachListener";

    private static final Pattern USED = Pattern.compile("used (\\d+)K");

    private JvmMemory() {}

    /** The bytes in use after a full collection. */
    public static long usedBytes(GatewayProcess process) {
        String unused = ask(process, "GC.run");
        return 1024
                * USED.matcher(ask(process, "GC.heap_info"))
                        .results()
                        .mapToLong(found -> Long.parseLong(found.group(1)))
                        .sum();
    }

    /** Asks as the JDK's jcmd does, which would start a JVM of its own. */
    private static String ask(GatewayProcess process, String command) {
        var address = UnixDomainSocketAddress.of("/tmp/.java_pid" + process.pid());
        byte[] request = ("1\0jcmd\0" + command + "\0\0\0").getBytes(StandardCharsets.US_ASCII);
        try (SocketChannel jvm = SocketChannel.open(address)) {
            int unused = jvm.write(ByteBuffer.wrap(request));
            return new String(Channels.newInputStream(jvm).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
