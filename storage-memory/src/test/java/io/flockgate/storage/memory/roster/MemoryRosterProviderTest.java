package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MemoryRosterProviderTest {
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

    private RosterStorage opened() {
        return Await.result(open(vertx, Optional.of(root)));
    }

    private String refused(Path where) {
        Future<RosterStorage> opening = open(vertx, Optional.of(where));
        Await.completed(opening);
        assertThat(opening.failed()).isTrue();
        return String.valueOf(opening.cause().getMessage());
    }

    @Test
    void volatileRostersNeedNoDirectory() {
        RosterStorage rosters = Await.result(open(vertx, Optional.empty()));
        Await.done(Rosters.join(rosters, "a"));
        assertThat(Rosters.members(rosters)).containsExactly("a");
        Await.done(rosters.close());
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void aDirectoryServesOneProcessAtATimeAndKeepsItsMembers() {
        RosterStorage first = opened();
        assertThat(refused(root)).contains(root.toString()).contains("in use by another process");
        Await.done(Rosters.join(first, "a"));
        List.of("..", ".", "G", "-").forEach(group -> Await.done(first.pause(group, "why")));
        Await.done(first.close());

        RosterStorage second = opened();
        assertThat(Rosters.members(second)).containsExactly("a");
        assertThat(Await.result(second.readAll())).containsOnlyKeys(Rosters.GROUP, "..", ".", "G", "-");
        Await.done(second.close());
    }
}
