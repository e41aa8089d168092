// The prototype of open files, for a disk that fails in one call.
import { type FileHandle, open } from 'node:fs/promises';

const handle = await open('/dev/null');
export const fileHandles = Object.getPrototypeOf(handle) as FileHandle;
await handle.close();

export function faultOf(code: string): Error {
  return Object.assign(new Error(code), { code });
}
