// Keys: the busiest ones, a search, all of them by name, and one key with its holders, its queue and a histogram of the waits.
import { change, get } from './api.js';
import { confirmChange } from './dialog.js';
import { attention, mayOperate, overview } from './status.js';
import { age, count, decoded, duration, el, harmless, isDots, keyLink, keyName, moment, oneSegment, renew, replace, say, segment, strange, table } from './text.js';

const TOP = 10;
const PAGE = 50;
/** Sorting by name loads at most this number of keys. */
const MOST = 10000;
const ROWS = 500;
const SHOWN = 1000;
const HOLDERS = 100;
const FILTERS = ['contains', 'prefix', 'kind', 'held', 'waiting', 'held_longer_than_s', 'name', 'address', 'gateway', 'sort'];

function keyTable(caption, keys) {
  if (keys.length === 0) {
    return el('p', { class: 'quiet' }, 'None.');
  }
  return table(caption, ['Key', ['Held', 'number'], ['Waiting', 'number'], ['Longest hold', 'number'], 'Oldest holder'], keys.map(key => el('tr', {},
    el('td', {}, keyLink(key), key.kind === 'semaphore' ? el('small', {}, `semaphore of ${key.limit}`) : null),
    el('td', { class: 'number' }, String(key.holders)),
    el('td', { class: 'number' }, String(key.waiters)),
    el('td', { class: 'number' }, key.holders > 0 ? age(key.oldest_hold_s, key.bounds) : '–'),
    el('td', {}, key.holder ? strange(who(key.holder)) : '–'))), 'keys');
}

function query(values) {
  return Object.entries(values).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** One page of the keys by name. */
async function byName({ sort, ...filters }, start) {
  const keys = [];
  let next = '';
  do {
    const page = await get(`v1/keys?${query({ ...filters, limit: SHOWN })}${next && `&after=${next}`}`);
    keys.push(...page.keys);
    next = page.next;
  } while (next && keys.length < MOST);
  const { compare } = new Intl.Collator('en', { numeric: true });
  keys.sort((a, b) => compare(a.key_escaped ?? a.key, b.key_escaped ?? b.key));
  const end = start + ROWS;
  return { keys: keys.slice(start, end), matching: keys.length, more: next, next: end < keys.length && end };
}

/** The start: the search, and either its result or the busiest keys. */
export function keysView(main, parameters) {
  const filters = Object.fromEntries(FILTERS.map(name => [name, parameters.get(name) ?? '']).filter(([, value]) => value !== ''));
  const wrong = el('div', { id: 'wrong' });
  const result = el('div', {});
  const search = { filters, pages: [''] };
  const refresh = () => Object.keys(search.filters).length === 0 ? refreshTop(result, wrong, search) : refreshFound(result, wrong, search);
  main.append(el('h1', {}, 'Keys'), wrong, searchForm(search, refresh), result);
  return refresh;
}

async function refreshTop(result, wrong, search) {
  const { filters } = search;
  const queues = await get(`v1/keys?waiting=true&sort=longest_queue&limit=${TOP}`);
  const state = await overview();
  const holds = await get(`v1/keys?sort=longest_hold&limit=${TOP}`);
  if (search.filters !== filters) {
    return;
  }
  wrong.hidden = false;
  replace(wrong, attention(state));
  replace(result, holds.matching > 0 ? el('p', {}, el('a', { href: '#/?sort=name', 'data-focus': 'all' }, `Show all ${holds.matching.toLocaleString('en')}`)) : null, el('div', { class: 'pair' },
    el('section', { 'aria-labelledby': 'queues' }, el('h2', { id: 'queues' }, 'Most waiters'),
      keyTable('Keys with the most waiters', queues.keys.filter(key => key.waiters > 0))),
    el('section', { 'aria-labelledby': 'holds' }, el('h2', { id: 'holds' }, 'Longest holds'),
      keyTable('Keys held longest', holds.keys.filter(key => key.holders > 0)))));
}

/** A button that shows another part of a list. */
function step(label, enabled, move, refresh) {
  return el('button', {
    type: 'button', disabled: !enabled, 'data-focus': label, onclick: () => {
      move();
      renew(refresh)();
    },
  }, label);
}

async function refreshFound(result, wrong, search) {
  const { filters, pages } = search;
  const after = pages.at(-1);
  wrong.hidden = true;
  const found = filters.sort === 'name' ? await byName(filters, Number(after)) : await get(`v1/keys?${query({ ...filters, limit: PAGE })}${after && `&after=${after}`}`);
  if (search.filters !== filters) {
    return;
  }
  const again = () => refreshFound(result, wrong, search);
  replace(result, el('section', { 'aria-labelledby': 'found' },
    el('h2', { id: 'found' }, found.matching === undefined ? 'Found keys' : `Found keys: ${found.more ? 'the first ' : ''}${found.matching.toLocaleString('en')}`),
    found.more ? el('p', { class: 'warn' }, `There are more: narrow the search.`) : null,
    keyTable('Found keys', found.keys),
    pages.length > 1 || found.next ? el('p', { class: 'row' },
      step('First page', pages.length > 1, () => pages.splice(1), again),
      step('Next page', found.next, () => pages.push(found.next), again)) : null));
}

function field(label, name, filters, attributes) {
  return el('label', { class: `field ${attributes?.class ?? ''}` }, label,
    el('input', { type: 'text', autocomplete: 'off', ...attributes, class: undefined, name, value: filters[name] ?? '' }));
}

function choice(label, name, filters, options) {
  const select = el('select', { name }, options.map(([value, text]) => el('option', { value, selected: filters[name] === value }, text)));
  return el('label', { class: 'field' }, label, select);
}

const TYPING_MS = 250;
const YES_NO = [['', 'any'], ['true', 'yes'], ['false', 'no']];

/** During a search only the result and the address change. */
function searchForm(search, refresh) {
  const { filters } = search;
  const more = FILTERS.slice(1, -1).some(name => filters[name]);
  let asking = null;
  let typing;
  let refused = false;
  const find = async () => {
    const values = [...new FormData(form)].filter(([, value]) => value !== '');
    history.replaceState(null, '', values.length === 0 ? '#/' : `#/?${new URLSearchParams(values)}`);
    search.filters = Object.fromEntries(values);
    search.pages = [''];
    // One search at a time; text typed in the meantime is searched for afterwards.
    if (asking === null) {
      for (let asked; asked !== search.filters;) {
        asked = search.filters;
        asking = refresh();
        try {
          await asking;
          if (refused) {
            say('');
          }
          refused = false;
        } catch (failure) {
          say(failure.message, 'bad');
          refused = true;
        }
      }
      asking = null;
    }
  };
  const form = el('form', {
    class: 'search', role: 'search',
    onsubmit: event => {
      event.preventDefault();
      clearTimeout(typing);
      find();
    },
    oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => form.isConnected && find(), TYPING_MS);
    },
  },
  field('Keys that contain', 'contains', filters, { class: 'wide', type: 'search' }),
  choice('Sort', 'sort', filters, [['', 'unsorted'], ['name', 'name'], ['longest_queue', 'longest queue'], ['longest_hold', 'longest hold']]),
  el('button', { type: 'submit' }, 'Search'),
  el('details', { open: more }, el('summary', {}, 'More filters'), el('div', { class: 'search' },
    field('Keys that start with', 'prefix', filters), field('Client name', 'name', filters), field('Client address', 'address', filters), field('Gateway', 'gateway', filters),
    field('Held for longer than (s)', 'held_longer_than_s', filters, { inputmode: 'numeric' }),
    choice('Kind', 'kind', filters, [['', 'any'], ['lock', 'locks'], ['semaphore', 'semaphores']]),
    choice('Held', 'held', filters, YES_NO), choice('Waited for', 'waiting', filters, YES_NO))));
  return form;
}

/** Who a client is: its name, then address, protocol, gateway. */
export function client(entry) {
  const told = [
    entry.address && strange(entry.address),
    { session: 'HTTP session', other: 'no client of a gateway' }[entry.via],
    entry.gateway && el('span', {}, 'at ', strange(entry.gateway)),
    entry.conn_id ? `client ${entry.conn_id}` : null,
    entry.token_name && el('span', {}, 'token ', strange(entry.token_name)),
  ].filter(Boolean).flatMap((part, at) => at === 0 ? [part] : [' · ', part]);
  return entry.name ? [strange(entry.name, 'name'), told.length > 0 ? el('small', {}, told) : null] : told.length > 0 ? told : ['no name'];
}

/** The words for a client. */
export function who(entry) {
  return entry.name ?? entry.address ?? (entry.conn_id ? `client ${entry.conn_id}` : 'this client');
}

function since(entry, seconds) {
  return [age(seconds, entry.bounds),
    entry.since ? el('small', {}, 'since ', moment(entry.since)) : null];
}

/** A fence in both of its forms: hexadecimal, as in the API, and decimal, as commands and programs have it. */
function fence(hex) {
  return el('span', {}, el('code', {}, hex), /^[0-9a-f]{16}$/.test(hex) ? [' = ', el('code', {}, BigInt(`0x${hex}`).toString())] : []);
}

/**
 * Asks for the reason, and releases the slot of a holder. `next` and `then` name the client that gets the slot, before and
 * afterwards; `ended` says whether the grant has already ended.
 */
export function release(key, path, holder, next, then, ended) {
  const foreign = holder.via === 'other';
  return confirmChange({
    title: 'Release',
    effects: () => ended() ? { over: `${harmless(who(holder))} no longer holds ${harmless(key.key_escaped ?? key.key)} by this grant.` } : [
      el('span', {}, 'This ends the grant of ', strange(who(holder)), ' on ', keyName(key), ', with fence ', fence(holder.fence), ', and no later one.'),
      next(),
      'The old holder may still be working: only its fence stops it. The connection of a dflockd client is closed if it holds and waits for nothing else. A Java client is notified within about a second, any other client when it next renews or releases.',
      foreign ? 'The holder is not a client of a gateway, but for instance consul lock. It loses its slot in Consul.' : null,
    ].filter(Boolean),
    verb: 'Release',
    done: () => `Released ${harmless(key.key_escaped ?? key.key)}: ${harmless(who(holder))} has lost it. ${then()}`,
    call: reason => change('DELETE', `${path}/holders/${holder.fence}?reason=${reason}${foreign ? '&force=true' : ''}`),
  });
}

export function releaseButton(fence, onclick) {
  return el('button', { type: 'button', class: 'act', onclick, 'data-focus': `release ${fence}`, 'aria-label': `Release the grant with fence ${fence}` }, 'Release…');
}

function holderRow(view, path, holder, refresh) {
  const next = () => view.key.waiter_count === 0 ? 'No client is waiting: the slot will be free.'
    : el('span', {}, 'The slot goes to the first of ', count(view.key.waiter_count, 'waiter'), ', ', strange(who(view.key.queue[0] ?? {})), '.');
  const then = () => view.key.waiter_count === 0 ? 'The slot is free now.' : `The slot goes to ${harmless(who(view.key.queue[0] ?? {}))}.`;
  const ended = () => !view.key.holders.some(each => each.fence === holder.fence);
  return el('tr', {},
    el('td', {}, client(holder), el('small', {}, 'fence ', fence(holder.fence))),
    el('td', {}, since(holder, holder.held_s), el('small', {}, holder.lease_expires_in_s > 0
      ? `lease ends in ${holder.bounds ? 'at most ' : ''}${duration(holder.lease_expires_in_s)}` : 'no lease')),
    mayOperate() ? el('td', {}, releaseButton(holder.fence, () => release(view.key, path, holder, next, then, ended).then(renew(refresh)))) : null);
}

function waiterRow(view, path, waiter, refresh) {
  const { key } = view;
  const now = () => view.key.queue.find(each => each.id === waiter.id);
  const remove = () => confirmChange({
    title: 'Remove from the queue',
    effects: () => now() === undefined ? { over: `${harmless(who(waiter))} is no longer in the queue of ${harmless(key.key_escaped ?? key.key)}.` } : [
      el('span', {}, 'This takes ', strange(who(waiter)), ' out of the queue of ', keyName(key), ', now at position ', String(now().position), '.'),
      'Its request ends as if it had timed out. It may try again.',
    ],
    verb: 'Remove',
    done: `${harmless(who(waiter))} is no longer in the queue of ${harmless(key.key_escaped ?? key.key)}.`,
    call: reason => change('DELETE', `${path}/queue/${encodeURIComponent(waiter.id)}?reason=${reason}`),
  }).then(renew(refresh));
  return el('tr', {},
    el('td', { class: 'number' }, String(waiter.position)),
    el('td', {}, client(waiter)),
    el('td', {}, since(waiter, waiter.waiting_s)),
    mayOperate() ? el('td', {}, waiter.id === undefined ? null : el('button', {
      type: 'button', onclick: remove, 'data-focus': `remove ${waiter.id}`, 'aria-label': `Remove the waiter at position ${waiter.position}`,
    }, 'Remove…')) : null);
}

/** The order that changes the limit of a semaphore. */
function limitOrder(view, refresh) {
  const { key } = view;
  if (key.kind === 'lock' || !mayOperate()) {
    return null;
  }
  const order = () => confirmChange({
    title: 'Change the limit',
    effects: () => [
      el('span', {}, 'The semaphore ', keyName(key), ` has ${count(view.key.limit, 'slot')} and ${count(view.key.holder_count, 'holder')}.`),
      'With more slots, waiters are granted at once. With fewer, all holders stay, and nothing is granted until enough of them have gone. New claims must give the new limit.',
    ],
    number: { label: 'New limit', value: key.limit },
    verb: 'Change',
    done: `The limit of ${harmless(key.key_escaped ?? key.key)} has been changed.`,
    call: (reason, limit) => change('POST', `v1/keys/${segment(key)}/limit?limit=${limit}&reason=${reason}`),
  }).then(renew(refresh));
  return el('p', {}, el('button', { type: 'button', onclick: order, 'data-focus': 'limit' }, 'Change the limit…'));
}

const LABELS = { 1: 'under 1 s', 10: '1 to 10 s', 60: '10 to 60 s', 600: '1 to 10 min', 3600: '10 to 60 min' };

/** How long the waiters have waited, as bars. */
function waits(counts) {
  const most = Math.max(1, ...counts.map(each => each.waiters));
  return el('table', { class: 'waits', 'aria-label': 'Histogram of waiting times' }, el('tbody', {}, counts.map(each => el('tr', {},
    el('th', { scope: 'row' }, LABELS[each.below_s] ?? 'over 1 h'),
    el('td', {}, bar(each.waiters / most)),
    el('td', { class: 'number' }, String(each.waiters))))));
}

function sum(counts) {
  return counts.reduce((all, each) => all + each.waiters, 0);
}

function bar(share) {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const rect = document.createElementNS(space, 'rect');
  svg.setAttribute('class', 'bars');
  svg.setAttribute('aria-hidden', 'true');
  rect.setAttribute('width', `${Math.round(share * 100)}%`);
  rect.setAttribute('height', '100%');
  svg.append(rect);
  return svg;
}

/** One key; `part` is the part of the address that names it. */
export function keyView(main, part) {
  const path = oneSegment(part);
  const heading = el('h1', {}, 'Key');
  const result = el('div', {});
  main.append(heading, result);
  if (isDots(path)) {
    result.append(el('p', {}, 'A browser cannot request the key ', el('code', {}, decoded(path)), '. Use flockgate show.'));
    return async () => {};
  }
  const view = { first: 0, key: { holders: [], queue: [], holder_count: 0, waiter_count: 0 } };
  const refresh = async () => {
    let key;
    try {
      key = await get(`v1/keys/${path}?limit=${SHOWN}`);
    } catch (refused) {
      if (refused.code !== 'unknown_key') {
        throw refused;
      }
      view.key = { ...view.key, holders: [], queue: [], holder_count: 0, waiter_count: 0 };
      replace(result, el('p', {}, 'No such key: it has no holders and no waiters.'));
      return;
    }
    heading.replaceChildren(key.kind === 'lock' ? 'Lock ' : `Semaphore of ${key.limit} `, keyName(key));
    await overview();
    view.key = key;
    replace(result, await deadlocked(key), limitOrder(view, refresh), holders(view, refresh), queue(view, refresh),
      el('p', {}, el('a', { href: `#/events?key=${segment(key)}`, 'data-focus': 'events' }, 'Events of this key at this gateway')));
  };
  return refresh;
}

/** A warning if clients that hold the key, or wait for it, wait for each other. */
async function deadlocked(key) {
  if (key.holder_count === 0 || key.waiter_count === 0) {
    return null;
  }
  const found = await get('v1/deadlocks');
  const name = key.key_escaped ?? key.key;
  const here = found.deadlocks.some(deadlock => deadlock.clients.some(step => [step.holds_escaped ?? step.holds, step.waits_for_escaped ?? step.waits_for].includes(name)));
  return here ? el('p', { class: 'bad', role: 'note' }, 'This key is in a ', el('a', { href: '#/deadlocks' }, 'deadlock'), ': its clients wait for each other.') : null;
}

/** The heading above the buttons. */
function orders() {
  return mayOperate() ? [['', 'orders']] : [];
}

function holders(view, refresh) {
  const { key } = view;
  const path = `v1/keys/${segment(key)}`;
  const shown = key.holders.slice(0, HOLDERS);
  return el('section', { 'aria-labelledby': 'holders' }, el('h2', { id: 'holders' }, count(key.holder_count, 'holder')),
    key.holders.length === 0 ? el('p', { class: 'quiet' }, 'No holders.')
      : table('Holders', ['Who', ['Held for', 'time'], ...orders()], shown.map(holder => holderRow(view, path, holder, refresh)), 'people'),
    shown.length < key.holder_count ? el('p', { class: 'quiet' }, `The ${shown.length} oldest of ${key.holder_count} are shown.`) : null);
}

function queue(view, refresh) {
  const { key } = view;
  const path = `v1/keys/${segment(key)}`;
  view.first = Math.max(0, Math.min(view.first, Math.floor((key.queue.length - 1) / PAGE) * PAGE));
  const end = Math.min(view.first + PAGE, key.queue.length);
  return el('section', { 'aria-labelledby': 'queue' }, el('h2', { id: 'queue' }, count(key.waiter_count, 'waiter')),
    key.queue.length === 0 ? el('p', { class: 'quiet' }, 'No waiters.') : [
      waits(key.waits ?? []),
      table('Queue', [['#', 'number'], 'Who', ['Waits for', 'time'], ...orders()], key.queue.slice(view.first, end).map(waiter => waiterRow(view, path, waiter, refresh)), 'people queue')],
    key.queue.length > PAGE ? el('p', { class: 'row' }, `${view.first + 1} to ${end}`,
      step('Earlier waiters', view.first > 0, () => view.first -= PAGE, refresh), step('Later waiters', end < key.queue.length, () => view.first += PAGE, refresh)) : null,
    key.queue.length < key.waiter_count ? el('p', { class: 'quiet' }, `The table has the first ${key.queue.length} of ${key.waiter_count} waiters, and the bars count ${sum(key.waits ?? []) < key.waiter_count ? `the first ${sum(key.waits ?? [])}` : 'all'}.`) : null);
}
