import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { copyRepository } from '../support/copy-repository.ts'

/* `npm run release` in a copy of this repository, with fast checks that can be made to fail. */

const NEXT = '9.8.7'

interface Manifest {
  version: string
  scripts: Record<string, string>
}

/** The repository with a history of one commit. */
function openRepository(t: TestContext) {
  const { folder, outside } = copyRepository(t)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const manifest = () => JSON.parse(read('package.json')) as Manifest

  // Each check records the version it ran on, and fails if its name is in the list.
  const ran = join(outside, 'ran')
  const red = join(outside, 'red')
  const recorder = join(outside, 'record.cjs')
  const program = `
    const fs = require('fs')
    const name = process.argv[2]
    fs.appendFileSync(${JSON.stringify(ran)}, name + ' ' + require(process.cwd() + '/package.json').version + '\\n')
    if (fs.existsSync(${JSON.stringify(red)}) && fs.readFileSync(${JSON.stringify(red)}, 'utf8') === name) process.exit(1)`
  writeFileSync(recorder, program)
  const { scripts, ...rest } = manifest()
  const checks = Object.fromEntries(['check', 'test', 'build'].map((name) => [name, `node ${recorder} ${name}`]))
  const { pretest: _built, ...others } = scripts
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...rest, scripts: { ...others, ...checks } }, null, 2)}\n`,
  )

  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@b')
  // node_modules is a symlink here, which a pattern for folders would not ignore.
  appendFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
  const commitAll = (subject: string) => {
    git('add', '--all')
    git('commit', '--quiet', '-m', subject)
  }
  commitAll('all: as it is')
  return {
    folder,
    git,
    read,
    manifest,
    commitAll,
    ran: () => (existsSync(ran) ? readFileSync(ran, 'utf8').trim().split('\n') : []),
    makeRed: (name: string) => writeFileSync(red, name),
    write: (file: string, text: string) => writeFileSync(join(folder, file), text),
    release: (...args: string[]) => {
      const env = { ...process.env, npm_config_offline: 'true', npm_config_update_notifier: 'false' }
      return spawnSync('npm', ['run', '--silent', 'release', '--', ...args], { cwd: folder, encoding: 'utf8', env })
    },
    /** Everything that a release changes. */
    state: () => [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag', '--list'), manifest().version],
  }
}

const withSection = (changelog: string) =>
  changelog.replace('\n## ', `\n## ${NEXT}\n\n### Changes\n\n- Something.\n\n## `)

test('a release that is not ready is refused with its reason, and nothing is changed', (t) => {
  const { read, write, commitAll, makeRed, release, state, ran } = openRepository(t)
  const refused = (reason: RegExp, ...args: string[]) => {
    const before = state()
    const { status, stderr } = release(...args)
    assert.equal(status, 1)
    assert.match(stderr, reason)
    assert.deepEqual(state(), before)
  }
  refused(/^Say which version/)
  refused(/^Say which version/, 'v1')
  refused(/^0\.0\.1 is older than /, '0.0.1')
  refused(/^CHANGELOG\.md begins with \d.*"## 9\.8\.7"/, NEXT)
  write('CHANGELOG.md', withSection(read('CHANGELOG.md')))
  refused(/^The tree is not clean/, NEXT)
  commitAll('changelog: the next one')
  assert.deepEqual(ran(), [])
  makeRed('test')
  refused(/^npm test -- --thorough failed/, NEXT)
  assert.deepEqual(ran(), [`check ${NEXT}`, `test ${NEXT}`], 'what is checked is what would be released')
})

test('a release has its version and date everywhere, and is checked, committed, tagged and packed once', (t) => {
  const { folder, git, read, write, manifest, commitAll, release, ran } = openRepository(t)
  write('CHANGELOG.md', withSection(read('CHANGELOG.md')))
  commitAll('changelog: the next one')
  const before = git('rev-parse', 'HEAD')
  const { status, stdout, stderr } = release(NEXT)
  assert.equal(status, 0, stdout + stderr)
  assert.deepEqual(
    ran(),
    ['check', 'test', 'build'].map((name) => `${name} ${NEXT}`),
  )
  const lock = JSON.parse(read('package-lock.json')) as Manifest & { packages: Record<string, Manifest> }
  const packages = ['packages/client', 'packages/devnet', 'packages/medusa']
  const written = packages.map((each) => JSON.parse(read(`${each}/package.json`)) as Manifest)
  const locked = ['', ...packages].map((each) => lock.packages[each]!)
  const versions = [manifest(), lock, ...written, ...locked].map(({ version }) => version)
  assert.deepEqual([...new Set(versions)], [NEXT])
  assert.match(read('CHANGELOG.md'), new RegExp(`\n## ${NEXT.replaceAll('.', '\\.')}, \\d{4}-\\d\\d-\\d\\d\n`))
  assert.ok(read(`test/releases/api-${NEXT}.txt`).length > 1_000)
  assert.deepEqual(
    [
      git('log', '--format=%s', `${before}..HEAD`),
      git('cat-file', '-t', `v${NEXT}`),
      git('rev-parse', `v${NEXT}^{commit}`),
    ],
    [`release: ${NEXT}`, 'tag', git('rev-parse', 'HEAD')],
  )
  assert.equal(git('status', '--porcelain'), '')
  for (const name of ['nano-gateway', 'nano-gateway-client', 'nano-gateway-devnet', 'nano-gateway-medusa']) {
    assert.ok(existsSync(join(folder, `${name}-${NEXT}.tgz`)), name)
  }
  assert.ok(existsSync(join(folder, `nano-gateway-woocommerce-${NEXT}.zip`)))
  assert.equal(read('integrations/woocommerce/nano-gateway.php').split(NEXT).length, 3)
  assert.match(stdout, /git push origin HEAD v9\.8\.7\n.*npm publish --provenance/)
  const again = release(NEXT)
  assert.deepEqual([again.status, again.stderr], [1, `v${NEXT} is tagged already.\n`])
})
