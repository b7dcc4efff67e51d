// Shows the view that the address names, and keeps it fresh while the page is visible.
import { askAgain, forgetToken, hasDeclined, hasToken, readiness } from './api.js';
import { eventsView } from './events.js';
import { deadlocksView, gatewaysView, groupView, groupsView } from './fleet.js';
import { keyView, keysView } from './keys.js';
import { overview } from './status.js';
import { harmless, say, strange } from './text.js';

const INTERVAL_MS = 3000;
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

function open() {
  const [path, query] = (location.hash.slice(1) || '/').split('?', 2);
  const route = ROUTES.find(([known]) => path === known) ?? ROUTES.find(([known]) => known !== '/' && known.endsWith('/') && path.startsWith(known)) ?? ROUTES[0];
  current.left.abort();
  main.replaceChildren();
  const left = new AbortController();
  current = { left, refresh: route[1](main, path.slice(route[0].length), new URLSearchParams(query), left.signal) };
  document.getElementById('live-means').textContent = route[0] === '/events' ? 'show new events' : 'refresh every 3 s';
  const tab = route[0] === '/key/' ? '/' : route[0] === '/group/' ? '/groups' : route[0];
  for (const link of document.querySelectorAll('#nav a')) {
    link.toggleAttribute('aria-current', link.getAttribute('href') === `#${tab}`);
    if (link.hasAttribute('aria-current')) {
      link.setAttribute('aria-current', 'page');
    }
  }
  refresh();
}

async function refresh() {
  const shown = current;
  if (shown.busy) {
    return;
  }
  shown.busy = true;
  try {
    await Promise.all([shown.refresh(), showReadiness(), showState()]);
    refreshedAt = Date.now();
    showStale();
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
    forget.hidden = !hasToken() && !hasDeclined();
    forget.textContent = hasToken() ? 'Forget token' : 'Give token…';
  }
}

async function showReadiness() {
  const [status, word, reason] = await readiness();
  const pill = document.getElementById('ready');
  pill.className = `pill ${status === 200 ? 'good' : word === 'draining' ? 'warn' : 'bad'}`;
  pill.textContent = status === 200 ? 'ready' : `${word}${reason ? `: ${reason}` : ''}`;
}

/** The name of this gateway, and how much there is behind the tabs. */
async function showState() {
  const { self, deadlocks, gateways } = await overview();
  document.title = self ? `Flockgate ${harmless(self.gateway)}` : 'Flockgate';
  document.getElementById('gateway').replaceChildren(self ? strange(self.gateway) : '');
  showCount('deadlocks', deadlocks > 0 ? deadlocks : undefined, 'bad');
  showCount('gateways', gateways.length > 1 ? gateways.filter(each => each.gone === undefined).length : undefined);
}

function showCount(tab, number, kind) {
  const badge = document.getElementById(`count-${tab}`);
  badge.textContent = number === undefined ? '' : ` ${number}`;
  badge.className = kind ?? '';
}

/** Says so if what is shown is older than two refreshes. */
function showStale() {
  const old = Date.now() - refreshedAt > 2 * INTERVAL_MS;
  document.getElementById('stale').textContent = old ? `as of ${new Date(refreshedAt).toTimeString().slice(0, 8)}` : '';
}

setInterval(() => {
  showStale();
  if (live.checked && !document.hidden) {
    refresh();
  }
}, INTERVAL_MS);
window.addEventListener('hashchange', () => {
  open();
  main.focus();
});
document.addEventListener('visibilitychange', () => document.hidden || !live.checked || refresh());
document.getElementById('skip').addEventListener('click', event => {
  event.preventDefault();
  main.focus();
});
forget.addEventListener('click', () => {
  if (hasToken()) {
    forgetToken();
    say('The token is forgotten.');
  }
  askAgain();
  refresh();
});
open();
