import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERMISSIONS, ROLES, SCOPES } from '../../src/kernel/rights.ts'

const FILE = join(import.meta.dirname, '../../docs/people.md')
const MARKS = /(<!-- roles: [^>]+ -->\n)([^]*?)(<!-- roles end -->)/

const WORDS = { all: 'yes', see: 'look' }

/** The table that the endpoints use, in Markdown. */
function toTable(): string {
  const isScope = (name: string) => SCOPES.some((scope) => scope === name)
  const rows = Object.entries(PERMISSIONS).map(([name, { about, may }]) => {
    const words = ROLES.map((role) => (may[role] === undefined ? '' : WORDS[may[role]]))
    return `| ${isScope(name) ? `${about} (\`${name}\`)` : about} | ${words.join(' | ')} |`
  })
  return [`| | ${ROLES.join(' | ')} |`, `|---|${ROLES.map(() => '---|').join('')}`, ...rows, ''].join('\n')
}

test('the table of roles in the guide is the one that the endpoints ask; WRITE=1 writes it', () => {
  const text = readFileSync(FILE, 'utf8')
  const [, begin, table, end] = MARKS.exec(text) ?? assert.fail('no place for the table')
  if (process.env.WRITE === '1') writeFileSync(FILE, text.replace(MARKS, `${begin}${toTable()}${end}`))
  else assert.equal(table, toTable())
})
