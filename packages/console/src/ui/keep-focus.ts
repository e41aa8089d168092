// Moves the focus to the main content if a dialog removed the row from which it was opened.
const moment = 100;

export function keepFocus(): void {
  setTimeout(() => {
    if (document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, moment);
}
