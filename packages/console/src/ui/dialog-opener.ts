// Remembers the element that had the focus when a dialog opened, to return the focus to it. The row of a list can be
// removed by then, and one dialog can replace another.
let outermost: Element | null = null;

export interface Opener {
  readonly focus: () => void;
}

export function noteOpener(): Opener {
  const opener = document.activeElement;
  // An element inside another dialog disappears with that dialog.
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
