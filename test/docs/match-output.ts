// Whether a command printed what the page shows. `...` stands for anything in a line, and alone for any lines; what is
// printed before and after these lines is not compared.
export function matchOutput(shown: string, printed: string): boolean {
  const lines = shown
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const pattern = lines.map((line) => (line === '...' ? anyLines : `${linePattern(line)}\\n`)).join('');
  return new RegExp(`\\n${pattern}`, 'u').test(`\n${plainLines(printed)}\n`);
}

const anyLines = '(?:[^\\n]*\\n)*?';

function linePattern(line: string): string {
  return line
    .split('...')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
    .join('[^\\n]*');
}

/**
 * Without empty lines, what surrounds a line, what npm prints about its settings and version, and what the service warns of
 * in its log: that a machine stands still is on no page.
 */
function plainLines(printed: string): string {
  return printed
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^npm (?:warn|notice)\b|^\{"level":[45]0,/.test(line))
    .join('\n');
}
