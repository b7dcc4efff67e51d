package io.flockgate.storage.consul.key;

import io.flockgate.storage.consul.layout.QueuedTicket;

/** The head of a queue that waits here and is about to be given a slot. */
record Promotion(QueuedTicket ticket, LocalWaiter waiter, Candidate candidate) {}
