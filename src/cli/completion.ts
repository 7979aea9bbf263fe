import type { Command } from 'commander'
import { ACTIONS } from '../offered.ts'

type Shell = 'bash' | 'zsh' | 'fish'

interface Words {
  commands: readonly string[]
  /** Subcommands of each command. */
  under: ReadonlyMap<string, readonly string[]>
  /** Fields by every name of their action. */
  fields: ReadonlyMap<string, readonly string[]>
}

/**
 * Prints a script with which a shell completes commands, actions and fields. The script contains all words, so it never
 * calls a gateway.
 */
export function printCompletion(program: Command, shell: Shell): void {
  console.log(SCRIPTS[shell](wordsOf(program)))
}

function wordsOf(program: Command): Words {
  const visible = program.commands.filter((command) => !(command as Command & { _hidden?: boolean })._hidden)
  const under = new Map(
    visible
      .filter(({ commands }) => commands.length > 0)
      .map((command) => [command.name(), command.commands.map((each) => each.name())] as const),
  )
  const fields = ACTIONS.flatMap(({ name, synonyms = [], input }) =>
    [name, ...synonyms].map((each) => [each, Object.keys(input.properties).map((field) => `${field}=`)] as const),
  )
  return {
    commands: visible.map((command) => command.name()),
    under: new Map([...under, ['completion', ['bash', 'zsh', 'fish']]]),
    fields: new Map(fields),
  }
}

const cases = (words: Words['under']) =>
  [...words].map(([name, inner]) => `      ${name}) words='${inner.join(' ')}' ;;`).join('\n')

const OPTIONS = '--url --key --key-file --json --watch'

/** Shared by bash and zsh: reads `$command`, `$action` and `$place`, and sets `words`. */
const choose = ({ commands, under, fields }: Words) => `  if [ "$place" -eq 1 ]; then words='${commands.join(' ')}'
  elif [ "$command" = call ] && [ "$place" -eq 2 ]; then words='${[...fields.keys()].join(' ')}'
  elif [ "$command" = call ]; then
    case "$action" in
${cases(fields)}
    esac
    words="$words ${OPTIONS}"
  elif [ "$place" -eq 2 ]; then
    case "$command" in
${cases(under)}
    esac
  fi`

const SCRIPTS: Record<Shell, (words: Words) => string> = {
  bash: (words) => `# nano-gateway completion bash > ~/.local/share/bash-completion/completions/nano-gateway
_nano_gateway() {
  local words='' place="$COMP_CWORD" command="\${COMP_WORDS[1]}" action="\${COMP_WORDS[2]}" word="\${COMP_WORDS[COMP_CWORD]}"
${choose(words)}
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  case "\${COMPREPLY[0]}" in *=) compopt -o nospace ;; esac
}
complete -o default -F _nano_gateway nano-gateway`,
  zsh: (given) => `#compdef nano-gateway
# nano-gateway completion zsh > "\${fpath[1]}/_nano-gateway"
_nano_gateway() {
  local command="\${words[2]}" action="\${words[3]}" place=$((CURRENT - 1)) given=''
${choose(given).replaceAll('words=', 'given=').replaceAll('"$words ', '"$given ')}
  local -a plain=(\${\${=given}:#*=}) open=(\${(M)\${=given}:#*=})
  compadd -a plain
  compadd -S '' -a open
}
if [ "$funcstack[1]" = _nano-gateway ]; then _nano_gateway "$@"; else compdef _nano_gateway nano-gateway; fi`,
  fish: ({ commands, under, fields }) =>
    [
      '# nano-gateway completion fish > ~/.config/fish/completions/nano-gateway.fish',
      'complete -c nano-gateway -f',
      `complete -c nano-gateway -n __fish_use_subcommand -a '${commands.join(' ')}'`,
      ...[...under].map(
        ([name, inner]) => `complete -c nano-gateway -n '__fish_seen_subcommand_from ${name}' -a '${inner.join(' ')}'`,
      ),
      `complete -c nano-gateway -n '__fish_seen_subcommand_from call; and test (count (commandline -opc)) -eq 2' -a '${[...fields.keys()].join(' ')}'`,
      ...[...fields].flatMap(([name, inner]) =>
        inner.length === 0
          ? []
          : [
              `complete -c nano-gateway -n '__fish_seen_subcommand_from call; and contains ${name} (commandline -opc)' -a '${inner.join(' ')}'`,
            ],
      ),
      ...OPTIONS.split(' ').map(
        (option) => `complete -c nano-gateway -n '__fish_seen_subcommand_from call' -l ${option.slice(2)}`,
      ),
    ].join('\n'),
}
