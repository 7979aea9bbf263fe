import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { postForStatus } from '../infra/http/post-json.ts'
import { ACTIONS } from '../offered.ts'
import { type GatewayOptions, UsageError, isRefusal, orUsage, readGateway, readHttpUrl } from './gateway-access.ts'

interface MigrateOptions extends GatewayOptions {
  requests: string
  theirKeyFile?: string
  writes?: boolean
  json?: boolean
}

type Fields = Record<string, unknown>

/** A part of an answer that is missing here or has another value. */
interface Difference {
  /** Number of the request in the file, from 1. */
  request: number
  action: string
  /** The path of the member, `status`, or empty if the whole answer differs. */
  path: string
  theirs: string
  ours: string
}

interface Side {
  url: URL
  key: string | undefined
}

const REQUESTS_MAX = 1_000
/** Most differences shown for one answer, so that a completely different list does not fill the terminal. */
const SHOWN_MAX = 10
const VALUE_LENGTH_MAX = 80

const READS = new Set(
  ACTIONS.filter(({ readOnly }) => readOnly).flatMap(({ name, synonyms = [] }) => [name, ...synonyms]),
)

/**
 * `nano-gateway migrate-check URL`: sends the same requests to another service and to this gateway, and prints what
 * differs.
 */
export function checkMigration(theirs: string, options: MigrateOptions, command: Command): Promise<void> {
  return orUsage('migrate-check', async () => {
    const ours: Side = readGateway(options, command)
    const other: Side = { url: readHttpUrl('The other service', theirs), key: readTheirKey(options.theirKeyFile) }
    const requests = readRequests(options.requests)
    const differences: Difference[] = []
    const skipped = new Set<string>()
    let asked = 0
    for (const [at, request] of requests.entries()) {
      const action = String(request.action)
      if (!READS.has(action) && options.writes !== true) {
        skipped.add(action)
        continue
      }
      asked++
      // Sent one after another, so that neither service's rate limit causes a difference.
      const theirAnswer = await ask(other, request)
      const ourAnswer = await ask(ours, request)
      const found = compareReplies(theirAnswer, ourAnswer).slice(0, SHOWN_MAX)
      differences.push(...found.map((each) => ({ request: at + 1, action, ...each })))
    }
    print({ asked, skipped: [...skipped], differences }, options.json === true)
    if (differences.length > 0) process.exitCode = 1
  })
}

function readTheirKey(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--their-key-file cannot be read: ${(error as Error).message}`)
  }
}

/**
 * Reads one request per line, or one list of requests. A key inside a request is refused, because it would be sent to
 * both services.
 */
function readRequests(file: string): Fields[] {
  const text = readFileSync(file === '-' ? 0 : file, 'utf8')
  const read = (part: string, where: string) => {
    try {
      return JSON.parse(part) as unknown
    } catch {
      throw new UsageError(`${where} is not JSON.`)
    }
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const list = text.trimStart().startsWith('[')
    ? (read(text, file) as unknown[])
    : lines.map((line, at) => read(line, `Line ${at + 1} of ${file}`))
  if (list.length > REQUESTS_MAX) throw new UsageError(`At most ${REQUESTS_MAX} requests; ${file} has ${list.length}.`)
  return list.map((request, at) => {
    if (typeof request !== 'object' || request === null || typeof (request as Fields).action !== 'string')
      throw new UsageError(`Request ${at + 1} has no action.`)
    const { key: _, ...fields } = request as Fields
    return fields
  })
}

interface Answer {
  status: number
  body: unknown
}

async function ask({ url, key }: Side, request: Fields): Promise<Answer> {
  const { status, text } = await postForStatus(url, request, key)
  return { status, body: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // An answer that is not JSON, such as a page, is compared as text.
    return text
  }
}

type Found = Omit<Difference, 'request' | 'action'>

/**
 * Lists the differences that would matter to a program written for the first service. Members that only the second one
 * has do not matter.
 */
function compareReplies(theirs: Answer, ours: Answer): Found[] {
  const status = theirs.status === ours.status ? [] : [difference('status', theirs.status, ours.status)]
  if (isRefusal(theirs.body) !== isRefusal(ours.body)) return [...status, difference('', theirs.body, ours.body)]
  return [...status, ...compare('', theirs.body, ours.body)]
}

function compare(path: string, theirs: unknown, ours: unknown): Found[] {
  if (kindOf(theirs) !== kindOf(ours)) return [difference(path, theirs, ours)]
  if (Array.isArray(theirs)) {
    const list = ours as unknown[]
    const length = theirs.length === list.length ? [] : [difference(`${path}.length`, theirs.length, list.length)]
    return [...length, ...theirs.slice(0, list.length).flatMap((each, at) => compare(`${path}[${at}]`, each, list[at]))]
  }
  if (typeof theirs !== 'object' || theirs === null) return theirs === ours ? [] : [difference(path, theirs, ours)]
  return Object.entries(theirs).flatMap(([name, value]) => {
    const place = path === '' ? name : `${path}.${name}`
    const members = ours as Fields
    return Object.hasOwn(members, name) ? compare(place, value, members[name]) : [difference(place, value, undefined)]
  })
}

const kindOf = (value: unknown) => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value)

const difference = (path: string, theirs: unknown, ours: unknown): Found => ({
  path,
  theirs: show(path, theirs),
  ours: show(path, ours),
})

const SECRET_NAME = /(^|[._])(key|private|seed|secret|token|mnemonic)\w*$/i

/** JSON escapes characters that could move the terminal's cursor. Values of members that may be keys are not shown. */
function show(path: string, value: unknown): string {
  if (value === undefined) return 'missing'
  if (SECRET_NAME.test(path)) return '[redacted]'
  const text = JSON.stringify(value, (name, each: unknown) => (SECRET_NAME.test(name) ? '[redacted]' : each))
  const safe = text.replaceAll(/rpc_(sk|pk)_\w+/g, 'rpc_$1_[redacted]')
  return safe.length > VALUE_LENGTH_MAX ? `${safe.slice(0, VALUE_LENGTH_MAX)}…` : safe
}

interface Report {
  asked: number
  skipped: string[]
  differences: Difference[]
}

function print({ asked, skipped, differences }: Report, isJson: boolean): void {
  if (isJson) return console.log(JSON.stringify({ asked, skipped, differences }, null, 2))
  for (const { request, action, path, theirs, ours } of differences)
    console.log(`${request} ${JSON.stringify(action).slice(1, -1)} ${path || 'answer'}: there ${theirs}, here ${ours}`)
  const differing = new Set(differences.map(({ request }) => request)).size
  console.log(`${asked} requests, ${differing} with differences.`)
  if (skipped.length > 0) {
    const names = skipped.map((name) => JSON.stringify(name).slice(1, -1)).join(', ')
    console.log(`Not sent, because they may change something: ${names}. --writes sends them to both.`)
  }
}
