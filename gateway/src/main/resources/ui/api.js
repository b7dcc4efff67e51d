// Calls of the REST API. The token is asked for once, and kept by this tab only.
import { askToken } from './dialog.js';

const STORED = 'flockgate.token';
const PATIENCE_MS = 15000;
/** A gateway that does not answer /ready in this time counts as hung. */
const READY_PATIENCE_MS = 5000;
const WORDS = {
  0: 'the gateway cannot be reached',
  401: 'the gateway requires a token',
  403: 'the token does not allow that',
  404: 'this gateway has no such thing',
  429: 'too many requests; the next one comes in a moment',
};

let asking = null;
let declined = false;

/** A call that was not carried out. `status` is 0 without an answer. */
export class Refused extends Error {
  constructor(status, code, detail) {
    super([WORDS[status] ?? `status ${status}`, code && `(${code})`, detail && `– ${detail}`].filter(Boolean).join(' '));
    this.status = status;
    this.code = code;
  }
}

export function hasToken() {
  return sessionStorage.getItem(STORED) !== null;
}

/** Whether the operator has closed the question for the token. It is not asked again by itself. */
export function hasDeclined() {
  return declined;
}

/** Lets the next call ask again. */
export function askAgain() {
  declined = false;
}

export function forgetToken() {
  sessionStorage.removeItem(STORED);
}

function headers() {
  const token = sessionStorage.getItem(STORED);
  return token === null ? {} : { Authorization: `Bearer ${token}` };
}

/** One question for all calls that need a token at the same time. False if the operator gives none. */
function gotToken(used) {
  if (sessionStorage.getItem(STORED) !== used) {
    return true;
  }
  if (declined) {
    return false;
  }
  asking ??= askToken(used !== null).then(token => {
    asking = null;
    declined = token === null;
    if (token !== null) {
      sessionStorage.setItem(STORED, token);
    }
    return token !== null;
  });
  return asking;
}

/** Sends a request, with a token if the gateway wants one. The answer may have any other status. */
export async function send(method, path, options) {
  for (;;) {
    const used = sessionStorage.getItem(STORED);
    let answer;
    try {
      answer = await fetch(path, { method, headers: headers(), cache: 'no-store', ...options });
    } catch (failure) {
      throw options?.signal?.aborted && !options.timed ? failure : new Refused(0);
    }
    if (answer.status !== 401) {
      return answer;
    }
    if (!await gotToken(used)) {
      throw new Refused(401);
    }
  }
}

async function refusal(answer) {
  let told = {};
  try {
    told = await answer.json();
  } catch {
    // no JSON
  }
  return new Refused(answer.status, told.error ?? told.status, told.detail ?? told.reason);
}

async function timely(method, path) {
  const answer = await send(method, path, { signal: AbortSignal.timeout(PATIENCE_MS), timed: true });
  if (!answer.ok) {
    throw await refusal(answer);
  }
  return answer;
}

export async function get(path) {
  return (await timely('GET', path)).json();
}

export async function getText(path) {
  return (await timely('GET', path)).text();
}

/** Changes something. */
export async function change(method, path) {
  await timely(method, path);
}

/** What /ready says: [status, word, reason]. The status is 0 without an answer. */
export async function readiness() {
  try {
    const answer = await fetch('ready', { cache: 'no-store', signal: AbortSignal.timeout(READY_PATIENCE_MS) });
    const told = await answer.json();
    return [answer.status, told.status, told.reason];
  } catch (failure) {
    return [0, failure.name === 'TimeoutError' ? 'no answer' : 'not reachable'];
  }
}

/** A stream of events, until it ends or the signal aborts it. `begun` is called when nothing can be missed any more. */
export async function events(path, signal, begun, received) {
  const answer = await send('GET', path, { signal });
  if (!answer.ok) {
    throw await refusal(answer);
  }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      return;
    }
    if (text === '' && value.startsWith(':')) {
      begun();
    }
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop();
    for (const block of blocks) {
      const lines = block.split('\n');
      const type = lines.find(line => line.startsWith('event: '))?.slice(7);
      const data = lines.find(line => line.startsWith('data: '))?.slice(6);
      if (type && data) {
        received(type, JSON.parse(data));
      }
    }
  }
}
