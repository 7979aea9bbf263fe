import type { Command } from 'commander'
import { postJson } from '../infra/http/post-json.ts'
import { type GatewayOptions, UsageError, isRefusal, orUsage, readGateway } from './gateway-access.ts'
import { showAnswer } from './show-answer.ts'

interface CallOptions extends GatewayOptions {
  json?: boolean
  watch?: boolean
}

type Fields = Record<string, unknown>

/** `nano-gateway call ACTION field=value …`: exit code 1 when the answer is an `error`, 2 when the command itself is wrong. */
export function callAction(action: string, pairs: string[], options: CallOptions, command: Command): Promise<void> {
  return orUsage('call', async () => {
    const { url, key } = readGateway(options, command)
    const fields = readFields(pairs)
    const answer = await postJson(url, { ...fields, action }, key)
    print(answer, options.json)
    if (isRefusal(answer)) process.exitCode = 1
    else if (options.watch) {
      const { watchAccounts } = await import('./watch.ts')
      await watchAccounts(url, accountsIn(fields, answer), options.json ?? false)
    }
  })
}

function print(answer: unknown, json = false): void {
  const text = json ? JSON.stringify(answer, null, 2) : showAnswer(answer)
  if (isRefusal(answer) && !json) console.error(text)
  else console.log(text)
}

/** Values are texts, as actions accept them; a value that begins like a list or an object is parsed. A repeated field becomes a list. */
function readFields(pairs: readonly string[]): Fields {
  const fields = new Map<string, unknown>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    if (at < 1) throw new UsageError(`“${pair}” is not a field. Write it as name=value.`)
    if (pair.startsWith('key=rpc_'))
      throw new UsageError('Give the API key with --key-file FILE or NANO_GATEWAY_KEY, not as a field.')
    const value = readValue(name, pair.slice(at + 1))
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : [before, value].flat())
  }
  return Object.fromEntries(fields)
}

function readValue(name: string, text: string): unknown {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new UsageError(`${name} starts like JSON but is not valid JSON.`)
  }
}

/** The accounts of a request; for a username, the address in the answer. */
function accountsIn(fields: Fields, answer: unknown): string[] {
  const resolved = (answer as { address?: unknown } | null)?.address
  const given = [fields.account, fields.accounts, fields.address].flat().filter((each) => typeof each === 'string')
  const accounts = given.map((each) => (each.startsWith('@') && typeof resolved === 'string' ? resolved : each))
  if (accounts.length === 0) throw new UsageError('--watch needs an account, accounts or address.')
  return accounts
}
