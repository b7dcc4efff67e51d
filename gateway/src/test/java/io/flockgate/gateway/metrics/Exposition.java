package io.flockgate.gateway.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A text in Prometheus's format 0.0.4, parsed strictly: anything that is not well formed is an
 * error.
 */
record Exposition(Map<String, Family> families, Map<String, Double> samples) {
    private static final Pattern COMMENT = Pattern.compile("# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern SAMPLE =
            Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{(" + label() + "(," + label() + ")*,?)?})? (\\S+)");

    /** One family, whose samples have its name with the suffixes that its type allows. */
    record Family(String type, String help) {}

    private static String label() {
        return "[a-zA-Z_][a-zA-Z0-9_]*=\"([^\"\\\\\n]|\\\\[\\\\\"n])*\"";
    }

    static Exposition parse(String text) {
        if (!text.endsWith("\n")) {
            throw new AssertionError("no line feed at the end");
        }
        Map<String, Family> families = new LinkedHashMap<>();
        Map<String, Double> samples = new LinkedHashMap<>();
        String help = "";
        String present = "";
        for (String line : text.lines().toList()) {
            Matcher comment = COMMENT.matcher(line);
            if (comment.matches() && comment.group(1).equals("HELP")) {
                present = comment.group(2);
                help = comment.group(3);
            } else if (comment.matches()) {
                if (!comment.group(2).equals(present)
                        || families.put(present, new Family(comment.group(3), help)) != null) {
                    throw new AssertionError("out of place: " + line);
                }
            } else {
                addSample(line, present, families, samples);
            }
        }
        return new Exposition(families, samples);
    }

    private static void addSample(
            String line, String present, Map<String, Family> families, Map<String, Double> samples) {
        Matcher sample = SAMPLE.matcher(line);
        Family family = families.get(present);
        if (!sample.matches() || family == null) {
            throw new AssertionError("not a sample of a family: " + line);
        }
        if (!names(present, family.type()).contains(sample.group(1))) {
            throw new AssertionError("not in family " + present + ": " + line);
        }
        String number = sample.group(sample.groupCount());
        double value = number.equals("+Inf") ? Double.POSITIVE_INFINITY : Double.parseDouble(number);
        if (samples.put(line.substring(0, line.lastIndexOf(' ')), value) != null) {
            throw new AssertionError("twice: " + line);
        }
    }

    private static List<String> names(String family, String type) {
        return switch (type) {
            case "histogram" -> List.of(family + "_bucket", family + "_sum", family + "_count");
            case "summary" -> List.of(family, family + "_sum", family + "_count");
            case "counter", "gauge" -> List.of(family);
            default -> throw new AssertionError("type " + type);
        };
    }

    /** The names that a query can use. */
    Set<String> names() {
        return samples.keySet().stream()
                .map(sample -> sample.replaceFirst("\\{.*", ""))
                .collect(Collectors.toSet());
    }

    boolean has(String sample) {
        return samples.containsKey(sample);
    }

    double value(String sample) {
        Double value = samples.get(sample);
        if (value == null) {
            throw new AssertionError("no " + sample);
        }
        return value;
    }
}
