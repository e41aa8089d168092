// Changes of a script by rules, found in its syntax tree: no comment, type or string is touched, but conditions of SQL in
// templates are.
import { parseAst } from 'rolldown/parseAst';
import type { Change, Rule } from './fault.ts';
import { sqlChanges } from './sql-changes.ts';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

interface Place {
  readonly text: string;
  readonly node: Node;
  /** Those around it, the nearest last. */
  readonly around: readonly Node[];
  /** Of a folder whose work is to wire parts. */
  readonly isComposition: boolean;
}

interface Script {
  /** Without types: what Node and the bundler run. */
  readonly text: string;
  readonly isComposition: boolean;
}

export function scriptChanges({ text, isComposition }: Script): Change[] {
  const changes: Change[] = [];
  const visit = (node: Node, around: readonly Node[]) => {
    const place = { text, node, around, isComposition };
    for (const find of finders) changes.push(...find(place));
    for (const child of childrenOf(node)) visit(child, [...around, node]);
  };
  visit(parse(text), []);
  return changes;
}

export function parse(text: string): Node {
  return parseAst(text, { lang: 'ts', sourceType: 'module' }) as unknown as Node;
}

/** Types are left out; an expression with a type beside it is not. */
function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof (value as Node | null)?.type === 'string')
    .filter(({ type }) => !type.startsWith('TS') || expressionsWithTypes.has(type));
}

const expressionsWithTypes = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

const finders: readonly ((place: Place) => Change[])[] = [
  dropOperand,
  dropIf,
  dropCall,
  dropWhere,
  dropSqlCondition,
  dropAwait,
  dropProperty,
  dropElement,
  negateComparison,
];

/** One operand of a chain of && or ||: the constant that decides nothing stands there. */
function dropOperand({ node }: Place): Change[] {
  const { operator } = node;
  if (node.type !== 'LogicalExpression' || operator === '??') return [];
  return [node.left as Node, node.right as Node]
    .filter(({ type, operator: inner }) => type !== 'LogicalExpression' || inner !== operator)
    .map(({ start, end }) => {
      return { rule: 'operand', start, end, replacement: String(operator === '&&'), shown: node };
    });
}

const leaving = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);

/** What stands under an `if` never happens. It is a guard clause where it leaves the function or the loop. */
function dropIf({ text, node }: Place): Change[] {
  if (node.type !== 'IfStatement') return [];
  const { test, consequent, alternate } = node as unknown as Record<'test' | 'consequent', Node> & {
    alternate: Node | null;
  };
  const last = (consequent.type === 'BlockStatement' ? (consequent.body as Node[]) : [consequent]).at(-1);
  const rule: Rule = alternate === null && leaving.has(last?.type ?? '') ? 'guard' : 'if';
  if (/^\(?(true|false)\)?$/.test(text.slice(test.start, test.end))) return [];
  const shown = { start: node.start, end: consequent.end };
  return [{ rule, start: test.start, end: test.end, replacement: 'false', shown }];
}

const guardName = /^(check|refuse|require|assert|ensure|confirm|forbid|verify|reject|lock)(?![a-z])/;

/** A statement that is one call: of a check or a lock; in a composition, of any wiring. */
function dropCall({ text, node, isComposition }: Place): Change[] {
  if (node.type !== 'ExpressionStatement') return [];
  let call = node.expression as Node;
  while (call.type === 'AwaitExpression' || call.type === 'ChainExpression')
    call = (call.argument ?? call.expression) as Node;
  if (call.type !== 'CallExpression') return [];
  const callee = call.callee as Node;
  const name = nameOf(callee);
  const change = { start: node.start, end: node.end, replacement: ';', shown: node };
  if (guardName.test(name)) return [{ rule: 'guard', ...change }];
  const isLogged = /^(logger|log|console)\b/.test(text.slice(callee.start, callee.end));
  return isComposition && !isLogged ? [{ rule: 'wiring', ...change }] : [];
}

/** `.where(...)` of a chain of calls. */
function dropWhere({ text, node }: Place): Change[] {
  if (node.type !== 'CallExpression') return [];
  const callee = node.callee as Node;
  if (callee.type !== 'MemberExpression' || !/^(where|whereRef|having)$/.test(nameOf(callee))) return [];
  return [removal('where', text.lastIndexOf('.', (callee.property as Node).start), node.end)];
}

function dropSqlCondition({ text, node }: Place): Change[] {
  if (node.type !== 'TaggedTemplateExpression' || nameOf(node.tag as Node) !== 'sql') return [];
  const { start, end, expressions } = node.quasi as unknown as Node & { expressions: readonly Node[] };
  const opaque = expressions.map((expression) => ({
    start: text.lastIndexOf('${', expression.start),
    end: text.indexOf('}', expression.end) + 1,
  }));
  return sqlChanges(text, start + 1, end - 1, opaque);
}

/** Where the value is not used, or where a promise is as good as `true`. Elsewhere types see it at once. */
function dropAwait({ text, node, around }: Place): Change[] {
  const parent = around.at(-1);
  if (node.type !== 'AwaitExpression' || parent === undefined) return [];
  const isTest =
    parent.test === node ||
    (parent.type === 'UnaryExpression' && parent.operator === '!') ||
    (parent.type === 'LogicalExpression' && parent.left === node && parent.operator !== '??');
  const isTried = parent.type === 'ReturnStatement' && isInsideTry(around, parent);
  if (parent.type !== 'ExpressionStatement' && !isTest && !isTried) return [];
  const word = /^await\s*/.exec(text.slice(node.start))?.[0] ?? '';
  return [removal('await', node.start, node.start + word.length, parent)];
}

/** Of the same function. */
function isInsideTry(around: readonly Node[], inner: Node): boolean {
  const own = around.slice(around.findLastIndex(({ type }) => /Function/.test(type)) + 1);
  return own.some(({ type, block }) => type === 'TryStatement' && covers(block as Node, inner));
}

function covers(outer: Node, { start, end }: Node): boolean {
  return outer.start <= start && end <= outer.end;
}

const maker = /^(create|compose|start|open|mount|serve|build|make|register)[A-Z]/;

/** One property that a call such as `createGuard({ ... })` is given. */
function dropProperty({ text, node, around }: Place): Change[] {
  const call = around.at(-1);
  if (node.type !== 'ObjectExpression' || call?.type !== 'CallExpression') return [];
  const name = nameOf(call.callee as Node);
  if (!maker.test(name)) return [];
  return (node.properties as readonly Node[]).map((property) => ({ ...listed(text, property), of: name }));
}

/** Of an array: a spread result of a call, such as the problems of one check; in a composition, any call. */
function dropElement({ text, node, isComposition }: Place): Change[] {
  if (node.type !== 'ArrayExpression') return [];
  const elements = (node.elements as readonly (Node | null)[]).filter((element) => element !== null);
  return elements
    .filter((element) => {
      const isSpread = element.type === 'SpreadElement';
      const value = isSpread ? (element.argument as Node) : element;
      return value.type === 'CallExpression' && (isSpread || isComposition);
    })
    .map((element) => listed(text, element));
}

/** With the comma behind it, so that no hole stays. */
function listed(text: string, part: Node): Change {
  const comma = /^\s*,/.exec(text.slice(part.end))?.[0].length ?? 0;
  return removal('wiring', part.start, part.end + comma);
}

const opposites: Readonly<Record<string, string>> = {
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '>=': '<',
  '>': '<=',
  '<=': '>',
};

function negateComparison({ text, node }: Place): Change[] {
  const operator = node.operator as string;
  const opposite = opposites[operator];
  if (node.type !== 'BinaryExpression' || opposite === undefined) return [];
  const start = text.indexOf(operator, (node.left as Node).end);
  return [{ rule: 'comparison', start, end: start + operator.length, replacement: opposite, shown: node }];
}

function removal(rule: Rule, start: number, end: number, shown?: { start: number; end: number }): Change {
  return { rule, start, end, replacement: '', ...(shown && { shown }) };
}

/** Of a function, or of the last part of `a.b.c`. */
function nameOf(callee: Node): string {
  if (callee.type === 'MemberExpression') return nameOf(callee.property as Node);
  return typeof callee.name === 'string' ? callee.name : '';
}
