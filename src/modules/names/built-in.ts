import { readFileSync } from 'node:fs'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import type { KnownName } from '../../kernel/ports.ts'
import { toNameKey } from './name.ts'
import type { NameSettings } from './settings.ts'

const OWN_FILE = new URL('./known.json', import.meta.url)

/** The built-in names and aliases, from the file and from the settings, which take precedence. */
export function loadBuiltIn({
  knownFile,
  knownNames,
  knownReps,
}: NameSettings & {
  /** Representatives that have an alias. */
  knownReps: Readonly<Record<string, { alias?: string }>>
}): BuiltIn {
  const { names, aliases, reserved } = readFile(knownFile)
  const known = new Map(names.map((entry) => [entry.name.toLowerCase(), entry]))
  for (const [name, text] of Object.entries(knownNames)) {
    const account = fromAddress(text)
    const key = toNameKey(name)
    if (key === undefined) throw new Error(`KNOWN_NAMES has ${name}, which is not 1 to 30 letters and digits.`)
    if (account === undefined) throw new Error(`The name ${name} has the address ${text}, which is not valid.`)
    known.set(key, { name, address: toAddress(account), createdAt: 0, expiresAt: NEVER, profile: {} })
  }
  const representatives = Object.entries(knownReps).flatMap(([account, { alias }]) =>
    alias === undefined ? [] : [{ account, alias, isExchange: false }],
  )
  return { names: [...known.values()], aliases: [...representatives, ...aliases], reserved }
}

/** Addresses of exchanges, to which no refund can be sent. */
export const exchangesOf = ({ aliases }: BuiltIn): ReadonlySet<string> =>
  new Set(aliases.filter(({ isExchange }) => isExchange).map(({ account }) => account))

function readFile(path: string): BuiltIn {
  const text = readText(path)
  try {
    return readBuiltIn(text)
  } catch (error) {
    throw new Error(`The file of KNOWN_FILE cannot be used: ${(error as Error).message}.`, { cause: error })
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path === '' ? OWN_FILE : path, 'utf8')
  } catch (cause) {
    throw new Error(`The file of KNOWN_FILE, ${path}, cannot be read.`, { cause })
  }
}

/** Names and aliases that come with the gateway, and words that cannot be leased. */
export interface BuiltIn {
  names: KnownName[]
  aliases: { account: string; alias: string; isExchange: boolean }[]
  reserved: string[]
}

/** The last second with a four-digit year: the expiry of what never ends. */
export const NEVER = Date.UTC(9999, 11, 31, 23, 59, 59)
const ALIAS_MAX = 100

/** Reads the file of built-in names; errors name the wrong entry, because an operator wrote it. */
export function readBuiltIn(text: string): BuiltIn {
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
  const { names = [], aliases = [], reserved = [] } = toRecord(content, 'the file')
  return {
    names: toList(names, 'names').map((entry, at) => toKnownName(entry, `names[${at}]`)),
    aliases: toList(aliases, 'aliases').map((entry, at) => toAlias(entry, `aliases[${at}]`)),
    reserved: toList(reserved, 'reserved').map((entry, at) => toName(entry, `reserved[${at}]`)),
  }
}

function toKnownName(entry: unknown, where: string): KnownName {
  const { name, address, created, expires } = toRecord(entry, where)
  return {
    name: toName(name, `${where}.name`),
    address: toAccount(address, `${where}.address`),
    createdAt: created === undefined ? 0 : toTime(created, `${where}.created`),
    expiresAt: expires === undefined ? NEVER : toTime(expires, `${where}.expires`),
    profile: {},
  }
}

function toAlias(entry: unknown, where: string): BuiltIn['aliases'][number] {
  const { account, alias, exchange = false } = toRecord(entry, where)
  if (typeof alias !== 'string' || alias === '' || alias.length > ALIAS_MAX) {
    throw new Error(`${where}.alias must be a text of 1 to ${ALIAS_MAX} characters`)
  }
  if (typeof exchange !== 'boolean') throw new Error(`${where}.exchange must be true or false`)
  return { account: toAccount(account, `${where}.account`), alias, isExchange: exchange }
}

function toRecord(value: unknown, where: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${where} must be an object`)
  return value as Record<string, unknown>
}

function toList(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} must be a list`)
  return value
}

function toName(value: unknown, where: string): string {
  if (typeof value !== 'string' || toNameKey(value) === undefined) {
    throw new Error(`${where} must be 1 to 30 letters and digits`)
  }
  return value
}

function toAccount(value: unknown, where: string): string {
  const key = typeof value === 'string' ? fromAddress(value) : undefined
  if (key === undefined) throw new Error(`${where} must be a Nano address`)
  return toAddress(key)
}

function toTime(value: unknown, where: string): number {
  const at = typeof value === 'string' ? Date.parse(value) : NaN
  if (Number.isNaN(at)) throw new Error(`${where} must be a date`)
  return at
}
