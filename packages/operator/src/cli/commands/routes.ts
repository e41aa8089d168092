// `portcullis routes`: imports the route catalog from OpenAPI documents, and lists and reports routes.
import { readFileSync, statSync } from 'node:fs';
import {
  catalogLimits,
  deleteRoutesEndpoint,
  importRoutesEndpoint,
  listedLimits,
  listRoutesEndpoint,
  reportRoutesEndpoint,
  servicePattern,
} from '@portcullis/contract';
import { compareWithStored } from '@portcullis/server/permissions/catalog/catalog-store.ts';
import { describeImport } from '@portcullis/server/permissions/catalog/describe-import.ts';
import { parseOpenApi } from '@portcullis/server/permissions/catalog/open-api/parse-open-api.ts';
import { readDocument } from '@portcullis/server/permissions/catalog/open-api/read-document.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { countOf } from '../../terminal/count-of.ts';
import { CommandFailure } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { readAll } from '../../terminal/list-all.ts';
import { outputOf } from '../../terminal/output.ts';
import { wholeNumber } from '../../terminal/parse-argument.ts';
import { refusedAs } from '../../terminal/refused-as.ts';
import { refusePending, withOperator, withStore } from '../with-store.ts';
import { showImport, showReport, showRoutes } from './route-tables.ts';

export function addRoutes(program: Command): void {
  const routes = program.command('routes').description('The routes of business services.');
  addImport(routes);
  addList(routes);
  addRemove(routes);
  addReport(routes);
  addExamples(routes, 'portcullis routes report');
}

interface ImportOptions {
  readonly service: string;
  readonly prefix?: string;
  readonly dryRun?: boolean;
}

function addImport(routes: Command): void {
  const importing = routes
    .command('import')
    .summary('Import them from an OpenAPI document.')
    .description('Replace the routes of a service with those of its OpenAPI document.')
    .argument('<file>', 'the document, JSON or YAML')
    .requiredOption('--service <name>', 'the service, such as orders', serviceName)
    .option('--prefix <path>', "what stands in front of the paths, instead of the first\nserver's path")
    .option('--dry-run', 'only show what would change')
    .action((file: string, { service, dryRun = false, ...query }: ImportOptions) =>
      dryRun
        ? withStore(importing, async (store) => {
            await refusePending(store);
            const { parsed } = parseFile(file, query.prefix);
            const changes = await compareWithStored(store, service, parsed.routes);
            const imported = describeImport(parsed, changes);
            outputOf(importing).show({ service, changed: false, ...imported }, () =>
              [showImport(service, imported), 'Nothing was changed. Leave out --dry-run to import.'].join(
                '\n',
              ),
            );
          })
        : withOperator(importing, async (operator) => {
            const { document: body } = parseFile(file, query.prefix);
            const { data } = await operator.call(importRoutesEndpoint, { params: { service }, query, body });
            outputOf(importing).show({ service, ...data }, () => showImport(service, data));
          }),
    );
  addExamples(importing, 'portcullis routes import openapi.yaml --service orders --dry-run');
}

function addList(routes: Command): void {
  const list = routes
    .command('list')
    .description('List the routes of business services.')
    .option('--service <name>', 'only of this service', serviceName)
    .action((filter: { service?: string }) =>
      withOperator(list, async (operator) => {
        const items = await readAll(
          async (page) => (await operator.call(listRoutesEndpoint, { query: { ...filter, ...page } })).data,
        );
        outputOf(list).show({ items }, () => showRoutes(items));
      }),
    );
  addExamples(list, 'portcullis routes list --service orders');
}

function addRemove(routes: Command): void {
  const remove = routes
    .command('remove')
    .description('Forget the routes of a service.')
    .requiredOption('--service <name>', 'the service', serviceName)
    .action(({ service }: { service: string }) =>
      withOperator(remove, async (operator) => {
        const { data } = await operator.call(deleteRoutesEndpoint, { params: { service } }).catch(
          refusedAs({
            record_not_found: `${service} has no routes. \`portcullis routes list\` shows which services have some.`,
          }),
        );
        outputOf(remove).show(data, () => `Removed ${countOf(data.removed, 'route')} of ${service}.`);
      }),
    );
  addExamples(remove, 'portcullis routes remove --service orders');
}

function addReport(routes: Command): void {
  const report = routes
    .command('report')
    .summary('Show routes without rules, and the reverse.')
    .description('Show the routes that only admin can call, and the rules that match no route.')
    .option(
      '--limit <n>',
      `how many of each, at most ${listedLimits.report}`,
      wholeNumber(listedLimits.report),
      listedLimits.import,
    )
    .action((query: { limit: number }) =>
      withOperator(report, async (operator) => {
        const { data } = await operator.call(reportRoutesEndpoint, { query });
        outputOf(report).show(data, () => showReport(data));
      }),
    );
  addExamples(report, 'portcullis routes report');
}

function parseFile(file: string, prefix: string | undefined) {
  const read = readDocument(readText(file));
  if ('reason' in read) return refuse(file, read.reason);
  const parsed = parseOpenApi(read.document, { prefix });
  if ('reason' in parsed) return refuse(file, parsed.reason);
  // The parser accepts only objects.
  return { parsed, document: read.document as Record<string, unknown> };
}

function readText(file: string): string {
  try {
    // Checks the size before reading: a wrong file can have any size.
    if (statSync(file).size <= catalogLimits.documentBytes) return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return refuse(file, `The file cannot be read (${code}). Check its name and permissions.`);
  }
  return refuse(file, 'The file is too large: split the document into several services.');
}

function refuse(file: string, reason: string): never {
  throw new CommandFailure(`Nothing was imported from ${file}. ${reason}`);
}

function serviceName(text: string): string {
  if (new RegExp(servicePattern).test(text)) return text;
  throw new InvalidArgumentError(
    'Use 1 to 32 lowercase letters, digits, "_" or "-", a letter first; `portcullis` is taken.',
  );
}
