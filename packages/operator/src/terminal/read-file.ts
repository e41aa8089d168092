// Reads a file that the command line names.
import { readFileSync } from 'node:fs';
import { CommandFailure, exitCodes } from './exit-codes.ts';

export function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `${file} cannot be read (${code}). Check its name and permissions.`,
      exitCodes.usage,
    );
  }
}
