// Text that clients choose as harmless text, and elements made of it. Nothing on this page turns text into markup.

/** Controls, formats (among them bidirectional marks), separators and all blanks but the space. */
const DISTURBING = /(?! )[\p{C}\p{Z}]/gu;

/** The text with every character that is invisible or moves others written as an escape. */
export function harmless(text) {
  return String(text).replace(DISTURBING, c => {
    const hex = c.codePointAt(0).toString(16);
    return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
  });
}

/** A text for places with little room. */
export function shortened(text) {
  const characters = [...text];
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : text;
}

/** An element. Names that begin with "on" are listeners, true and false switch an attribute, strings become text. */
export function el(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith('on')) {
      made.addEventListener(key.slice(2), value);
    } else if (value !== false && value !== undefined) {
      made.setAttribute(key, value === true ? '' : value);
    }
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ''));
  return made;
}

/**
 * A text of a client: escaped, and isolated, so that letters written from right to left move nothing else. A line may
 * end after its slashes, hyphens and dots.
 */
export function strange(text, kind) {
  return el('bdi', { class: kind }, harmless(text).split(/(?<=[/.-])(?![/.-])/).map(part => el('span', { class: 'part' }, part)));
}

/** The text of a part of the address; as it stands if it is malformed. */
export function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A part of the address as one segment of a path. A browser would resolve or cut off what is escaped here. */
export function oneSegment(part) {
  return part.replace(/[^\w%.~-]/g, encodeURIComponent);
}

/** Whether a browser resolves this segment instead of sending it. */
export function isDots(segment) {
  return /^(\.|%2e){1,2}$/i.test(segment);
}

/** The name of a key. Keys whose bytes are no text are shown percent-encoded. */
export function keyName(key) {
  return strange(key.key_escaped ?? key.key, 'key');
}

/** The key as one segment of a path. */
export function segment(key) {
  return key.key_escaped ?? encodeURIComponent(key.key);
}

export function keyLink(key) {
  return el('a', { href: `#/key/${segment(key)}`, 'data-focus': `key ${segment(key)}` }, keyName(key));
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * A link to the page of another gateway; null if its address is not known, is none of the web, or is a loopback
 * address while this page is reached by another one. `place` distinguishes links to the same page.
 */
export function pageLink(gateway, place) {
  const address = URL.canParse(gateway.page) ? new URL(gateway.page) : null;
  if (address === null || !['http:', 'https:'].includes(address.protocol) || LOOPBACK.test(address.hostname) && !LOOPBACK.test(location.hostname)) {
    return null;
  }
  return el('a', { href: address.href, rel: 'noreferrer', 'data-focus': `${place} ${address.href}` }, strange(gateway.gateway));
}

/** A time as all views show it: in the time zone of this browser, and in UTC while the pointer is on it. */
export function moment(at) {
  const date = new Date(at);
  const two = number => String(number).padStart(2, '0');
  return el('time', { datetime: date.toISOString(), title: `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC` },
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${timeOfDay(date)}`);
}

export function timeOfDay(date) {
  return date.toTimeString().slice(0, 8);
}

const UNITS = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];

/** Seconds in at most two units. */
export function duration(seconds) {
  if (!(seconds >= 0)) {
    return '–';
  }
  if (seconds < 10) {
    return `${seconds.toFixed(1)} s`;
  }
  const whole = Math.floor(seconds);
  const first = UNITS.findIndex(([, size]) => whole >= size);
  const [unit, size] = UNITS[first];
  const parts = [`${Math.floor(whole / size)} ${unit}`];
  if (first + 1 < UNITS.length) {
    const [next, small] = UNITS[first + 1];
    const rest = Math.floor((whole % size) / small);
    if (rest > 0) {
      parts.push(`${rest} ${next}`);
    }
  }
  return parts.join(' ');
}

/** Longer holds and waits are amber, and the start page lists such keys. */
export const LONG_S = 300;
const VERY_LONG_S = 3600;

/** How long a client has held or waited: amber over 5 min, red over 1 h. */
export function age(seconds, isBound) {
  const kind = seconds > VERY_LONG_S ? 'bad' : seconds > LONG_S ? 'warn' : undefined;
  return el('span', { class: kind }, (isBound ? '≥ ' : '') + duration(seconds));
}

/** Refreshes a view after an order or a click. A failure is shown. */
export function renew(refresh) {
  return () => refresh().catch(failure => say(failure.message, 'bad'));
}

/** "1 waiter", "2 waiters". */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** A table of this class. A heading is a text, or [text, class]. */
export function table(caption, headings, rows, kind) {
  const head = headings.map(heading => {
    const [text, kind] = Array.isArray(heading) ? heading : [heading];
    return el('th', { scope: 'col', class: kind }, text);
  });
  return el('table', { 'aria-label': caption, class: kind }, el('thead', {}, el('tr', {}, head)), el('tbody', {}, rows));
}

/** Replaces the content of an element, but keeps the focus, and waits while its text is selected. */
export function replace(target, ...children) {
  const selection = document.getSelection();
  if (selection && !selection.isCollapsed && target.contains(selection.anchorNode)) {
    return;
  }
  const focused = target.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  target.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ''));
  if (focused !== undefined) {
    focusOn(focused);
  }
}

/** Puts the focus on the element of this data-focus, or on the main part. */
export function focusOn(name) {
  const found = [...document.querySelectorAll('[data-focus]')].find(each => each.dataset.focus === name);
  (found ?? document.getElementById('main')).focus({ preventScroll: true });
}

const SAID_MS = 15000;
let saying;

/** Shows a message, which screen readers announce. Only failures stay. */
export function say(text, kind) {
  const target = document.getElementById('say');
  clearTimeout(saying);
  target.className = kind ?? '';
  target.textContent = text;
  if (kind !== 'bad' && text !== '') {
    saying = setTimeout(() => say(''), SAID_MS);
  }
}
