package io.flockgate.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the links between the documents, and that what readers need first is short. */
class DocumentLinksTest {
    private static final int README_LINES = 120;
    private static final int README_WORDS = 900;
    /** A row of the map: the pages that a reader needs first, and their words at most. */
    private static final Pattern READER = Pattern.compile("\\| .* \\| (.*) \\| (\\d+) \\|");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern LINK_TEXT = Pattern.compile("\\[([^]]*)\\]\\([^)]*\\)");
    private static final Pattern CODE = Pattern.compile("``[^`]+``|`[^`]*`");

    @Test
    void everyLinkLeadsToAFileAndAHeading() throws Exception {
        List<Path> documents = Repository.files(".md");
        assertThat(documents).hasSizeGreaterThan(30);
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path document : documents) {
            for (String target : links(document)) {
                links++;
                if (!leadsSomewhere(document, target)) {
                    broken.add(Repository.ROOT.relativize(document) + ": " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(200);
    }

    @Test
    void theMapNamesEveryDocumentBelowDocsAndProtocolDocs() throws Exception {
        Path map = Repository.ROOT.resolve("docs/README.md");
        Set<Path> named = new HashSet<>(List.of(map));
        for (String target : links(map)) {
            named.add(map.resolveSibling(target.replaceFirst("#.*", "")).normalize());
        }
        assertThat(Repository.files(".md").stream()
                        .filter(document -> document.startsWith(Repository.ROOT.resolve("docs"))
                                || document.startsWith(Repository.ROOT.resolve("protocol-docs"))))
                .isSubsetOf(named);
    }

    @Test
    void theReadmeIsShort() throws Exception {
        Path readme = Repository.ROOT.resolve("README.md");
        assertThat(Files.readAllLines(readme)).hasSizeLessThanOrEqualTo(README_LINES);
        assertThat(words(readme, "README.md")).isLessThanOrEqualTo(README_WORDS);
    }

    @Test
    void whatEachReaderReadsFirstIsAsShortAsTheMapSays() throws Exception {
        Path map = Repository.ROOT.resolve("docs/README.md");
        List<MatchResult> readers = Files.readAllLines(map).stream()
                .map(READER::matcher)
                .filter(Matcher::matches)
                .map(Matcher::toMatchResult)
                .toList();
        assertThat(readers).hasSize(3);
        for (MatchResult reader : readers) {
            int words = 0;
            for (MatchResult link : LINK.matcher(reader.group(1)).results().toList()) {
                words += words(map, link.group(1));
            }
            assertThat(words).as(reader.group()).isBetween(1, Integer.parseInt(reader.group(2)));
        }
    }

    /** The words of a page, or of what comes before a heading of it. */
    private static int words(Path document, String target) throws IOException {
        String[] parts = target.split("#", 2);
        int words = 0;
        for (String line : Files.readAllLines(document.resolveSibling(parts[0]))) {
            if (parts.length == 2
                    && line.startsWith("#")
                    && anchor(line.replaceFirst("#+ +", "")).equals(parts[1])) {
                return words;
            }
            words += (int) Stream.of(line.strip().split("\\s+"))
                    .filter(word -> !word.isEmpty())
                    .count();
        }
        return words;
    }

    private static boolean leadsSomewhere(Path document, String target) throws IOException {
        if (target.matches("(https?|mailto):.*")) {
            return true;
        }
        String file = target.replaceFirst("#.*", "");
        Path path = file.isEmpty() ? document : document.resolveSibling(file).normalize();
        if (!Files.exists(path) || !path.startsWith(Repository.ROOT)) {
            return false;
        }
        int anchor = target.indexOf('#');
        return anchor < 0 || anchors(path).contains(target.substring(anchor + 1));
    }

    private static List<String> links(Path document) throws IOException {
        List<String> links = new ArrayList<>();
        for (String line : prose(document)) {
            Matcher matcher = LINK.matcher(CODE.matcher(line).replaceAll("code"));
            while (matcher.find()) {
                links.add(matcher.group(1));
            }
        }
        return links;
    }

    /** The lines outside fenced blocks. */
    private static List<String> prose(Path document) throws IOException {
        List<String> prose = new ArrayList<>();
        boolean code = false;
        for (String line : Files.readAllLines(document)) {
            if (line.strip().startsWith("```")) {
                code = !code;
            } else if (!code) {
                prose.add(line);
            }
        }
        return prose;
    }

    /** The names that GitHub and others give to headings; a repeated heading gets a number. */
    private static Set<String> anchors(Path document) throws IOException {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        for (String line : prose(document)) {
            if (line.matches("#{1,6} .*")) {
                String name = anchor(line.replaceFirst("#+ +", ""));
                int before = seen.merge(name, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? name : name + "-" + before);
            }
        }
        return anchors;
    }

    private static String anchor(String heading) {
        return LINK_TEXT
                .matcher(heading)
                .replaceAll("$1")
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
