// The shell completion script for fish.
import { type CommandCompletion, type CompletionOption, listSteps, quote } from './command-completions.ts';

export function fishCompletion(completions: readonly CommandCompletion[]): string {
  return `# Completion of portcullis for fish.
function __portcullis_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${listSteps(completions).map(quote).join(' ')}
        set at (string trim -- "$at $word")
    end
  end
  test "$at" = "$argv[1]"
end
complete -c portcullis -f
${completions.flatMap(linesOf).join('\n')}
`;
}

function linesOf({ words, commands, options, argument }: CommandCompletion): string[] {
  const here = `complete -c portcullis -n ${quote(`__portcullis_at "${words}"`)}`;
  return [
    ...commands.map(({ name, description }) => `${here} -a ${name} -d ${quote(description)}`),
    ...(argument === 'file' ? [`${here} -F`] : []),
    ...(typeof argument === 'string' ? [] : [`${here} -a ${quote(argument.join(' '))}`]),
    ...options.map((option) => `${here} ${partsOf(option)}`),
  ];
}

function partsOf({ name, description, value }: CompletionOption): string {
  const option = `-l ${name.replace(/^--/, '')} -d ${quote(description)}`;
  if (value === 'none') return option;
  if (value === 'file') return `${option} -r -F`;
  return value === 'unknown' ? `${option} -x` : `${option} -x -a ${quote(value.join(' '))}`;
}
