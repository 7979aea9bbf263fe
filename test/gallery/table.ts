import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientName, guestOf, packageOf, root } from './clients.ts'

/* The table of docs/clients.md: each test compares its row, or writes it (`npm run keep-clients`). */

const FILE = join(root, 'docs/clients.md')
export const isWriting = process.env.CLIENTS_TABLE === 'write'

/** What a client did, and what it could not do, with the reason. */
export interface Outcome {
  ran: readonly string[]
  not: readonly string[]
}

const NAME = /^\| \[([^\]]+)\]/

const readLines = () => readFileSync(FILE, 'utf8').split('\n')

export const rowsOfTable = () =>
  readLines().flatMap((line) => {
    const name = NAME.exec(line)?.[1]
    return name === undefined ? [] : [{ name, line }]
  })

/** The row of this run. `folder` is where the client is installed. */
export function rowOf(name: ClientName, folder: string, { ran, not }: Outcome): string {
  const { version, license } = packageOf(folder, name)
  const endpoints = guestOf(name)
    .endpoints.map((access) => (access.startsWith('/') ? `\`${access}\`` : access))
    .join(', ')
  const link = `[${name}](https://www.npmjs.com/package/${name})`
  return `| ${[link, version, license ?? 'none named', endpoints, ran.join(', '), not.join('; ') || '–'].join(' | ')} |`
}

/** Rows are sorted by name. */
export function writeRow(name: ClientName, row: string): void {
  const lines = readLines()
  const others = rowsOfTable()
    .filter((each) => each.name !== name)
    .concat({ name, line: row })
  const sorted = others.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ line }) => line)
  const head = lines.findIndex((line) => line.startsWith('|---'))
  const rest = lines.slice(head + 1).filter((line) => !NAME.test(line))
  writeFileSync(FILE, [...lines.slice(0, head + 1), ...sorted, ...rest].join('\n'))
}
