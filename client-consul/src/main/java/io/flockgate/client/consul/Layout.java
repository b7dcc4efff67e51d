package io.flockgate.client.consul;

import io.flockgate.consul.format.ClusterRecord;
import io.flockgate.consul.format.HoldersForm;
import io.flockgate.consul.format.Transactions;
import io.flockgate.consul.kv.ConsulException;
import io.flockgate.consul.kv.KvEntry;
import io.flockgate.consul.kv.KvOp;
import java.util.ArrayList;
import java.util.List;

/**
 * The layout that all gateways and clients of one cluster share, as its record shows it.
 *
 * @param entry the entry of the record. Every write depends on it
 * @param form the form of the holders in new semaphores
 */
record Layout(KvEntry entry, ClusterRecord record, HoldersForm form) {
    /**
     * Reads a record.
     *
     * @throws ConsulException if the record has an unknown format, or must not be used now
     */
    static Layout parse(KvEntry entry) {
        ClusterRecord record = ClusterRecord.parse(entry.value());
        HoldersForm form =
                record == null ? null : HoldersForm.of(record.settings().holders());
        if (record == null || form == null) {
            throw Errors.invalid("the record of the cluster in Consul " + unreadable(entry.value()));
        }
        if (!record.isAboveFloor(entry.modifyIndex())) {
            throw Errors.invalid("Consul has lost data: its next fence is not above "
                    + Long.toUnsignedString(record.fenceFloor()) + ", which was given before");
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

    /** These operations on condition that the record has not changed. That condition is the first operation. */
    List<KvOp> guarded(List<KvOp> operations) {
        List<KvOp> guarded = new ArrayList<>();
        guarded.add(new KvOp.CheckIndex(entry.key(), entry.modifyIndex()));
        guarded.addAll(operations);
        return guarded;
    }

    /** Whether grants of the other layout are grants of this one. */
    boolean agreesWith(Layout other) {
        return record.cluster().equals(other.record.cluster())
                && record.settings().fenceBase() == other.record.settings().fenceBase()
                && record.settings().map().equals(other.record.settings().map());
    }
}
