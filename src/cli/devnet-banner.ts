import { KNOWN_NANO, type KnownAccount } from '../devnet/accounts.ts'
import { VERSION } from '../version.ts'

/** What a developer who starts a ledger gets to see. */
interface LedgerBanner {
  rpc: string
  websocket: string
  explorer: string | undefined
  data: string
  genesis: string
  seed: string
  accounts: readonly KnownAccount[]
  control: boolean
}

export function toJsonBanner({ explorer, seed, accounts, control: _control, ...facts }: LedgerBanner): string {
  const known = accounts.length > 0 && { seed, accounts }
  return JSON.stringify({ ...facts, ...(explorer !== undefined && { explorer }), ...known })
}

/** Where it is, whose money lies there, and what to do next. */
export function toBanner(banner: LedgerBanner): string {
  const { rpc, websocket, explorer, data, genesis } = banner
  return [
    `Nano development ledger, nano-gateway ${VERSION}`,
    '',
    `  RPC        ${rpc}`,
    `  Websocket  ${websocket}`,
    ...(explorer === undefined ? [] : [`  Explorer   ${explorer}`]),
    `  Data       ${data}${data === ':memory:' ? '   (gone when it ends)' : ''}`,
    `  Genesis    ${genesis}`,
    ...describeAccounts(banner),
    '',
    ...describeNext(banner),
    '',
  ].join('\n')
}

function describeAccounts({ accounts, seed }: LedgerBanner): string[] {
  if (accounts.length === 0) return []
  const place = (index: number) => `(${index})`.padEnd(5)
  return [
    '',
    `Accounts: each was opened with ${KNOWN_NANO} nano of play money`,
    '',
    ...accounts.map(({ index, address }) => `  ${place(index)}${address}`),
    '',
    'Private keys: everybody knows them, so never use them elsewhere',
    '',
    ...accounts.map(({ index, privateKey }) => `  ${place(index)}${privateKey}`),
    '',
    `  Seed ${seed}`,
  ]
}

function describeNext({ rpc, explorer, accounts, control }: LedgerBanner): string[] {
  const account = accounts[0]?.address ?? 'nano_…'
  const question = accounts.length === 0 ? { action: 'block_count' } : { action: 'account_balance', account }
  const at = rpc.endsWith(':7076') ? '' : ` --url ${rpc}`
  return [
    'What to do next',
    '',
    `  Ask it       curl -d '${JSON.stringify(question)}' ${rpc}`,
    ...(control
      ? [
          `  Give money   npx nano-gateway devnet fund ${account} 10${at}`,
          `  Put it back  npx nano-gateway devnet snapshot${at}, and later revert 1`,
        ]
      : []),
    ...(explorer === undefined ? ['  Look at it   start it with --ui'] : [`  Look at it   ${explorer}`]),
    '  More         npx nano-gateway devnet --help',
  ]
}
