// Reads and validates a file of group mappings. Its format is the output of `provider mappings --json`, with role keys
// instead of role ids. A department is given by its id, or by its name if the name is unique.
import { roleSources } from '@portcullis/contract';
import { CommandFailure } from '../../../terminal/exit-codes.ts';

export interface FileMapping {
  readonly group: string;
  readonly role: string;
  readonly department: string | number | null;
}

export interface MappingFile {
  readonly roleSource: (typeof roleSources)[number];
  readonly mappings: readonly FileMapping[];
}

export function readMappingFile(text: string): MappingFile {
  const { roleSource, mappings } = recordOf(parse(text), 'The file');
  const known = roleSources.find((name) => name === roleSource);
  if (known === undefined) refuse(`roleSource is one of ${roleSources.join(', ')}`);
  if (!Array.isArray(mappings)) refuse('mappings is a list');
  return { roleSource: known, mappings: mappings.map(readMapping) };
}

function readMapping(value: unknown, index: number): FileMapping {
  const place = `Mapping ${index + 1}`;
  const { group, role, department = null, ...others } = recordOf(value, place);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) refuse(`${place} has ${unknown}, and takes group, role and department`);
  if (typeof group !== 'string' || group === '') refuse(`${place} has no group`);
  if (typeof role !== 'string') refuse(`${place} has no role, which is the key of one`);
  if (department !== null && typeof department !== 'string' && typeof department !== 'number')
    refuse(`${place} has a department that is neither an id nor a name`);
  return { group, role, department };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return refuse('The file is no JSON');
  }
}

function recordOf(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(`${place} is no object`);
  return { ...value };
}

function refuse(reason: string): never {
  throw new CommandFailure(
    `Nothing was changed. ${reason}. \`portcullis provider mappings <key> --json\` prints such a file.`,
  );
}
