// Deadlocks, the groups of FleetLock, and the gateways.
import { change, get, getText, readiness } from './api.js';
import { confirmChange } from './dialog.js';
import { client, release, releaseButton, who } from './keys.js';
import { mayOperate, metric, noteGateways, overview } from './status.js';
import { age, count, decoded, duration, el, harmless, isDots, keyLink, moment, oneSegment, pageLink, renew, replace, segment, strange, table, timeOfDay } from './text.js';

/** Shows why a part is missing; other failures are the caller's. */
async function orMissing(result, refresh) {
  try {
    await refresh();
  } catch (refused) {
    if (refused.status !== 403 && refused.status !== 404) {
      throw refused;
    }
    replace(result, el('p', { class: 'quiet' }, `Not shown: ${refused.message}.`));
  }
}

export function deadlocksView(main) {
  const result = el('div', {});
  main.append(el('h1', {}, 'Deadlocks'), el('p', { class: 'quiet' }, 'Clients that each hold a key for which another of them waits. Release one of the keys so that the others can continue.'), result);
  const fences = new Set();
  const refresh = () => orMissing(result, async () => {
    const [found] = await Promise.all([get('v1/deadlocks'), overview()]);
    fences.clear();
    found.deadlocks.forEach(deadlock => deadlock.clients.forEach(step => fences.add(step.fence)));
    replace(result, found.deadlocks.length === 0 ? el('p', {}, found.complete ? 'None.' : 'None found, but not all keys were checked.') : found.deadlocks.map((deadlock, at) => cycle(deadlock, at, fences, refresh)));
  });
  return refresh;
}

/** Releases what a client of a deadlock holds. `fences` are those of all deadlocks of the last refresh. */
function stepButton(step, fences, refresh) {
  const key = { key: step.holds, key_escaped: step.holds_escaped };
  if (isDots(segment(key))) {
    return null;
  }
  return releaseButton(step.fence, async () => {
    const path = `v1/keys/${segment(key)}`;
    const first = await get(`${path}?limit=1`).then(found => found.queue[0], () => undefined);
    const next = first === undefined ? 'the first waiter' : who(first);
    await release(key, path, step, () => el('span', {}, 'The slot goes to ', strange(next), ', so that the others can continue.'), () => `The slot goes to ${harmless(next)}.`, () => !fences.has(step.fence));
    await renew(refresh)();
  });
}

function cycle(deadlock, at, fences, refresh) {
  return el('section', { 'aria-labelledby': `cycle-${at}` },
    el('h2', { id: `cycle-${at}` }, `A cycle of ${count(deadlock.client_count, deadlock.by === 'name' ? 'name' : 'client')}`),
    deadlock.by === 'name' ? el('p', { class: 'quiet' }, 'A suspicion: names are what clients say of themselves.') : null,
    table(`Cycle ${at + 1}`, ['Who', 'Holds', 'Waits for'], deadlock.clients.map(step => el('tr', {},
      el('td', {}, client(step)),
      el('td', {}, keyLink({ key: step.holds, key_escaped: step.holds_escaped }), el('small', {}, 'for ', age(step.held_s)), step.fence && mayOperate() ? stepButton(step, fences, refresh) : null),
      el('td', {}, keyLink({ key: step.waits_for, key_escaped: step.waits_for_escaped }), el('small', {}, 'for ', age(step.waiting_s))))), 'cycle'));
}

function groupState(group) {
  const parts = group.configured === false ? [el('small', { class: 'bad' }, 'not configured')] : [];
  if (group.paused) {
    parts.push(el('small', { class: 'bad' }, 'paused: ', strange(group.pause_reason ?? '')));
  }
  if (group.stale > 0) {
    parts.push(el('small', { class: 'bad' }, `${group.stale} stale`));
  }
  if (!group.window_open) {
    parts.push(el('small', {}, group.next_opening ? ['closed until ', moment(group.next_opening)] : 'closed'));
  }
  return parts;
}

function pauseButton(group, refresh) {
  const path = `v1/fleetlock/groups/${encodeURIComponent(group.group)}`;
  const act = () => confirmChange(group.paused ? {
    title: 'Resume', effects: [`The group ${group.group} grants slots again.`], verb: 'Resume', done: `Resumed. The group ${harmless(group.group)} grants slots again.`, optional: true,
    call: reason => change('POST', `${path}/resume?reason=${reason}`),
  } : {
    title: 'Pause', effects: [`The group ${group.group} grants no new slots. Holders keep theirs.`], verb: 'Pause', done: `Paused. The group ${harmless(group.group)} grants no new slots.`, mark: 'warn',
    call: reason => change('POST', `${path}/pause?reason=${reason}`),
  }).then(renew(refresh));
  return el('button', { type: 'button', onclick: act, 'data-focus': `pause ${group.group}`, 'aria-label': `${group.paused ? 'Resume' : 'Pause'} ${group.group}` }, group.paused ? 'Resume…' : 'Pause…');
}

export function groupsView(main) {
  const result = el('section', { 'aria-label': 'Groups' });
  main.append(el('h1', {}, 'Reboot groups'), result);
  const refresh = () => orMissing(result, async () => {
    const { groups } = await get('v1/fleetlock/groups');
    replace(result, table('Groups', ['Group', ['Held', 'number'], ''], groups.map(group => el('tr', {},
      el('td', {}, el('a', { href: `#/group/${encodeURIComponent(group.group)}`, 'data-focus': `group ${group.group}` }, strange(group.group)), groupState(group)),
      el('td', { class: 'number' }, `${group.held} of ${group.slots}`),
      el('td', { class: 'number' }, pauseButton(group, refresh))))));
  });
  return refresh;
}

/** One group; `part` is the part of the address that names it. Heading and orders have the name that the gateway answers. */
export function groupView(main, part) {
  const path = oneSegment(part);
  const heading = el('h1', {}, 'Reboot group');
  const result = el('section', { 'aria-label': 'Group' });
  main.append(heading, result);
  if (isDots(path)) {
    result.append(el('p', {}, 'A browser cannot request the group ', el('code', {}, decoded(path)), '. Use flockgate fleetlock.'));
    return async () => {};
  }
  const refresh = () => orMissing(result, async () => {
    const group = await get(`v1/fleetlock/groups/${path}`);
    heading.replaceChildren('Reboot group ', strange(group.group));
    replace(result, el('p', {}, `${group.held} of ${group.slots} slots held `, pauseButton(group, refresh)), groupState(group),
      group.holders.length === 0 ? el('p', { class: 'quiet' }, 'No node holds a slot.')
        : table('Nodes', ['Node', ['Held for', 'time'], ['', 'orders']], group.holders.map(holder => nodeRow(group, holder, refresh)), 'people'));
  });
  return refresh;
}

function nodeRow(group, holder, refresh) {
  const unlock = () => confirmChange({
    title: 'Unlock',
    effects: [el('span', {}, 'This releases the slot of node ', strange(holder.id), '. The next node that asks may reboot, also if this one is still down.')],
    verb: 'Unlock',
    done: `Unlocked. The node ${harmless(holder.id)} has no slot of ${harmless(group.group)} any more.`,
    call: reason => change('DELETE', `v1/fleetlock/groups/${encodeURIComponent(group.group)}/holders/${encodeURIComponent(holder.id)}?reason=${reason}&fence=${holder.fence}`),
  }).then(renew(refresh));
  return el('tr', {},
    el('td', {}, strange(holder.id, 'key'), el('small', {}, [holder.address && strange(holder.address), holder.gateway && ' at ', holder.gateway && strange(holder.gateway)].filter(Boolean)),
      holder.stale ? el('small', { class: 'bad' }, 'stale') : null),
    el('td', {}, duration(holder.age_s), el('small', {}, 'last seen ', holder.last_seen ? moment(holder.last_seen) : '–')), el('td', {}, isDots(holder.id) ? el('small', {}, 'Use flockgate fleetlock unlock.')
      : el('button', { type: 'button', class: 'act', onclick: unlock, 'data-focus': `unlock ${holder.id}`, 'aria-label': `Unlock ${holder.id}` }, 'Unlock…')));
}

function figures(text) {
  const number = (family, labels) => metric(text, family, labels)?.toLocaleString('en') ?? '–';
  return [
    ['Up for', duration(metric(text, 'dflockd_uptime_seconds'))],
    ['Keys in use, idle, cap', `${number('flockgate_keys', 'state="in_use"')}, ${number('flockgate_keys', 'state="idle"')}, ${number('flockgate_keys_max')}`],
    ['Held locks and slots', `${number('dflockd_locks_held')} and ${number('dflockd_semaphore_holders')}`],
    ['Waiting for locks and slots', `${number('dflockd_lock_waiters')} and ${number('dflockd_semaphore_waiters')}`],
    ['Connections: line protocol, HTTP', `${number('flockgate_connections', 'protocol="tcp"')}, ${number('flockgate_connections', 'protocol="http"')}`],
    ['HTTP sessions', number('dflockd_http_sessions')],
    ['Refusals since start', number('flockgate_refused_total')],
  ];
}

function facts(list) {
  return el('dl', {}, list.flatMap(([term, value]) => [el('dt', {}, term), el('dd', {}, value)]));
}

export function gatewaysView(main) {
  const health = el('section', { 'aria-labelledby': 'health' });
  const numbers = el('div', {});
  const others = el('div', {});
  main.append(el('h1', {}, 'Gateways'), health, el('section', { 'aria-labelledby': 'numbers' }, el('h2', { id: 'numbers' }, 'Figures of this gateway'), numbers),
    el('section', { 'aria-labelledby': 'others' }, el('h2', { id: 'others' }, 'Gateways of this cluster'), others));
  const refresh = async () => {
    const [[status, word, reason], { self }] = await Promise.all([readiness(), overview()]);
    const why = self?.drain_reason ?? reason;
    replace(health, el('h2', { id: 'health' }, 'This gateway'), facts([
      ['Address', location.host],
      ['Ready', el('span', { class: status === 200 ? 'good' : 'bad' }, status === 200 ? 'yes' : [`no: ${word}`, why ? [' – ', strange(why)] : ''])],
    ]), mayOperate() ? el('p', { class: 'row' }, drainButton(status === 200, refresh)) : null);
    await orMissing(numbers, async () => replace(numbers, facts(figures(await getText('metrics')))));
    await orMissing(others, async () => refreshOthers(others));
  };
  return refresh;
}

function drainButton(ready, refresh) {
  const act = () => confirmChange(ready ? {
    title: 'Drain', verb: 'Drain', done: 'Draining. This gateway accepts no new claims.', mark: 'warn',
    effects: ['/ready says 503, so load balancers send no new clients. New claims are refused. All else works: holders renew and release.', 'FleetLock grants no new slots here. Machines that hold one keep it.'],
    call: reason => change('POST', `v1/drain?reason=${reason}`),
  } : {
    title: 'End draining', verb: 'End draining', done: 'Draining has ended.', optional: true, effects: ['The gateway accepts claims again.'],
    call: reason => change('POST', `v1/undrain?reason=${reason}`),
  }).then(renew(refresh));
  return el('button', { type: 'button', onclick: act, 'data-focus': 'drain' }, ready ? 'Drain…' : 'End draining…');
}

async function refreshOthers(others) {
  const { gateways } = await get('v1/gateways');
  replace(others, table('All gateways', ['Gateway', 'Started', ''], noteGateways(gateways).map(gatewayRow)),
    el('p', { class: 'quiet' }, 'Alive means that the session of the gateway in Consul has not ended. A killed gateway is alive for up to twice the TTL of its session. Only its own page and /ready show whether another gateway is ready.'));
}

function gatewayRow({ gateway, gone }) {
  return el('tr', {},
    el('td', {}, gone === undefined && !gateway.self && pageLink(gateway, 'list') || strange(gateway.gateway), el('small', {}, gateway.version ? strange(gateway.version) : 'version not known')),
    el('td', {}, gateway.since ? moment(gateway.since) : 'not known'),
    el('td', {}, gone ? el('span', { class: 'bad' }, `gone since ${timeOfDay(gone)}`) : gateway.self ? el('span', { class: gateway.ready ? 'good' : 'bad' }, `this one${gateway.draining ? ', draining' : gateway.ready ? ', ready' : ', not ready'}`) : 'alive'));
}
