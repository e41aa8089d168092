// Converts between the UTC times of the service and the `datetime-local` fields of the browser, which
// use the reader's time zone.

/** `2026-11-15T16:30`, the format of a `datetime-local` field; empty without a time. */
export function toLocalTime(moment: string | undefined): string {
  const date = new Date(moment ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const seconds = date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

/** The UTC time of a field; text that is not a time is returned unchanged, so that it is refused. */
export function fromLocalTime(text: string): string {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}
