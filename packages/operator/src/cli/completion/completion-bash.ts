// The completion script for bash, also the old one of macOS.
import { listSteps, type Place, quote } from './completion-places.ts';

export function bashCompletion(places: readonly Place[]): string {
  return `# Completion of portcullis for bash. Load it with: source <(portcullis completion bash)
_portcullis() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} at= known= files= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${listSteps(places).map(quote).join('|')}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $previous" in
${places.flatMap(casesOfOptions).join('\n')}
    *)
      case "$at" in
${places.map(caseOfPlace).join('\n')}
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

/** Behind an option comes its value. */
function casesOfOptions({ words, options }: Place): string[] {
  return options
    .filter(({ value }) => value !== 'none')
    .map(({ name, value }) => {
      const set =
        value === 'file' ? 'files=1' : `known=${quote(typeof value === 'string' ? '' : value.join(' '))}`;
      return `    ${quote(`${words} ${name}`)}) ${set} ;;`;
    });
}

function caseOfPlace({ words, commands, options, argument }: Place): string {
  const known = [
    ...commands.map(({ name }) => name),
    ...(typeof argument === 'string' ? [] : argument),
    ...options.map(({ name }) => name),
  ];
  const files = argument === 'file' ? ' files=1' : '';
  return `        ${quote(words)}) known=${quote(known.join(' '))}${files} ;;`;
}
