import type { DocsSite } from './docs-shell.tsx'

/** What there is to read and to call, for programs that come without knowing anything: the form that llmstxt.org proposes. */
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
