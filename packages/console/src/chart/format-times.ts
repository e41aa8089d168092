// Formats times for a chart in the reader's language and time zone.
type Language = 'en' | 'zh';

export interface TimeFormats {
  /** `15 Nov` */
  day(at: number): string;
  /** `16:00` */
  clock(at: number): string;
  /** `16:00:08` */
  clockWithSeconds(at: number): string;
  /** The label below a grid line, where grid lines are `stepSeconds` apart. */
  tick(at: number, stepSeconds: number): string;
  /** `Sun 15 Nov, 16:00 – 17:00`; a bar of a whole day shows only its day. */
  span(from: number, to: number): string;
}

const secondsOfDay = 86_400;

export function localeOf(language: Language): string {
  return language === 'zh' ? 'zh-CN' : 'en-GB';
}

export function createTimeFormats(language: Language): TimeFormats {
  const locale = localeOf(language);
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
  const weekdays = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });
  const clocks = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const exact = new Intl.DateTimeFormat(locale, { timeStyle: 'medium', hourCycle: 'h23' });
  const isMidnight = (at: number) => new Date(at).getHours() === 0 && new Date(at).getMinutes() === 0;
  return {
    day: (at) => days.format(at),
    clock: (at) => clocks.format(at),
    clockWithSeconds: (at) => exact.format(at),
    tick: (at, stepSeconds) =>
      stepSeconds >= secondsOfDay || isMidnight(at) ? days.format(at) : clocks.format(at),
    span(from, to) {
      const day = weekdays.format(from);
      if (isMidnight(from) && isMidnight(to)) return day;
      return `${day}${language === 'zh' ? ' ' : ', '}${clocks.format(from)} – ${clocks.format(to)}`;
    },
  };
}
