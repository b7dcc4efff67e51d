// What needs an operator's attention, the totals, and the gateways that this tab has seen: for the start page, the tabs and the header.
import { get, getText } from './api.js';
import { LONG_S, age, count, duration, el, keyLink, replace, strange, timeOfDay } from './text.js';

const NEARLY_FULL = 0.8;
const SHOWN = 5;

/** The gateways that this tab has seen, by name and start: until the page is loaded again. */
const seen = new Map();
const MAX_SEEN = 2000;

/** The sum of a family's samples in Prometheus's text whose labels include this text; undefined if none has a value. */
export function metric(text, family, labels) {
  let sum;
  for (const line of text.split('\n')) {
    const name = line.split(/[{ ]/, 1)[0];
    if (name === family && (labels === undefined || line.includes(labels))) {
      const value = Number(line.slice(line.lastIndexOf(' ') + 1));
      sum = Number.isNaN(value) ? sum : (sum ?? 0) + value;
    }
  }
  return sum;
}

/** Takes a list of gateways; all that this tab has seen, each with the time at which it was first missed. */
export function noteGateways(gateways) {
  const now = new Date();
  for (const gateway of gateways) {
    seen.set(`${gateway.gateway} ${gateway.since}`, { gateway, at: now });
  }
  for (const old of [...seen.keys()].slice(0, Math.max(0, seen.size - MAX_SEEN))) {
    seen.delete(old);
  }
  for (const row of seen.values()) {
    row.gone = row.at === now ? undefined : row.gone ?? now;
  }
  return [...seen.values()];
}

/** The answer, or undefined where the token does not allow it. */
async function allowed(question) {
  try {
    return await question;
  } catch (refused) {
    if (refused.status === 401 || refused.status === 403 || refused.status === 404) {
      return undefined;
    }
    throw refused;
  }
}

/** Whether the gateway is ready, and the time of old data. */
let health = { status: 200 };
let shown;

/** Shows the gateway's health on the start page, also while refreshes fail. */
export function noteHealth(next) {
  const isNew = JSON.stringify(next) !== JSON.stringify(health);
  health = next;
  const place = document.getElementById('wrong');
  const isBad = unhealthy().length > 0;
  if (place !== null && (place.firstChild === null ? isBad : isNew)) {
    replace(place, isBad || shown !== undefined ? attention(shown) : []);
  }
}

function unhealthy() {
  const { status, word, reason, drainReason, asOf } = health;
  const list = [];
  if (status === 0) {
    list.push(el('li', { class: 'bad' }, `This gateway ${word === 'no answer' ? 'does not answer' : 'cannot be reached'}.`));
  } else if (word === 'draining') {
    list.push(el('li', { class: 'warn' }, 'This gateway is draining: it accepts no new claims.', drainReason ? [' Reason: ', strange(drainReason)] : null));
  } else if (status !== 200) {
    list.push(el('li', { class: 'bad' }, `This gateway is not ready: ${word}`, reason ? [' – ', strange(reason)] : null, '.'));
  }
  return asOf === undefined ? list : [...list, el('li', { class: 'warn' }, `This page shows the state of ${timeOfDay(new Date(asOf))}.`)];
}

const FRESH_MS = 1000;
let asked = { at: 0 };

let operator = true;

/** Whether the token may give orders. True until the gateway has answered. */
export function mayOperate() {
  return operator;
}

/** Lets the next call ask the gateway again, also if the last answer is recent. */
export function forgetOverview() {
  asked = { at: 0 };
}

/** Everything that the header and the start page show, asked for once in a refresh. */
export function overview() {
  if (Date.now() - asked.at > FRESH_MS) {
    asked = { at: Date.now(), answer: ask() };
  }
  return asked.answer;
}

async function ask() {
  const [figures, gateways, found, stuck, waits] = await Promise.all([
    allowed(getText('metrics')), allowed(get('v1/gateways')), get('v1/deadlocks').catch(() => undefined),
    allowed(get(`v1/keys?waiting=true&held_longer_than_s=${LONG_S}&sort=longest_hold&limit=${SHOWN}`)),
    allowed(get(`v1/keys?waiting_longer_than_s=${LONG_S}&sort=longest_wait&limit=${SHOWN}`))]);
  operator = gateways?.may_operate ?? true;
  const text = figures ?? '';
  const known = gateways === undefined ? [] : noteGateways(gateways.gateways);
  return {
    figures,
    self: gateways?.gateways.find(gateway => gateway.self),
    gateways: known,
    deadlocks: found?.deadlocks.filter(each => each.by === 'client').length,
    keys: metric(text, 'flockgate_keys', 'state="in_use"'),
    nodes: metric(text, 'flockgate_fleetlock_held'),
    staleNodes: metric(text, 'flockgate_fleetlock_stale_holders'),
    stuck,
    waits,
  };
}

function fullCaps(figures) {
  const caps = [...figures.matchAll(/^flockgate_cap_max\{cap="(\w+)"\} (\S+)$/gm)].map(([, name, most]) => [name, metric(figures, 'flockgate_cap_used', `"${name}"`), Number(most)]);
  return caps.filter(([, used, most]) => most > 0 && used >= most * NEARLY_FULL)
    .map(([name, used, most]) => el('li', { class: used >= most ? 'bad' : 'warn' }, `--${name.replaceAll('_', '-')}: ${used.toLocaleString('en')} of ${most.toLocaleString('en')} in use`));
}

/** Keys with waiters, and how many more there are. `what` says why a key is shown, `others` why the others would be. */
function waitedFor(found, what, others) {
  const list = (found?.keys ?? []).map(key => el('li', {}, keyLink(key), ': ', count(key.waiters, 'client'), key.waiters === 1 ? ' waits' : ' wait', what(key), '.'));
  return found?.matching > SHOWN ? [...list, el('li', {}, `${found.matching - SHOWN} more keys ${others} more than ${duration(LONG_S)}.`)] : list;
}

/** What is wrong, the worst first. */
function troubles({ figures, gateways, deadlocks, staleNodes, stuck, waits }) {
  const list = unhealthy();
  if (deadlocks > 0) {
    list.push(el('li', { class: 'bad' }, el('a', { href: '#/deadlocks' }, count(deadlocks, 'deadlock')), ': clients wait for each other, and none of them can go on.'));
  }
  list.push(...waitedFor(stuck, key => [', and ', el('span', {}, strange(key.holder?.name ?? key.holder?.address ?? 'a client')), ' has held it for ', age(key.oldest_hold_s, key.bounds)],
    'are waited for and held for'));
  list.push(...waitedFor(waits, key => [', the first for ', age(key.longest_wait_s)], 'have clients that have waited for'));
  for (const { gateway, gone } of gateways.filter(each => each.gone !== undefined)) {
    list.push(el('li', { class: 'warn' }, el('a', { href: '#/gateways' }, strange(gateway.gateway)), ` is gone since ${timeOfDay(gone)}.`));
  }
  if (staleNodes > 0) {
    list.push(el('li', { class: 'warn' }, el('a', { href: '#/groups' }, count(staleNodes, 'node')), staleNodes === 1 ? ' has' : ' have', ' held a reboot slot for longer than --fleetlock-stale-after.'));
  }
  return [...list, ...figures === undefined ? [] : fullCaps(figures)];
}

function totals({ figures, keys }) {
  const number = family => metric(figures, family) ?? 0;
  return [
    [number('dflockd_locks_held') + number('dflockd_semaphore_holders'), 'held'],
    [number('dflockd_lock_waiters') + number('dflockd_semaphore_waiters'), 'waiting'],
    [keys ?? 0, 'keys in use'],
    [metric(figures, 'flockgate_connections') ?? 0, 'connections'],
  ].map(([value, what]) => el('span', {}, el('strong', {}, value.toLocaleString('en')), ` ${what}`));
}

/** The beginning of the start page: what is wrong, or that nothing is, and the totals. */
export function attention(state) {
  shown = state;
  const wrong = state === undefined ? unhealthy() : troubles(state);
  return el('section', { 'aria-labelledby': 'attention', class: 'attention' },
    el('h2', { id: 'attention' }, wrong.length === 0 ? 'Nothing needs attention' : 'Needs attention'),
    wrong.length === 0 ? null : el('ul', {}, wrong),
    state?.figures === undefined ? null : el('p', { class: 'totals' }, totals(state)),
    el('p', { class: 'quiet' }, 'Checked: this gateway, deadlocks, keys with waiters that are held for more than 5 min, waits of more than 5 min, caps that are 80 % used, nodes with stale reboot slots, missing gateways. Times over 5 min are amber, over 1 h red.'));
}
