import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openFolder } from '../support/folder.ts'

const script = resolve(import.meta.dirname, '../../scripts/check-commits.mjs')

/** A repository of empty commits. */
function openRepository(t: TestContext) {
  const folder = openFolder(t)
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder })
  const commit = (subject: string) =>
    git('commit', '--quiet', '--allow-empty', '-m', `${subject}\n\n${'why '.repeat(40)}`)
  const check = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' })
  git('init', '--quiet', '--initial-branch=main')
  return { git, commit, check }
}

test('a branch with a subject of more than 72 characters is refused; what main has already is left alone', (t) => {
  const { git, commit, check } = openRepository(t)
  commit(`old: ${'x'.repeat(100)}`)
  git('checkout', '--quiet', '-b', 'mine')
  commit(`café: ${'é'.repeat(66)}`)
  assert.deepEqual([check().status, check().stdout], [0, ''])
  git('checkout', '--quiet', '-b', 'merged', 'main')
  git('merge', '--quiet', '--no-ff', '-m', `Merge ${'a'.repeat(40)} into ${'b'.repeat(40)}`, 'mine')
  assert.equal(check('main').status, 0, 'a merge that a host has made')
  git('checkout', '--quiet', 'mine')
  commit(`new: ${'x'.repeat(68)}`)
  commit('fine: after it')
  const { status, stdout } = check()
  assert.equal(status, 1)
  assert.match(stdout, /^A subject of 73 characters, more than 72: new: x+\n$/)
})

test('a commit to compare with that is not there is reported, and not taken for a clean branch', (t) => {
  const { commit, check } = openRepository(t)
  commit('first: commit')
  const { status, stdout } = check('0'.repeat(40))
  assert.equal(status, 1)
  assert.match(stdout, /There is no 0{40}/)
})
