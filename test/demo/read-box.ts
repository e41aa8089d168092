// The commands of the printed box, each as it stands there, with the lines that it is said to print.
export interface PrintedCommand {
  readonly command: string;
  readonly prints: readonly string[];
}

const arrow = '  → ';

export function readBox(text: string): PrintedCommand[] {
  const blocks = text.split('\n\n').filter((block) => /^ {2}(curl|[A-Z]+=\$\(curl)/.test(block));
  return blocks.map((block) => {
    const lines = block.split('\n').filter((line) => !line.startsWith('─'));
    const from = lines.findIndex((line) => line.startsWith(arrow));
    const printed = from === -1 ? '' : lines.slice(from).join('\n');
    return {
      command: (from === -1 ? lines : lines.slice(0, from)).join('\n'),
      // What is too long for a line goes on below it.
      prints: printed
        .split(arrow)
        .slice(1)
        .map((text) => text.trim().replace(/\n */g, ' ')),
    };
  });
}

/** Whether a line of the output is the printed one, where `...` stands for anything. */
export function isPrinted(output: string, printed: string): boolean {
  const pieces = printed.split('...').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return output.split(/\r?\n/).some((line) => new RegExp(`^${pieces.join('.+')}$`).test(line));
}
