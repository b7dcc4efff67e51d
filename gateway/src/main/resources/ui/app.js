// Shows the view that the address names, and keeps it fresh while the page is visible.
import { askAgain, forgetToken, hasDeclined, hasToken, readiness } from './api.js';
import { eventsView } from './events.js';
import { deadlocksView, gatewaysView, groupView, groupsView } from './fleet.js';
import { keyView, keysView } from './keys.js';
import { say } from './text.js';

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
    await Promise.all([shown.refresh(), showReadiness()]);
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
  pill.className = `pill ${status === 200 ? 'good' : 'bad'}`;
  pill.textContent = status === 200 ? 'ready' : `${word}${reason ? `: ${reason}` : ''}`;
}

setInterval(() => {
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
