package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks the width of Javadoc, which the formatter leaves as it is. */
class JavadocWidthTest {
    private static final int COLUMNS = 100;

    @Test
    void javadocHasAtMostOneHundredColumns() throws Exception {
        List<String> wide = new ArrayList<>();
        List<Path> sources = Repository.files(".java");
        assertThat(sources).hasSizeGreaterThan(1_000);
        for (Path file : sources) {
            wide.addAll(wideLines(file));
        }
        assertThat(wide).isEmpty();
    }

    /** Code in a snippet may be wider, because the formatter of the code decides there. */
    private static List<String> wideLines(Path file) throws IOException {
        List<String> wide = new ArrayList<>();
        boolean code = false;
        for (String line : Files.readAllLines(file)) {
            String text = line.strip();
            boolean javadoc = text.startsWith("*") || text.startsWith("/**");
            code = javadoc && !text.equals("* }") && (code || text.contains("{@snippet"));
            if (javadoc && !code && line.length() > COLUMNS) {
                wide.add(file + ": " + line);
            }
        }
        return wide;
    }
}
