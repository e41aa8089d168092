// Where a dialog took away the row that it was opened from, nothing is left to give the focus back to.
const moment = 100;

export function keepFocus(): void {
  setTimeout(() => {
    if (document.activeElement === document.body)
      document.getElementById('content')?.focus({ preventScroll: true });
  }, moment);
}
