package io.flockgate.gateway.metrics;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A text in Prometheus's format 0.0.4. */
record Exposition(Map<String, Family> families, Map<String, Double> samples) {
    record Family(String type, String help) {}

    static Exposition parse(String text) {
        Map<String, Family> families = new LinkedHashMap<>();
        Map<String, Double> samples = new LinkedHashMap<>();
        String help = "";
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP ")) {
                help = words[3];
            } else if (line.startsWith("# TYPE ")) {
                families.put(words[2], new Family(words[3], help));
            } else {
                int end = line.lastIndexOf(' ');
                double value = Double.parseDouble(line.substring(end + 1).replace("Inf", "Infinity"));
                if (samples.put(line.substring(0, end), value) != null) {
                    throw new AssertionError("twice: " + line);
                }
            }
        }
        return new Exposition(families, samples);
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
