package io.flockgate.client.consul;

import io.flockgate.consul.format.ClusterRecord;
import io.flockgate.consul.format.HoldersForm;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The layout that all gateways and clients of one cluster share, as its record shows it.
 *
 * @param entry the entry of the record, on which every write depends
 * @param form the form of the holders in new semaphores
 */
record Layout(KvEntry entry, ClusterRecord record, HoldersForm form) {
    /**
     * Reads a record.
     *
     * @throws ConsulException if the record has an unknown format
     */
    static Layout parse(KvEntry entry) {
        ClusterRecord record = ClusterRecord.parse(entry.value());
        HoldersForm form =
                record == null ? null : HoldersForm.of(record.settings().holders());
        if (record == null || form == null) {
            throw Errors.invalid("the record of the cluster in Consul " + unreadable(entry.value()));
        }
        return new Layout(entry, record, form);
    }

    private static String unreadable(byte[] value) {
        String format = ClusterRecord.formatOf(value);
        return String.valueOf(ClusterRecord.FORMAT).equals(format)
                ? "has not the fields of its format"
                : "has the format " + format + ". This client knows the format " + ClusterRecord.FORMAT
                        + ": use a newer client";
    }

    Transactions transactions() {
        return new Transactions(form);
    }

    /**
     * These operations, on condition that the record has not changed. That condition is the first
     * operation.
     */
    List<KvOp> guarded(List<KvOp> operations) {
        List<KvOp> guarded = new ArrayList<>();
        guarded.add(new KvOp.CheckIndex(entry.key(), entry.modifyIndex()));
        guarded.addAll(operations);
        return guarded;
    }

    /**
     * These operations, like {@link #guarded}. Their results contain the record at that time,
     * because another one may have the same index.
     */
    List<KvOp> guardedAndRead(List<KvOp> operations) {
        List<KvOp> guarded = guarded(operations);
        guarded.add(new KvOp.GetTree(entry.key()));
        return guarded;
    }

    /** Whether the results of {@link #guardedAndRead} contain this layout's record. */
    boolean isIn(List<KvEntry> results) {
        return results.stream()
                .anyMatch(each -> each.key().equals(entry.key()) && Arrays.equals(each.value(), entry.value()));
    }

    /** Whether grants of the other layout are grants of this one, if both are of one cluster. */
    boolean hasSettingsOf(Layout other) {
        return record.settings().fenceBase() == other.record.settings().fenceBase()
                && record.settings().map().equals(other.record.settings().map());
    }
}
