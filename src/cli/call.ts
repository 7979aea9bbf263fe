import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { postJson } from '../infra/http/post-json.ts'
import { showAnswer } from './show-answer.ts'

interface CallOptions {
  url: string
  key?: string
  keyFile?: string
  json?: boolean
  watch?: boolean
}

type Fields = Record<string, unknown>

const USAGE = 2

/** What somebody typed wrongly, told before anything is sent. */
class UsageError extends Error {}

/** `nano-gateway call ACTION field=value …`: exit code 1 when the answer is an `error`, 2 when the command cannot be meant. */
export async function callAction(
  action: string,
  pairs: string[],
  options: CallOptions,
  command: Command,
): Promise<void> {
  const isKeyTyped = command.getOptionValueSource('key') === 'cli'
  // A key among the words of a command can be read by every user of the machine; this overwrites them.
  if (isKeyTyped) process.title = 'nano-gateway call'
  try {
    const url = readUrl(options.url)
    const fields = readFields(pairs)
    if (isKeyTyped && options.keyFile !== undefined) throw new UsageError('--key or --key-file, not both.')
    const key = readKey(options)
    const answer = await postJson(url, { ...fields, action }, key)
    print(answer, options.json)
    if (isRefusal(answer)) process.exitCode = 1
    else if (options.watch) {
      const { watchAccounts } = await import('./watch.ts')
      await watchAccounts(url, accountsIn(fields, answer), options.json ?? false)
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    console.error(`nano-gateway call: ${error.message}`)
    process.exitCode = USAGE
  }
}

function print(answer: unknown, json = false): void {
  const text = json ? JSON.stringify(answer, null, 2) : showAnswer(answer)
  if (isRefusal(answer) && !json) console.error(text)
  else console.log(text)
}

const isRefusal = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && typeof (answer as { error?: unknown }).error === 'string'

function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url must be an address as http://127.0.0.1:8080.')
  return url
}

/** Values are texts, which is what actions take; what begins as a list or an object is one. A field that comes twice is a list. */
function readFields(pairs: readonly string[]): Fields {
  const fields = new Map<string, unknown>()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at)
    if (at < 1) throw new UsageError(`${pair} is no field=value.`)
    if (pair.startsWith('key=rpc_')) throw new UsageError('An API key is given with --key-file or NANO_GATEWAY_KEY.')
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
    throw new UsageError(`${name} begins like JSON and cannot be read.`)
  }
}

function readKey({ key, keyFile }: CallOptions): string | undefined {
  if (keyFile === undefined) return key === '' ? undefined : key
  try {
    return readFileSync(keyFile, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--key-file cannot be read: ${(error as Error).message}`)
  }
}

/** Whom a request was about; a name is watched by its address, which the answer tells. */
function accountsIn(fields: Fields, answer: unknown): string[] {
  const resolved = (answer as { address?: unknown } | null)?.address
  const given = [fields.account, fields.accounts, fields.address].flat().filter((each) => typeof each === 'string')
  const accounts = given.map((each) => (each.startsWith('@') && typeof resolved === 'string' ? resolved : each))
  if (accounts.length === 0) throw new UsageError('--watch needs an account, accounts or address.')
  return accounts
}
