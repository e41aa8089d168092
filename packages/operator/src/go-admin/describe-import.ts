// Formats the report of an import as text: the counts, and for each kind of finding the first few items with the fix.
import type { Finding } from './findings.ts';
import type { ImportReport } from './import-go-admin.ts';

/** The number of items shown of each kind; `--json` shows more. */
const shownItems = 10;

interface Painter {
  readonly table: (heads: readonly string[], rows: readonly (readonly (string | number)[])[]) => string;
  readonly plain: (text: string) => string;
  readonly strong: (text: string) => string;
}

export function describeImport(report: ImportReport, painter: Painter): string {
  const rows = (['departments', 'roles', 'users', 'rules', 'menus'] as const).map((name) => {
    const { read, imported, thereAlready, deleted, notNeeded, leftOut } = report[name];
    return [name, read, imported, thereAlready, deleted, notNeeded, leftOut].map((cell) =>
      cell.toLocaleString('en'),
    );
  });
  const heads = ['go-admin', 'Read', 'Imported', 'Already here', 'Deleted', 'Not needed', 'Left out'];
  const parts = [
    painter.table(heads, rows),
    ...report.findings.map((finding) => describeFinding(finding, painter)),
  ];
  if (!report.hasAdministrator)
    parts.push(
      painter.strong('No administrator is left:') +
        ' no enabled user has the role admin. Create one with `portcullis user create <username> --role admin --department <name>`.',
    );
  parts.push(
    report.revision === null
      ? 'Nothing was changed. Leave out --dry-run to import.'
      : `Done, with revision ${report.revision}. Nothing that existed here was changed, but for the copy of the menus.`,
  );
  return parts.join('\n\n');
}

function describeFinding({ about, effect, reason, remedy, count, items }: Finding, painter: Painter): string {
  const verb = effect === 'left out' ? 'Left out' : 'Imported differently';
  const noun = count === 1 ? about.slice(0, -1) : about;
  const shown = items
    .slice(0, shownItems)
    .map(({ what, reason: own }) => painter.plain(own === undefined ? `  ${what}` : `  ${what}: ${own}`));
  const rest = count - shown.length;
  return [
    `${painter.strong(`${verb}: ${count.toLocaleString('en')} ${noun}.`)} ${reason}`,
    `  ${remedy}`,
    ...shown,
    ...(rest > 0 ? [`  and ${rest.toLocaleString('en')} more`] : []),
  ].join('\n');
}
