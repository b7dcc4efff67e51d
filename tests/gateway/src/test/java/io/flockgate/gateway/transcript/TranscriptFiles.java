package io.flockgate.gateway.transcript;

import io.flockgate.testsupport.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds the transcripts: separate files, and the fenced blocks of the pages. */
final class TranscriptFiles {
    private static final String FENCE = "```";
    private static final String OPENING = FENCE + "transcript ";

    private TranscriptFiles() {}

    /** {@code protocol-docs} of the checkout this test runs in. */
    static Path docs() {
        return Repository.file("protocol-docs");
    }

    static List<Transcript> all() throws IOException {
        List<Transcript> all = new ArrayList<>();
        for (String page : List.of("line-protocol.md", "rest-api.md", "fleetlock.md")) {
            if (Files.exists(docs().resolve(page))) {
                all.addAll(inPage(docs().resolve(page)));
            }
        }
        try (Stream<Path> files = Files.list(docs().resolve("transcripts"))) {
            for (Path file :
                    files.filter(f -> f.toString().endsWith(".txt")).sorted().toList()) {
                String name = file.getFileName().toString();
                all.add(TranscriptParser.parse(name, name, 1, Files.readAllLines(file)));
            }
        }
        return all;
    }

    /** The blocks of a page that begin with {@code ```transcript <name>}. */
    static List<Transcript> inPage(Path page) throws IOException {
        List<Transcript> found = new ArrayList<>();
        List<String> lines = Files.readAllLines(page);
        String file = page.getFileName().toString();
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).startsWith(FENCE)) {
                continue;
            }
            int end = i + 1 + lines.subList(i + 1, lines.size()).indexOf(FENCE);
            if (end == i) {
                throw new IllegalArgumentException(file + ":" + (i + 1) + ": a block without end");
            }
            List<String> block = lines.subList(i + 1, end);
            if (lines.get(i).startsWith(OPENING)) {
                String name = file + ": " + lines.get(i).substring(OPENING.length());
                found.add(TranscriptParser.parse(name, file, i + 2, block));
            } else {
                refuseTraffic(file, i + 2, block);
            }
            i = end;
        }
        return found;
    }

    /** What looks like a transcript must be run. */
    private static void refuseTraffic(String file, int firstLine, List<String> block) {
        for (int i = 0; i < block.size(); i++) {
            if (block.get(i).matches("[A-Z][0-9]?(>>|>|<|:).*")) {
                throw new IllegalArgumentException(file + ":" + (firstLine + i) + ": not in a transcript block");
            }
        }
    }
}
