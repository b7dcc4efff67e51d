// Shows the view that the address names, and keeps it fresh while the page is visible.
import { askAgain, forgetToken, hasDeclined, hasToken, readiness } from './api.js';
import { isReporting, listen } from './changes.js';
import { refreshDialog } from './dialog.js';
import { eventsView } from './events.js';
import { deadlocksView, gatewaysView, groupView, groupsView } from './fleet.js';
import { keyView, keysView } from './keys.js';
import { forgetOverview, noteHealth, overview } from './status.js';
import { count, harmless, pageLink, replace, say, shortened, strange, timeOfDay } from './text.js';

const INTERVAL_MS = 3000;
/** While events report changes. Ages still grow, and changes at other gateways cause no events here. */
const REPORTING_INTERVAL_MS = 12000;
/** Data are old if a refresh takes longer. */
const SLOW_MS = 5000;
const ROUTES = [
  ['/', (main, rest, parameters) => keysView(main, parameters)],
  ['/key/', (main, rest) => keyView(main, rest)],
  ['/deadlocks', main => deadlocksView(main)],
  ['/groups', main => groupsView(main)],
  ['/group/', (main, rest) => groupView(main, rest)],
  ['/gateways', main => gatewaysView(main)],
  ['/events', (main, rest, parameters, signal) => eventsView(main, parameters, signal)],
];

const main = document.getElementById('main');
const live = document.getElementById('live');
const forget = document.getElementById('forget');
let current = { refresh: async () => {}, left: new AbortController() };
let failed = false;
let refreshedAt = Date.now();
let triedAt = 0;
/** The last answers of /ready and of a refresh. */
let ready;
let known = {};

/** The time between two refreshes. */
function interval() {
  return isReporting() && !failed && ready?.status !== 0 ? REPORTING_INTERVAL_MS : INTERVAL_MS;
}

function open() {
  const [path, query] = (location.hash.slice(1) || '/').split('?', 2);
  const route = ROUTES.find(([known]) => path === known) ?? ROUTES.find(([known]) => known !== '/' && known.endsWith('/') && path.startsWith(known)) ?? ROUTES[0];
  current.left.abort();
  main.replaceChildren();
  const left = new AbortController();
  current = { left, refresh: route[1](main, path.slice(route[0].length), new URLSearchParams(query), left.signal) };
  current.isStream = route[0] === '/events';
  const tab = route[0] === '/key/' ? '/' : route[0] === '/group/' ? '/groups' : route[0];
  for (const link of document.querySelectorAll('#nav a')) {
    link.toggleAttribute('aria-current', link.getAttribute('href') === `#${tab}`);
    if (link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'page');
    }
  }
  watch();
  refresh();
}

/** Listens for changes while the page is visible. The events view has a stream of its own. */
function watch() {
  listen(live.checked && !document.hidden && !current.isStream, () => {
    if (live.checked && !document.hidden && !current.isStream) {
      return refresh(true);
    }
    return undefined;
  }, showMeaning);
  showMeaning();
}

function showMeaning() {
  document.getElementById('live-means').textContent = current.isStream ? 'show new events' : isReporting() ? 'live' : 'refresh every 3 s';
}

/** A refresh that a change asks for is repeated if another one is in progress. */
async function refresh(changed) {
  const shown = current;
  if (shown.busy) {
    shown.again ||= changed === true;
    return;
  }
  shown.busy = true;
  shown.again = false;
  triedAt = Date.now();
  forgetOverview();
  try {
    // /ready first: a browser has few connections to one server.
    await Promise.all([askReadiness(), shown.refresh(), showState()]);
    refreshedAt = Date.now();
    showHealth();
    refreshDialog();
    if (failed) {
      failed = false;
      say('');
    }
  } catch (failure) {
    if (shown === current) {
      failed = true;
      say(failure.message, 'bad');
    }
  } finally {
    shown.busy = false;
    if (shown.again && shown === current) {
      setTimeout(() => shown === current && live.checked && refresh(), INTERVAL_MS / 3);
    }
    forget.hidden = !hasToken() && !hasDeclined();
    forget.textContent = hasToken() ? 'Forget token' : 'Give token…';
  }
}

async function askReadiness() {
  const [status, word, reason] = await readiness();
  ready = { status, word, reason };
  showHealth();
}

/** Shows whether the gateway is ready, and the page current. */
function showHealth() {
  const old = isOld();
  for (const each of document.querySelectorAll('.stale')) {
    each.textContent = old ? `as of ${timeOfDay(new Date(refreshedAt))}` : '';
  }
  if (ready !== undefined) {
    const [kind, text] = badge(old);
    const pill = document.getElementById('ready');
    pill.className = `pill ${kind}`;
    pill.textContent = text;
    noteHealth({ ...ready, drainReason: known.self?.drain_reason, asOf: old ? refreshedAt : undefined });
  }
}

/** Whether what is shown is older than two refreshes, or the gateway does not answer. */
function isOld() {
  const now = Date.now();
  return ready?.status === 0 || refreshedAt < triedAt && now - triedAt > SLOW_MS || now - refreshedAt > 2 * interval();
}

/** Class and text of the badge. */
function badge(old) {
  const { status, word, reason } = ready;
  if (status === 200) {
    return known.deadlocks > 0 ? ['bad', `ready, ${count(known.deadlocks, 'deadlock')}`] : old ? ['warn', 'ready, old data'] : ['good', 'ready'];
  }
  const why = word === 'draining' ? known.self?.drain_reason ?? reason : reason;
  return [word === 'draining' ? 'warn' : 'bad', why ? `${word}: ${shortened(harmless(why))}` : word];
}

/** The name of this gateway, and how much there is behind the tabs. */
async function showState() {
  known = await overview();
  const { self, deadlocks, gateways, keys, nodes, staleNodes } = known;
  document.title = self ? `Flockgate ${harmless(self.gateway)}` : 'Flockgate';
  document.getElementById('gateway').replaceChildren(self ? strange(self.gateway) : '');
  replace(document.getElementById('elsewhere'), elsewhere(gateways));
  showCount('keys', keys, 'in use');
  showCount('groups', nodes, nodes === 1 ? 'node' : 'nodes', staleNodes > 0);
  showCount('deadlocks', deadlocks, 'found', true);
  showCount('gateways', gateways.length > 1 ? gateways.filter(each => each.gone === undefined).length : 0, 'alive');
}

const LINKED = 8;

/** Links to the pages of other gateways that are alive. The gateways view lists all of them. */
function elsewhere(gateways) {
  const links = gateways.filter(each => each.gone === undefined && !each.gateway.self).map(each => pageLink(each.gateway, 'header')).filter(link => link !== null);
  return links.length === 0 ? [] : ['also: ', ...links.slice(0, LINKED).flatMap((link, at) => at === 0 ? [link] : [', ', link]), links.length > LINKED ? ', …' : ''];
}

/** A tab without anything behind it has no number. */
function showCount(tab, number, what, isBad) {
  const badge = document.getElementById(`count-${tab}`);
  badge.textContent = number > 0 ? ` ${number.toLocaleString('en')} ${what}` : '';
  badge.className = isBad ? 'bad' : '';
}

/** Between two refreshes, asks whether the gateway still answers. */
function tick() {
  showHealth();
  watch();
  if (!live.checked || document.hidden) {
    return;
  }
  if (Date.now() - triedAt >= interval() - INTERVAL_MS / 2) {
    refresh();
  } else if (!current.busy) {
    askReadiness();
  }
}

setInterval(tick, INTERVAL_MS);
live.addEventListener('change', watch);
window.addEventListener('hashchange', () => {
  open();
  main.focus();
});
document.addEventListener('visibilitychange', () => {
  watch();
  if (!document.hidden && live.checked) {
    refresh();
  }
});
document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});
forget.addEventListener('click', () => {
  if (hasToken()) {
    forgetToken();
    listen(false);
    watch();
    say('The token is forgotten.');
  }
  askAgain();
  refresh();
});
open();
