package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class DataDirectoryTest {
    private static Vertx vertx;

    @TempDir
    Path root;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    static void stop() {
        Await.done(vertx.close());
    }

    private static Future<RosterStorage> open(Vertx vertx, Optional<Path> directory) {
        RosterProvider provider = ServiceLoader.load(RosterProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals("memory"))
                .findFirst()
                .orElseThrow();
        OptionValues options = new OptionValues(
                directory.map(path -> Map.of("data-dir", path.toString())).orElse(Map.of()));
        return provider.open(new RosterSettings(vertx, InstantSource.system(), "node", options));
    }

    private Path parent() {
        return root.resolve("made");
    }

    private Path directory() {
        return parent().resolve("data");
    }

    private RosterStorage opened() {
        return Await.result(open(vertx, Optional.of(directory())));
    }

    private String refused(Path where) {
        Future<RosterStorage> opening = open(vertx, Optional.of(where));
        Await.completed(opening);
        assertThat(opening.failed()).isTrue();
        return String.valueOf(opening.cause().getMessage());
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void isMadeForItsOwnerOnly() throws IOException {
        RosterStorage rosters = opened();
        Await.done(Rosters.join(rosters, "a"));

        assertThat(mode(directory())).isEqualTo("rwx------");
        assertThat(mode(parent())).isEqualTo("rwx------");
        assertThat(mode(directory().resolve("fleetlock/g.json"))).isEqualTo("rw-------");
        assertThat(mode(directory().resolve("fleetlock/fleetlock.lock"))).isEqualTo("rw-------");
        Await.done(rosters.close());
    }

    @Test
    void isNotNeededByVolatileRosters() {
        RosterStorage rosters = Await.result(open(vertx, Optional.empty()));
        Await.done(Rosters.join(rosters, "a"));
        assertThat(Rosters.members(rosters)).containsExactly("a");
        Await.done(rosters.close());
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void isRefusedWhereItIsNone() throws IOException {
        Path file = Files.createFile(root.resolve("file"));

        assertThat(refused(file)).contains(file.toString());
        assertThat(refused(file.resolve("below"))).contains(file.toString());
    }

    @Test
    void thatIsNotWritableIsRefused() throws IOException {
        Path locked = Files.createDirectory(root.resolve("locked"));
        Files.createDirectories(locked.resolve("fleetlock/fleetlock.lock"));

        assertThat(refused(locked))
                .startsWith("cannot use the data directory " + locked.resolve("fleetlock") + ": ")
                .doesNotContain("fleetlock.lock");
    }

    @Test
    void hasRoomForOneOpenerAtATime() {
        RosterStorage first = opened();
        assertThat(refused(directory())).contains(directory().toString()).contains("in use by another process");
        assertThat(Await.result(Rosters.join(first, "a"))).isNotNull();
        Await.done(first.close());

        RosterStorage second = opened();
        assertThat(Rosters.members(second)).containsExactly("a");
        Await.done(second.close());
    }
}
