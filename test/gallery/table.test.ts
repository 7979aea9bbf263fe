import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CLIENTS, NEEDED_BESIDE, fileOf } from './clients.ts'
import { rowsOfTable } from './table.ts'

test('docs/clients.md has one row for each client that walks, and no other', () => {
  const names = Object.keys(CLIENTS).sort()
  assert.deepEqual(
    rowsOfTable().map(({ name }) => name),
    names,
  )
  const walks = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.test.ts') && file !== 'table.test.ts')
  assert.deepEqual(walks.sort(), names.map(fileOf).sort())
})

// Without a checksum, the registry could deliver different contents on any day.
test('every package that is installed apart is held to its contents', () => {
  interface Lock {
    packages: Record<string, { integrity?: string; hasInstallScript?: boolean }>
  }
  const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, 'apart', file), 'utf8')) as unknown
  const { '': _, ...packages } = (read('package-lock.json') as Lock).packages
  const loose = Object.entries(packages).filter(([, { integrity = '' }]) => !/^sha512-[\w+/]{86}==$/.test(integrity))
  assert.deepEqual(
    loose.map(([name]) => name),
    [],
  )
  const apart = Object.entries(CLIENTS).flatMap(([name, guest]) => ('apart' in guest ? [name] : []))
  const { dependencies } = read('package.json') as { dependencies: Record<string, string> }
  assert.deepEqual(Object.keys(dependencies).sort(), [...apart, ...NEEDED_BESIDE].sort())
})
