// Between the moments of the service and the fields of a browser, which know the reader's own clock alone.

/** `2026-11-15T16:30`, as a field of type `datetime-local` has it; empty where there is no moment. */
export function toLocalTime(moment: string | undefined): string {
  const date = new Date(moment ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const seconds = date.getSeconds() === 0 ? '' : `:${two(date.getSeconds())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}${seconds}`;
}

/** The moment of a field; what is no time is left as it is, to be refused. */
export function fromLocalTime(text: string): string {
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : new Date(at).toISOString();
}
