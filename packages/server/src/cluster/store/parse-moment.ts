// Parses a date and time of a caller, after the schema has checked its form.
import { AppError } from '@portcullis/contract';

export function parseMoment(text: string): number {
  const milliseconds = Date.parse(text);
  // The format allows leap seconds; Date does not.
  if (Number.isNaN(milliseconds)) throw new AppError('params_invalid');
  return milliseconds;
}
