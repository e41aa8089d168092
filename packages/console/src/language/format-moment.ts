// Formats a time in the reader's time zone, exact to the second.
import type { Language } from './language.ts';

export function formatMoment(at: string, language: Language): string {
  return new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    dateStyle: 'medium',
    timeStyle: 'medium',
  }).format(new Date(at));
}
