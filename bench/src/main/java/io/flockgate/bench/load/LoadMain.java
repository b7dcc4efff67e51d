package io.flockgate.bench.load;

import io.flockgate.bench.BenchException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import joptsimple.OptionException;

/** The load driver's command: exit 0 with a line of JSON, 1 when a run failed, 2 on bad options. */
public final class LoadMain {
    private LoadMain() {}

    /** Runs one load, prints its report on standard output and ends the process. */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(run(args, out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        Settings settings;
        try {
            settings = new LoadOptions().parse(args);
        } catch (OptionException | IllegalArgumentException e) {
            err.println("load: " + e.getMessage());
            return 2;
        }
        try {
            out.println(new LoadRun(settings).run().json());
            return 0;
        } catch (BenchException e) {
            err.println("load: " + e.getMessage());
        } catch (IOException e) {
            err.println("load: " + settings.address() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            err.println("load: interrupted");
        }
        return 1;
    }
}
