// The shell completion script for bash; it also works in the old bash (3.2) of macOS.
import { type CommandCompletion, listSteps, quote } from './command-completions.ts';

export function bashCompletion(completions: readonly CommandCompletion[]): string {
  return `# Completion of portcullis for bash. Load it with: source <(portcullis completion bash)
_portcullis() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= known= files= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${listSteps(completions).map(quote).join('|')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $previous" in
${completions.flatMap(casesOfOptions).join('\n')}
    *)
      case "$at" in
${completions.map(caseOfCommand).join('\n')}
      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$known" -- "$current"))
  local IFS=$'\\n'
  [ -z "$files" ] || COMPREPLY+=($(compgen -f -- "$current"))
}
complete -F _portcullis portcullis
`;
}

/** The cases that complete the value of an option. */
function casesOfOptions({ words, options }: CommandCompletion): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ name, value }) => {
      const set =
        value === 'file' ? 'files=1' : `known=${quote(typeof value === 'string' ? '' : value.join(' '))}`;
      return `    ${quote(`${words} ${name}`)}) ${set} ;;`;
    });
}

function caseOfCommand({ words, commands, options, argument }: CommandCompletion): string {
  const known = [
    ...commands.map(({ name }) => name),
    ...(typeof argument === 'string' ? [] : argument),
    ...options.map(({ name }) => name),
  ];
  const files = argument === 'file' ? ' files=1' : '';
  return `        ${quote(words)}) known=${quote(known.join(' '))}${files} ;;`;
}
