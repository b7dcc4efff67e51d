package io.flockgate.storage.consul;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.flockgate.file.Directories;
import io.flockgate.storage.consul.json.JsonException;
import io.flockgate.storage.consul.json.JsonValue.JsonObject;
import io.flockgate.storage.consul.json.StrictJson;
import io.flockgate.text.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that keeps the identity of the cluster and the highest fence across restarts of this
 * gateway. Blocks its thread.
 */
final class FenceMemory {
    private static final Logger LOG = LoggerFactory.getLogger(FenceMemory.class);
    private static final int MAX_BYTES = 4096;

    private final Path file;

    @GuardedBy("this")
    private Remembered saved = new Remembered("", 0);

    @GuardedBy("this")
    private boolean failed;

    /**
     * @param fence the highest fence seen, unsigned; 0 for none
     */
    record Remembered(String cluster, long fence) {}

    FenceMemory(Path file) {
        this.file = file.toAbsolutePath();
    }

    /**
     * Reads the file. Empty when it does not exist.
     *
     * @throws IllegalStateException with a message for the operator, when the file cannot be used
     */
    synchronized Optional<Remembered> load() {
        try {
            byte[] content = Files.size(file) > MAX_BYTES ? new byte[0] : Files.readAllBytes(file);
            JsonObject json = StrictJson.read(content, MAX_BYTES);
            String cluster = json.string("cluster");
            String fence = json.string("fence");
            if (cluster == null || cluster.isEmpty() || fence == null) {
                throw malformed(null);
            }
            saved = new Remembered(cluster, Long.parseUnsignedLong(fence));
            return Optional.of(saved);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("--fence-state-file: cannot read " + file + ": " + Reason.of(e), e);
        } catch (JsonException | NumberFormatException e) {
            throw malformed(e);
        }
    }

    private IllegalStateException malformed(@Nullable Throwable cause) {
        return new IllegalStateException(
                "--fence-state-file: " + file + " is no fence state of the storage consul. It is left alone", cause);
    }

    /**
     * Replaces the file if its content differs. A failure is logged once, until a write succeeds
     * again.
     */
    synchronized void save(Remembered remembered) {
        if (remembered.equals(saved)) {
            return;
        }
        try {
            write(remembered);
            saved = remembered;
            failed = false;
        } catch (IOException e) {
            if (!failed) {
                LOG.atError()
                        .addKeyValue("file", file)
                        .addKeyValue("err", Reason.of(e))
                        .log("the highest fence cannot be saved");
            }
            failed = true;
        }
    }

    private void write(Remembered remembered) throws IOException {
        byte[] content = JsonObject.builder()
                .put("cluster", remembered.cluster())
                .put("fence", Long.toUnsignedString(remembered.fence()))
                .toBytes();
        Path directory = file.resolveSibling("");
        Directories.create(directory);
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer left = ByteBuffer.wrap(content);
            while (left.hasRemaining()) {
                int unused = channel.write(left);
            }
            channel.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Directories.sync(directory);
    }
}
