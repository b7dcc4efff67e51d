package io.flockgate.example.fencing;

import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.function.Consumer;

/**
 * Two writers and a ledger, on a system with the command {@code kill}:
 *
 * <ol>
 *   <li>The first writer takes the lease and is paused before it writes.
 *   <li>Its lease ends. The second writer takes the lease, with a higher fence, and writes.
 *   <li>The first writer resumes and writes. The ledger refuses the write because its fence is too
 *       old.
 * </ol>
 */
public final class Scene {
    private Scene() {}

    /** Takes the address of a lock server, such as {@code flockgate://127.0.0.1:6388}. */
    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> lines = play(URI.create(args[0]), System.out::println);
        System.out.println("the ledger has the lines of " + lines);
    }

    /** Reports each step, and returns the lines of the ledger. */
    static List<String> play(URI server, Consumer<String> out) throws IOException, InterruptedException {
        Ledger ledger = new Ledger();
        try (LedgerServer http = new LedgerServer(ledger);
                WriterProcess first = new WriterProcess("first", server, http.address(), out)) {
            first.next();
            first.pause();
            writeMeanwhile(server, http.address(), out);
            first.resume();
            first.proceed();
            first.next();
            first.next();
            return ledger.lines();
        }
    }

    private static void writeMeanwhile(URI server, URI ledger, Consumer<String> out) throws IOException {
        try (WriterProcess second = new WriterProcess("second", server, ledger, out)) {
            second.next();
            second.proceed();
            second.next();
            second.next();
        }
    }
}
