package io.flockgate.storage.memory.roster;

import static org.assertj.core.api.Assertions.assertThat;

import io.flockgate.options.OptionValues;
import io.flockgate.roster.RosterProvider.RosterSettings;
import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MemoryRosterProviderTest {
    private static final Vertx VERTX = Vertx.vertx();

    private static Future<RosterStorage> open(Path directory) {
        OptionValues options = new OptionValues(Map.of("data-dir", directory.toString()));
        return new MemoryRosterProvider().open(new RosterSettings(VERTX, InstantSource.system(), "node", options));
    }

    @Test
    void aDirectoryServesOneProcessAtATimeAndKeepsItsMembers(@TempDir Path root) {
        RosterStorage first = Await.result(open(root));
        Future<RosterStorage> second = open(root);
        Await.completed(second);
        assertThat(second.cause()).hasMessageContaining(root.toString()).hasMessageContaining("in use by another");
        Await.done(Rosters.join(first, "a"));
        List.of("..", ".", "G", "-").forEach(group -> Await.done(first.pause(group, "why")));
        Await.done(first.close());

        RosterStorage third = Await.result(open(root));
        assertThat(Rosters.members(third)).containsExactly("a");
        assertThat(Await.result(third.readAll())).containsOnlyKeys(Rosters.GROUP, "..", ".", "G", "-");
        Await.done(third.close());
    }
}
