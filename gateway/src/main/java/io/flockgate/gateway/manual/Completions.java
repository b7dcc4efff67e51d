package io.flockgate.gateway.manual;

import io.flockgate.gateway.manual.HelpPage.Part;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Creates command-line completions for bash, zsh and fish from help texts. After {@code --} they
 * complete a command.
 */
public final class Completions {
    private final HelpPage server;
    private final List<HelpPage> commands;

    /**
     * @param pages the overview, then the pages of the server and of the other commands
     */
    public Completions(List<HelpPage> pages) {
        server = pages.get(1);
        commands = List.copyOf(pages.subList(1, pages.size()));
    }

    public String bash() {
        StringBuilder out = new StringBuilder("""
                # Completion of flockgate for bash.
                _flockgate() {
                    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} options files values i
                    COMPREPLY=()
                    case ${COMP_WORDS[1]-} in
                """);
        commands.forEach(page -> bashCase(out, page.command(), page));
        bashCase(out, "*", server);
        out.append("""
                    esac
                    for ((i = 2; i < COMP_CWORD; i++)); do
                        if [[ ${COMP_WORDS[i]} == -- ]]; then
                            if ((i == COMP_CWORD - 1)); then
                                mapfile -t COMPREPLY < <(compgen -c -- "$cur")
                            else
                                mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                            fi
                            return
                        fi
                    done
                    if [[ " $files " == *" $prev "* ]]; then
                        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
                    elif [[ " $values " != *" $prev "* ]]; then
                        ((COMP_CWORD > 1)) || options="$options %s"
                        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
                    fi
                }
                complete -o filenames -F _flockgate flockgate
                """.formatted(commands.stream().map(HelpPage::command).collect(Collectors.joining(" "))));
        return out.toString();
    }

    private static void bashCase(StringBuilder out, String pattern, HelpPage page) {
        out.append("        ").append(pattern).append(")\n");
        line(out, "options", page.words() + " " + names(page, option -> true));
        line(out, "files", names(page, Part.Option::takesFile));
        line(out, "values", names(page, option -> !option.value().isEmpty()));
        out.append("            ;;\n");
    }

    private static void line(StringBuilder out, String name, String names) {
        out.append("            ").append(name).append("='").append(names).append("'\n");
    }

    private static String names(HelpPage page, Predicate<Part.Option> which) {
        return page.options().stream().filter(which).map(Part.Option::name).collect(Collectors.joining(" "));
    }

    public String zsh() {
        StringBuilder out = new StringBuilder("""
                #compdef flockgate
                # Completion of flockgate for zsh.
                _flockgate() {
                    local separator=${words[(i)--]}
                    if ((CURRENT > separator)); then
                        shift $separator words
                        ((CURRENT -= separator))
                        _normal
                        return
                    fi
                    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
                        local -a commands=(
                """);
        commands.forEach(page -> out.append("            ")
                .append(quoted(page.command() + ":" + page.summary()))
                .append('\n'));
        out.append("""
                        )
                        _describe command commands
                        return
                    fi
                    case $words[2] in
                """);
        commands.forEach(page -> zshCase(out, page.command(), page));
        zshCase(out, "*", server);
        return out.append("""
                    esac
                }
                _flockgate "$@"
                """).toString();
    }

    private static void zshCase(StringBuilder out, String pattern, HelpPage page) {
        out.append("        ").append(pattern).append(")\n            _arguments \\\n");
        for (Part.Option option : page.options()) {
            String value = option.value().isEmpty() ? "" : ":value:" + (option.takesFile() ? "_files" : "");
            String text = description(option).replace("[", "(").replace("]", ")");
            out.append("                ")
                    .append(quoted("*" + option.name() + "[" + text.replace(":", "\\:") + "]" + value))
                    .append(" \\\n");
        }
        String words = page.words().isEmpty() ? "_files" : "(" + page.words() + ")";
        out.append("                '*:word:").append(words).append("'\n            ;;\n");
    }

    public String fish() {
        StringBuilder out = new StringBuilder("# Completion of flockgate for fish.\ncomplete -c flockgate -f\n");
        String words = commands.stream().map(HelpPage::command).collect(Collectors.joining(" "));
        for (HelpPage page : commands) {
            out.append("complete -c flockgate -n __fish_use_subcommand -a ")
                    .append(page.command())
                    .append(" -d ")
                    .append(fishQuoted(page.summary()))
                    .append('\n');
            String seen = "__fish_seen_subcommand_from " + page.command();
            if (!page.words().isEmpty()) {
                out.append("complete -c flockgate -n '%s; and not __fish_seen_subcommand_from %s' -a '%s'\n"
                        .formatted(seen, page.words(), page.words()));
            }
            fishOptions(out, seen, page);
        }
        fishOptions(out, "not __fish_seen_subcommand_from " + words, server);
        return out.toString();
    }

    private static void fishOptions(StringBuilder out, String condition, HelpPage page) {
        for (Part.Option option : page.options()) {
            out.append("complete -c flockgate -n '").append(condition).append("' -l ");
            out.append(option.name().substring(2));
            out.append(option.value().isEmpty() ? "" : option.takesFile() ? " -r -F" : " -x");
            out.append(" -d ").append(fishQuoted(description(option))).append('\n');
        }
    }

    private static String description(Part.Option option) {
        return HelpPage.firstSentence(option.text());
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    private static String fishQuoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
