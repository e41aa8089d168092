// A moment that a caller sent, which the schema has found to look like one.
import { AppError } from '@portcullis/contract';

export function parseMoment(text: string): number {
  const milliseconds = Date.parse(text);
  // The format knows leap seconds; Date does not.
  if (Number.isNaN(milliseconds)) throw new AppError('params_invalid');
  return milliseconds;
}
