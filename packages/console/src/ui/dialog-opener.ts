// What had the focus when a dialog opened, and gets it back. The row of a list may be gone by then, and a dialog may have
// taken the place of another one.
let outermost: Element | null = null;

export interface Opener {
  readonly focus: () => void;
}

export function noteOpener(): Opener {
  const opener = document.activeElement;
  // What was focused inside another dialog goes with it.
  if (opener?.closest('[role=dialog]') === null) outermost = opener;
  const beside = outermost;
  return {
    focus() {
      const places = [opener, beside, document.getElementById('content')];
      const next = places.find((place) => place?.isConnected === true && place !== document.body);
      if (next instanceof HTMLElement) next.focus({ preventScroll: next.id === 'content' });
    },
  };
}
