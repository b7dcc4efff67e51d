// The events of this gateway: the ones it has kept, followed by new ones as they happen.
import { events } from './api.js';
import { client } from './keys.js';
import { decoded, el, keyLink, moment, oneSegment, replace, say, strange } from './text.js';

const KEPT = 200;
const AGAIN_MS = 3000;
const TYPES = ['granted', 'queued', 'released', 'expired', 'lost', 'set_free', 'removed', 'limit_changed', 'refused',
  'session_began', 'session_ended', 'drained', 'undrained'];

/** The words of the wire as people say them. */
const WORDS = {
  set_free: 'released by an operator', removed: 'removed by an operator', limit_changed: 'new limit', session_began: 'client came', session_ended: 'client left', queued: 'waits',
  max_locks: 'too many keys', max_waiters: 'the queue is full', max_holders: 'too many slots are held',
  max_holders_per_client: 'the client holds too many slots', max_enqueued: 'too many claims are enqueued', max_enqueued_per_client: 'the client has enqueued too many claims',
  limit_mismatch: 'the key has another limit', busy: 'others hold the key', draining: 'the gateway is drained',
};
const KINDS = { granted: 'good', queued: 'quiet', expired: 'warn', lost: 'bad', set_free: 'warn', removed: 'warn', limit_changed: 'warn', refused: 'warn', drained: 'warn', undrained: 'good', missed: 'warn' };

function inWords(word) {
  return WORDS[word] ?? word.replaceAll('_', ' ');
}

function line(type, data) {
  const what = type === 'missed' ? `${data.missed} events: this page was too slow`
    : [data.key === undefined ? null : keyLink(data), data.limit ? `, now ${data.limit}:` : null, data.reason ? [' ', strange(inWords(data.reason))] : null, ' ',
      data.conn_id === undefined ? data.fence && `fence ${data.fence}` : client(data)];
  return el('li', {}, el('span', { class: 'number' }, moment(data.time ?? new Date())), el('strong', { class: KINDS[type] }, inWords(type)), el('span', {}, what));
}

export function eventsView(main, parameters, signal) {
  const key = location.hash.match(/[?&]key=([^&]*)/)?.[1];
  const list = el('ol', { class: 'events', 'aria-label': 'Events, newest first' });
  const state = el('p', { class: 'quiet' }, 'Connecting…');
  const form = el('form', {
    class: 'search', role: 'search', onsubmit: event => {
      event.preventDefault();
      location.hash = `#/events?${new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ''))}`;
    },
  },
  el('label', { class: 'field wide' }, 'Keys that start with', el('input', { type: 'search', name: 'prefix', value: parameters.get('prefix') ?? '' })),
  el('label', { class: 'field' }, 'Type', el('select', { name: 'type' }, el('option', { value: '' }, 'all'),
    TYPES.map(type => el('option', { value: type, selected: parameters.get('type') === type }, inWords(type))))),
  el('button', { type: 'submit' }, 'Show'));
  const name = key === undefined ? null : el('p', {}, 'Of the key ', el('a', { href: `#/key/${oneSegment(key)}` }, strange(decoded(key), 'key')), '. ', el('a', { href: '#/events' }, 'Show those of all keys'));
  main.append(el('h1', {}, 'Events of this gateway'), key === undefined ? form : name, state, list);
  const asked = [...parameters].filter(([name]) => name === 'prefix' || name === 'type').map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  follow(`v1/events?${[...asked, ...key === undefined ? [] : [`key=${oneSegment(key)}`], `last=${KEPT}`].join('&')}`, signal, list, state);
  return async () => {};
}

/** After a reconnect, kept events that are already shown are skipped. */
async function follow(path, signal, list, state) {
  const shown = new Map();
  while (!signal.aborted) {
    try {
      const begun = () => {
        state.textContent = `Events come as they happen. Earlier events, at most ${KEPT}, are below them.`;
      };
      const old = new Set(shown.keys());
      await events(path, signal, begun, (type, data) => {
        const text = type + JSON.stringify(data);
        if (document.getElementById('live').checked && !old.has(text)) {
          list.prepend(line(type, data));
          shown.delete(text);
          shown.set(text);
          while (list.children.length > KEPT) {
            list.lastChild.remove();
          }
          while (shown.size > KEPT) {
            shown.delete(shown.keys().next().value);
          }
        }
      });
    } catch (failure) {
      if (signal.aborted) {
        return;
      }
      if (failure.status >= 400 && failure.status < 500) {
        replace(state, `Not shown: ${failure.message}.`);
        return;
      }
      say(`Events: ${failure.message}`, 'bad');
    }
    state.textContent = 'The stream has ended. It restarts in a moment.';
    await new Promise(resume => setTimeout(resume, AGAIN_MS));
  }
}
