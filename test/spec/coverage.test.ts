import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('every row and rule of the contract is asserted over HTTP in this folder', () => {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/spec-coverage.mjs', '--check'], { encoding: 'utf8' })
  const without = stdout.split('\n').filter((line) => line.startsWith('no test'))
  assert.deepEqual(without, [])
  assert.equal(status, 0, stdout)
})
