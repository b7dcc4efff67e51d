package io.flockgate.bench.load;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** The load driver's command: exit 0 with a report, 1 when a run failed, 2 on bad options. */
public final class LoadMain {
    private LoadMain() {}

    /** Runs one load, prints its report on standard output and ends the process. */
    public static void main(String[] args) {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.exit(run(args, out, System.err));
    }

    static int run(String[] args, PrintStream out, PrintStream err) {
        LoadOptions options = new LoadOptions();
        CommandLine line = new CommandLine(options)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        Settings settings;
        try {
            line.parseArgs(args);
            if (line.isUsageHelpRequested()) {
                line.usage(line.getOut());
                return 0;
            }
            settings = options.settings();
        } catch (CommandLine.ParameterException e) {
            err.println("load: " + e.getMessage());
            return 2;
        }
        return run(settings, options.json, out, err);
    }

    private static int run(Settings settings, boolean json, PrintStream out, PrintStream err) {
        try {
            Report report = new Report(new LoadRun(settings).run());
            out.print(json ? report.json() + "\n" : report.text());
            out.flush();
            return 0;
        } catch (LoadException e) {
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
