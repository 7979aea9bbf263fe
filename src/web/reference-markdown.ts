import type { Action } from '../kernel/action.ts'
import type { JsonObject } from '../kernel/shape.ts'
import type { DocsSite } from './docs-shell.tsx'
import { errorsOf, fieldsOf, membersOf } from './reference-fields.ts'
import { CALLERS, ONCE } from './reference-page.tsx'
import { curl } from './reference-snippets.ts'

interface ReferenceMarkdown {
  baseUrl: string
  action: Action
  /** The price of a call, in sentences. */
  costs: readonly string[]
  hasPrice: boolean
}

/** Everything about one action, for programs that read text. */
export function referenceMarkdown({ baseUrl, action, costs, hasPrice }: ReferenceMarkdown): string {
  const { name, synonyms = [], summary, example, auth } = action
  const request: JsonObject = { action: name, ...example.request }
  const facts = [
    CALLERS[auth],
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

/** A bar would end the cell. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
const row = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
}

/** An index of documents and actions for programs that know nothing yet, in the form that llmstxt.org proposes. */
export function llmsText({ baseUrl, guides, modules, devnet }: DocsSite): string {
  const link = (title: string, path: string, note?: string) =>
    `- [${title}](${baseUrl}${path})${note === undefined ? '' : `: ${note}`}`
  return [
    '# nano-gateway',
    `> One service for the Nano currency: ledger reads and writes, proof of work, checkouts, wallets, names. ${
      devnet ? 'This one runs on a development ledger: its money is play money. ' : ''
    }Amounts are text: nano as decimals, raw as whole numbers (1 nano is 10^30 raw).`,
    [
      `Every action is called by \`POST ${baseUrl}\` with a JSON body that names it, \`{"action": "account_balance", "account": "nano_…"}\`, or by \`POST ${baseUrl}/actions/account_balance\` without.`,
      'A refusal has `error`, `code`, often `field`, and the HTTP status that belongs to it.',
      'A key goes into the header `Authorization: Bearer …`; a call that moves money takes an `Idempotency-Key`.',
      `Every action is also a tool of the Model Context Protocol, at ${baseUrl}/mcp.`,
    ].join(' '),
    '## For programs',
    [
      link('OpenAPI', '/openapi.json', 'every request, answer and event'),
      link('What is sold by request', '/.well-known/x402', 'prices of actions that are paid call by call (x402)'),
      link('The same as a catalogue', '/discovery/resources', 'with the schema of each action'),
    ].join('\n'),
    '## Guides',
    guides.map(({ path, title }) => link(title, `/docs/${path}.md`)).join('\n'),
    ...modules.map(
      ({ name, actions }) =>
        `## Actions: ${name}\n\n${actions
          .map((action) => link(action.name, `/docs/actions/${action.name}.md`, action.summary))
          .join('\n')}`,
    ),
  ].join('\n\n')
}
