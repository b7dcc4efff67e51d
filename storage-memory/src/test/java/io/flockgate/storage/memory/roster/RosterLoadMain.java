package io.flockgate.storage.memory.roster;

import io.flockgate.roster.RosterStorage;
import io.flockgate.storage.tck.Await;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A process that joins members endlessly, lets every second member leave again, and prints the
 * answers line by line.
 */
final class RosterLoadMain {
    private static final int WORKERS = 8;

    private RosterLoadMain() {}

    @SuppressWarnings("SystemOut") // the answers go to standard output
    public static void main(String[] arguments) {
        RosterStorage rosters = Await.result(DataDirectoryTest.open(Vertx.vertx(), Optional.of(Path.of(arguments[0]))));
        for (int worker = 0; worker < WORKERS; worker++) {
            String name = "w" + worker;
            Thread.ofPlatform().start(() -> work(rosters, name));
        }
    }

    private static void work(RosterStorage rosters, String name) {
        for (int i = 0; ; i++) {
            String id = name + "-" + i;
            Await.done(Rosters.join(rosters, id));
            say("J " + id);
            if (i % 2 == 0) {
                Await.done(Rosters.leave(rosters, id));
                say("L " + id);
            }
        }
    }

    private static void say(String line) {
        System.out.println(line + ".");
    }
}
