import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { copyRepository } from '../support/copy-repository.ts'
import { read } from './documents.ts'
import { USUAL_CHANGES, type UsualChange } from './usual-changes.ts'

/* CONTRIBUTING.md lists the files of each usual change: changing exactly these must give a working gateway. */

/** The file names in the first lines of a section, placeholders included. */
function filesNamed(heading: string): string[] {
  const [, section] = read('CONTRIBUTING.md').split(`\n## ${heading}\n`)
  assert.ok(section !== undefined, `CONTRIBUTING.md has "${heading}"`)
  const [, list = ''] = /^\nFiles: ([^]+?)\.\n\n/.exec(section) ?? []
  return [...list.matchAll(/`([^`]+)`/g)].map(([, file]) => file!)
}

const fill = (file: string, words: UsualChange['words']) =>
  file.replaceAll(/<(\w+)>/g, (placeholder, word: string) => words[word] ?? placeholder)

/** Tests that fail until a change is entered in all its lists. */
const LISTS = [
  'test/tidy.test.ts',
  'src/config/config.test.ts',
  'src/infra/market/prices.test.ts',
  'src/modules/checkout/event-kinds.test.ts',
  'test/cluster/compose.test.ts',
  'test/hostile/matrix.test.ts',
  'test/http/described.test.ts',
  'test/http/examples.test.ts',
  'test/http/name-count.test.ts',
  'test/sim/thank-nth-failure.test.ts',
  'test/pages/roles.test.ts',
  'test/spec/coverage.test.ts',
  'test/spec/part4-letters.test.ts',
  'test/spec/part6-emails.test.ts',
  'test/spec/part6-events.test.ts',
  'test/stores/privacy.test.ts',
  'test/stores/schema.test.ts',
]
/** The tests of those lists and of the added things. Other tests in these files take minutes and add nothing. */
const NAMED = [
  'imports follow',
  'a module imports only earlier',
  'documents name files',
  'operating guide lists every setting',
  'as it documents itself',
  'exactly the kinds of events',
  'no setting is lost on its way',
  'has a line with its access',
  'every route is in the document',
  'a webhook is described for each kind',
  'every example of the reference',
  'every role gets in where its row',
  'every row and rule of the contract',
  'letters of a name',
  'names of an account are counted',
  'thanks are paid once',
  'checkout that was given up',
  'email payment that was made',
  'migrates nothing again',
  'a text that a merchant could set',
  'table types agree',
]

test('one of each usual change, made in the files that CONTRIBUTING.md names and in no other, passes the checks', (t) => {
  const { folder } = copyRepository(t)
  for (const { heading, words, files } of USUAL_CHANGES) {
    assert.deepEqual(Object.keys(files).sort(), filesNamed(heading).sort(), `the files of "${heading}"`)
    for (const [file, edit] of Object.entries(files)) {
      const path = join(folder, fill(file, words))
      const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, edit(before))
    }
  }
  const run = (...args: string[]) => {
    const env = { ...process.env, TEST_ENGINE: 'sqlite', NODE_TEST_CONTEXT: undefined, FORCE_COLOR: '0' }
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', env })
    assert.equal(status, 0, `${args.slice(0, 3).join(' ')}\n${stdout.slice(-8_000)}${stderr.slice(-2_000)}`)
    return stdout
  }
  run('scripts/made-sources.mjs')
  run('node_modules/typescript/bin/tsc', '-p', '.')
  run('node_modules/oxlint/bin/oxlint', '--quiet', 'src')
  const options = [
    '--import',
    './scripts/typescript.mjs',
    '--test',
    '--test-isolation=none',
    '--test-reporter=tap',
    '--test-timeout=300000',
  ]
  const said = run(...options, ...NAMED.map((name) => `--test-name-pattern=${name}`), ...LISTS)
  const passed = [...said.matchAll(/^ *ok \d+ - ((?:(?! # SKIP).)*)$/gm)].map(([, title]) => title!)
  const silent = NAMED.filter((name) => !passed.some((title) => title.includes(name)))
  assert.deepEqual(silent, [], 'each of them was asked')
})
