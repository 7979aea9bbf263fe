import { readFileSync } from 'node:fs'
import { fromAddress, toAddress } from '../../kernel/nano/address.ts'
import { type BuiltIn, NEVER, readBuiltIn } from './domain/built-in.ts'
import { toNameKey } from './domain/name.ts'
import type { NameSettings } from './settings.ts'

const OWN_FILE = new URL('./known.json', import.meta.url)

/** The built-in names and aliases: those of the file, and those of the settings, which win. */
export function loadBuiltIn({
  knownFile,
  knownNames,
  knownReps,
}: NameSettings & {
  /** Representatives that are called something. */
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

/** Addresses to which nothing can be sent back. */
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
