import type { Action } from '../kernel/action.ts'
import type { JsonObject } from '../kernel/shape.ts'
import { membersOf } from './reference-answer.ts'
import { errorsOf } from './reference-errors.ts'
import { fieldsOf } from './reference-fields.ts'
import { DOORS, ONCE } from './reference-page.tsx'
import { curl } from './reference-snippets.ts'

interface ReferenceMarkdown {
  baseUrl: string
  action: Action
  /** What a call costs, in sentences. */
  costs: readonly string[]
  hasPrice: boolean
}

/** Everything about one action, for programs that read text. */
export function referenceMarkdown({ baseUrl, action, costs, hasPrice }: ReferenceMarkdown): string {
  const { name, synonyms = [], summary, example, auth } = action
  const request: JsonObject = { action: name, ...example.request }
  const facts = [
    DOORS[auth],
    ...costs,
    ...(synonyms.length > 0 ? [`Also called ${synonyms.map(code).join(', ')}.`] : []),
    ...(action.once || action.onceWhen ? [ONCE] : []),
  ]
  const fields = fieldsOf(action).map(({ name, required, type, limits, description, synonyms }) => [
    `${code(name)}${synonyms.length > 0 ? ` or ${synonyms.map(code).join(', ')}` : ''}`,
    required ? 'yes' : 'no',
    limits === '' ? type : `${type}; ${limits}`,
    description,
  ])
  const members = membersOf(action.output).map(({ path, type, optional }) => [
    code(path),
    type,
    optional ? 'sometimes' : 'always',
  ])
  const errors = errorsOf(action, hasPrice).map(({ status, code: word, when }) => [String(status), code(word), when])
  return [
    `# ${name}`,
    summary,
    facts.map((fact) => `- ${fact}`).join('\n'),
    fence('sh', curl(baseUrl, request, auth !== 'none')),
    '## Fields',
    fields.length === 0 ? 'None.' : table(['field', 'required', 'type', 'meaning'], fields),
    '## Answer',
    fence('json', JSON.stringify(example.response, null, 2)),
    ...(members.length === 0 ? [] : [table(['member', 'type', 'there'], members)]),
    '## Errors',
    `Beside [what any action can answer](${baseUrl}/docs#errors):`,
    table(['status', 'code', 'when'], errors),
  ].join('\n\n')
}

const code = (text: string) => `\`${text}\``
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

/** A cell ends at a bar. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}
