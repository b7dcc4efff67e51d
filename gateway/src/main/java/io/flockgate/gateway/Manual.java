package io.flockgate.gateway;

import io.flockgate.cli.SubCommands;
import io.flockgate.gateway.manual.Completions;
import io.flockgate.gateway.manual.HelpPage;
import io.flockgate.gateway.manual.ManPage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes man pages and completions into a directory, laid out like a distribution's {@code share}.
 */
final class Manual {
    private Manual() {}

    public static void main(String[] args) throws IOException {
        Path share = Path.of(args[0]);
        List<HelpPage> pages = pages();
        List<String> names = pages.stream().map(ManPage::name).toList();
        for (HelpPage page : pages) {
            write(share.resolve("man/man1/" + ManPage.name(page) + ".1"), ManPage.render(page, Version.text(), names));
        }
        Completions completions = new Completions(pages);
        write(share.resolve("bash-completion/completions/flockgate"), completions.bash());
        write(share.resolve("zsh/site-functions/_flockgate"), completions.zsh());
        write(share.resolve("fish/vendor_completions.d/flockgate.fish"), completions.fish());
    }

    /** The overview, then the server's page and those of the sub-commands. */
    static List<HelpPage> pages() {
        List<HelpPage> pages = new ArrayList<>();
        pages.add(HelpPage.of("", help("--help")));
        pages.add(HelpPage.of("serve", help("serve", "--help")));
        SubCommands.WORDS.forEach(command -> pages.add(HelpPage.of(command, help(command, "--help"))));
        return pages;
    }

    private static String help(String... args) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);
        int status = Main.run(List.of(args), Map.of(), out, out);
        if (status != 0) {
            throw new IllegalStateException(String.join(" ", args) + " has no help");
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
