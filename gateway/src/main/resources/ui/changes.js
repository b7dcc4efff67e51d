// Refreshes the page when something happens at this gateway, driven by a stream of events. The first event ends the
// stream, and the next stream begins with the next refresh, so a busy gateway writes no events that go unread.
import { events } from './api.js';

/** A burst of events causes one refresh. */
const GATHER_MS = 200;
/** The minimum time between two refreshes caused by events. Slow refreshes use at most a fifth of the time. */
const APART_MS = 1000;
const SHARE = 5;
/** The delay before the next attempt after a refusal, for instance at the maximum number of streams. */
const REFUSED_MS = 60000;
const BROKEN_MS = 3000;

let stream = null;
let timer = null;
let reporting = false;
let retryAt = 0;
let refreshedAt = 0;
let took = 0;

/** Whether changes are reported, so that frequent polling is unnecessary. */
export function isReporting() {
  return reporting;
}

/** Starts or stops listening. `changed` is called after events, `switched` when reporting begins or ends. */
export function listen(wanted, changed, switched) {
  if (!wanted) {
    stream?.abort();
    stream = null;
    clearTimeout(timer);
    timer = null;
    reporting = false;
  } else if (stream === null && timer === null && Date.now() >= retryAt) {
    begin(changed, switched);
  }
}

function begin(changed, switched) {
  stream = new AbortController();
  follow(stream, changed, switched);
}

async function follow(mine, changed, switched) {
  let wait = BROKEN_MS;
  let seen = false;
  const begun = async () => {
    if (!seen && stream === mine) {
      seen = true;
      reporting = true;
      switched();
      // This refresh covers everything before the stream, and the stream everything after it.
      refreshedAt = Date.now();
      await changed();
      took = Date.now() - refreshedAt;
    }
  };
  const happened = () => {
    if (stream === mine) {
      stream = null;
      mine.abort();
      timer = setTimeout(() => {
        timer = null;
        begin(changed, switched);
      }, Math.max(GATHER_MS, refreshedAt + Math.max(APART_MS, SHARE * took) - Date.now()));
    }
  };
  try {
    await events('v1/events', mine.signal, begun, happened);
  } catch (failure) {
    wait = failure.status > 0 && failure.status !== 401 ? REFUSED_MS : BROKEN_MS;
  }
  if (stream === mine) {
    stream = null;
    reporting = false;
    retryAt = Date.now() + wait;
    switched();
  }
}
