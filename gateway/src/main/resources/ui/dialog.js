// The dialog: for the token, and for every change, which needs a reason.
import { el, focusOn, replace, say } from './text.js';

const MAX_REASON_BYTES = 256;

const dialog = document.getElementById('dialog');
const waiting = [];

/** Updates the text of the open dialog. */
let renew = () => {};

/** Brings the open dialog up to date, after a refresh of the page. */
export function refreshDialog() {
  renew();
}

/** Opens the dialog, after those that are open. The promise has what `submit` gives, or null if the operator cancels. */
function open(content) {
  return new Promise(resolve => {
    waiting.push([content, resolve]);
    if (waiting.length === 1) {
      next();
    }
  });
}

function next() {
  const [content, resolve] = waiting[0];
  const focused = document.activeElement?.dataset.focus;
  let result = null;
  const finish = value => {
    result = value;
    dialog.close();
  };
  dialog.replaceChildren(content(finish));
  dialog.addEventListener('close', () => {
    dialog.replaceChildren();
    renew = () => {};
    waiting.shift();
    resolve(result);
    if (waiting.length > 0) {
      next();
    } else if (focused !== undefined) {
      focusOn(focused);
    }
  }, { once: true });
  dialog.showModal();
}

function form(title, body, buttons, submit) {
  return el('form', {
    onsubmit: event => {
      event.preventDefault();
      submit();
    },
  }, el('h2', { id: 'dialog-title' }, title), body, el('p', { class: 'row' }, buttons));
}

/** Asks for the token; null if there is none. */
export function askToken(wrong) {
  return open(finish => {
    const input = el('input', { type: 'password', autocomplete: 'off', required: true, id: 'token', autofocus: true });
    return form('Token', [
      wrong ? el('p', { class: 'bad', role: 'alert' }, 'The gateway does not know this token.') : null,
      el('p', {}, 'This gateway requires a token. This tab keeps it until you close it.'),
      el('label', {}, 'Token', input),
    ], [
      el('button', { type: 'button', onclick: () => finish(null) }, 'Cancel'),
      el('button', { type: 'submit' }, 'Use'),
    ], () => finish(input.value.trim()));
  });
}

/**
 * Asks for the reason of a change, and makes it. The promise is true when the change was made.
 *
 * `effects`: the sentences that describe the change, or a function that returns them after each
 * refresh; `{ over }` explains why the change is no longer possible. `number`: the label and the
 * current value of a number that the operator changes.
 */
export function confirmChange({ title, effects, number, verb, done, mark, optional, call }) {
  return open(finish => {
    const input = el('input', {
      type: 'text', required: !optional, maxlength: MAX_REASON_BYTES, autocomplete: 'off', id: 'reason', autofocus: number === undefined,
    });
    const amount = number === undefined ? null : el('input', { type: 'number', required: true, min: 1, value: number.value, id: 'number', autofocus: true });
    const fault = el('p', { class: 'bad', role: 'alert' });
    const button = el('button', { type: 'submit', class: 'main' }, verb);
    const told = el('div', { class: 'told' });
    renew = () => {
      const now = typeof effects === 'function' ? effects() : effects;
      replace(told, now.over === undefined ? now.map(effect => el('p', {}, effect)) : el('p', { class: 'bad', role: 'alert' }, now.over));
      button.disabled = calling || now.over !== undefined;
    };
    let calling = false;
    renew();
    return form(title, [
      told,
      el('p', { class: 'warn stale' }),
      amount === null ? null : el('label', {}, number.label, amount),
      el('label', {}, optional ? 'Reason (optional)' : 'Reason, for the log', input),
      fault,
    ], [
      el('button', { type: 'button', onclick: () => finish(null) }, 'Cancel'),
      button,
    ], async () => {
      const reason = input.value.trim();
      if (!optional && reason === '' || new TextEncoder().encode(reason).length > MAX_REASON_BYTES) {
        fault.textContent = `A reason has 1 to ${MAX_REASON_BYTES} bytes.`;
        return;
      }
      calling = true;
      button.disabled = true;
      try {
        const words = typeof done === 'function' ? done() : done;
        await call(encodeURIComponent(reason), amount?.value);
        say(words, mark ?? 'good');
        finish(true);
      } catch (refused) {
        calling = false;
        renew();
        fault.textContent = `Not done: ${refused.message}`;
      }
    });
  });
}
