// Single-key shortcuts: inactive while the user types, and switched off in the settings for users who dictate.
import { readonly, ref } from 'vue';
import { recall, remember } from '../remembered.ts';
import type { PageName } from './navigation.ts';

const isOn = ref(recall('shortcuts') !== 'off');
export const shortcutsOn = readonly(isOn);

export function setShortcuts(on: boolean): void {
  isOn.value = on;
  remember('shortcuts', on ? 'on' : 'off');
}

/** The second key after `g`. */
export const pageKeys = {
  h: 'overview',
  m: 'matrix',
  x: 'explain',
  e: 'endpoints',
  u: 'users',
  r: 'roles',
  d: 'departments',
  s: 'sessions',
  l: 'log',
  a: 'audit',
  k: 'keys',
} as const satisfies Record<string, PageName>;

export type Shortcut =
  | { readonly kind: 'search' | 'help' | 'next' | 'previous' }
  | { readonly kind: 'page'; readonly page: PageName };

const single = new Map<string, Shortcut>([
  ['/', { kind: 'search' }],
  ['?', { kind: 'help' }],
  ['j', { kind: 'next' }],
  ['k', { kind: 'previous' }],
]);

/** Reads keys one at a time; undefined for a key without a meaning, or with a sequence that is not complete. */
export function createKeyReader(): { read(key: string): Shortcut | undefined; forget(): void } {
  let isGoing = false;
  return {
    read(key) {
      const wasGoing = isGoing;
      isGoing = !wasGoing && key === 'g';
      if (!wasGoing) return single.get(key);
      const [, page] = Object.entries(pageKeys).find(([known]) => known === key) ?? [];
      return page === undefined ? undefined : { kind: 'page', page };
    },
    forget() {
      isGoing = false;
    },
  };
}

/** Text fields take letters, and so do lists with type-ahead search. */
const takesLetters =
  'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable], [role=dialog], [role=menu], [role=listbox], [role=tree]';

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(takesLetters) !== null;
}

/** Focuses the first link or button of the next row in the shown list. */
export function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll('main tbody tr')];
  const row = document.activeElement?.closest('tr') ?? null;
  const place = row === null ? -1 : rows.indexOf(row);
  const next = place === -1 ? (step === 1 ? 0 : rows.length - 1) : place + step;
  const target = rows[next]?.querySelector('a, button:enabled, input:enabled');
  if (target instanceof HTMLElement) target.focus();
}
