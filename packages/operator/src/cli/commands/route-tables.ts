// Formats the output of `portcullis routes` as text tables.
import type { CatalogRoute, RouteImport, RouteReport } from '@portcullis/contract';
import { plain, table } from '../../terminal/output.ts';

type Row = readonly string[];

export function showImport(service: string, { prefix, added, removed, kept, skipped }: RouteImport): string {
  const nameOf = ({ method, path }: { method: string; path: string }) => [method, path];
  return [
    `${service}, with ${prefix === '' ? 'nothing' : prefix} in front of every path:`,
    ...section('Added', added.count, added.items.map(nameOf)),
    ...section('Removed', removed.count, removed.items.map(nameOf)),
    `Kept: ${kept}`,
    ...section(
      'Skipped',
      skipped.count,
      skipped.items.map(({ method, path, reason }) => [method ?? '', path, reason]),
    ),
  ].join('\n');
}

export function showRoutes(routes: readonly CatalogRoute[]): string {
  if (routes.length === 0)
    return 'There are no routes. Import them with `portcullis routes import <file> --service <name>`.';
  return table(
    ['Service', 'Method', 'Path', 'Tag', 'Title'],
    routes.map(({ service, method, path, tag, title }) => [service, method, path, tag, title]),
  );
}

export function showReport({ adminOnly, unmatchedRules, complete }: RouteReport): string {
  return [
    ...section(
      'Routes that only admin can call',
      adminOnly.count,
      adminOnly.items.map(({ service, method, path, title }) => [service, method, path, title]),
    ),
    ...section(
      'Rules that match no route',
      unmatchedRules.count,
      unmatchedRules.items.map(({ roleKey, method, path }) => [roleKey, method, path]),
    ),
    ...(complete ? [] : ['Comparing took too long and was abandoned: both lists may be too long.']),
  ].join('\n');
}

function section(title: string, count: number, rows: readonly Row[]): string[] {
  const shown = columns(rows).map((line) => `  ${line}`);
  const rest = count - shown.length;
  return [`${title}: ${count}`, ...shown, ...(rest > 0 ? [`  ... and ${rest} more`] : [])];
}

/** Escapes control characters in every cell, because documents and stored rules can hold any text. */
function columns(rows: readonly Row[]): string[] {
  const texts = rows.map((row) => row.map(plain));
  const widths: number[] = [];
  for (const row of texts)
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return texts.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
