package io.flockgate.example.fencing;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** A writer in its own process, so that it can be paused. */
final class WriterProcess implements AutoCloseable {
    private final String name;
    private final Consumer<String> out;
    private final Process process;
    private final BufferedReader said;

    WriterProcess(String name, URI server, URI ledger, Consumer<String> out) throws IOException {
        this.name = name;
        this.out = out;
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = System.getProperty("java.class.path");
        this.process = new ProcessBuilder(List.of(
                        java,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath,
                        Writer.class.getName(),
                        server.toString(),
                        ledger.toString(),
                        name))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.said = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Waits until the writer has reported its next step. */
    void next() throws IOException {
        String step = said.readLine();
        if (step == null) {
            throw new IOException(name + " ended early");
        }
        out.accept(name + " " + step);
    }

    /** Lets the writer continue to its write. */
    void proceed() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    void pause() throws IOException, InterruptedException {
        signal("STOP");
        out.accept(name + " is paused");
    }

    void resume() throws IOException, InterruptedException {
        signal("CONT");
        out.accept(name + " goes on");
    }

    private void signal(String signal) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("kill -" + signal + " ended with " + status);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
