import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../support/folder.ts'

const root = resolve(import.meta.dirname, '../..')

test('one command changes the repository’s address in every file that has it', (t) => {
  const folder = openFolder(t)
  const names = readdirSync(join(root, 'packages'))
  const chart = 'deploy/helm/nano-gateway/Chart.yaml'
  const files = ['README.md', chart, 'package.json', ...names.map((name) => `packages/${name}/package.json`)]
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { repository: { url: string } }
  const before = repository.url.replaceAll(/^git\+|\.git$/g, '')
  const { stdout } = spawnSync('git', ['grep', '-lF', before], { cwd: root, encoding: 'utf8' })
  assert.deepEqual(stdout.trim().split('\n'), files, 'every file with the address is one that the command rewrites')
  for (const file of [...files, 'scripts/repository.mjs']) {
    mkdirSync(join(folder, file, '..'), { recursive: true })
    cpSync(join(root, file), join(folder, file))
  }
  const address = 'https://git.elsewhere.example/shop/nano-gateway'
  const run = (...args: string[]) => spawnSync(process.execPath, [join(folder, 'scripts/repository.mjs'), ...args])
  assert.equal(run('nonsense').status, 1)
  assert.equal(run(address).status, 0)
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    assert.ok(text.includes(address), file)
    assert.ok(!text.includes(before), file)
  }
})
