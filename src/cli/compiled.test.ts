import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { loadCompiled } from './compiled.ts'

interface Bundle {
  say(): string
  dist: string
  load(): Promise<{ sep: string }>
}

/** A bundle like that of the build, in a folder of its own. Calling it returns `said`. */
function bundleOf(t: TestContext, said: string) {
  const dist = mkdtempSync(join(tmpdir(), 'nano-gateway-compiled-'))
  t.after(() => rmSync(dist, { recursive: true }))
  const [file, folder] = [join(dist, 'bundle', 'gateway.cjs'), join(dist, '.compiled')]
  mkdirSync(join(dist, 'bundle'))
  const write = (word: string) => {
    const text = `exports.say = () => require('node:path').basename('/${word}')
      exports.dist = __dist.href
      exports.load = () => import('node:path')`
    writeFileSync(file, text)
  }
  write(said)
  const kept = () => readdirSync(folder).map((name) => join(folder, name))
  return { dist, file, write, kept, load: () => loadCompiled<Bundle>(file, folder) }
}

test('a bundle runs in its place, and what was compiled of it is written once', async (t) => {
  const { dist, kept, load } = bundleOf(t, 'hello')
  const first = load()
  assert.equal(first.exports.say(), 'hello')
  assert.equal(first.exports.dist, `${pathToFileURL(dist).href}/`)
  assert.equal((await first.exports.load()).sep, '/')
  first.keep()
  const [file, ...others] = kept()
  assert.deepEqual(others, [])
  const { ino, mode } = statSync(file!)
  assert.equal(mode & 0o777, 0o600)
  const second = load()
  assert.equal(second.exports.say(), 'hello')
  second.keep()
  assert.equal(statSync(file!).ino, ino)
})

// V8 compares only the length of the source.
test('a bundle of the same length that was changed runs as it is now', (t) => {
  const { file, write, load } = bundleOf(t, 'hello')
  const first = load()
  first.exports.say()
  first.keep()
  write('world')
  utimesSync(file, new Date(0), new Date(0))
  assert.equal(load().exports.say(), 'world')
})

// V8 would trust a damaged cache: it would run other code, or crash.
test('a damaged cache file is not used, and is written again', (t) => {
  const { kept, load } = bundleOf(t, 'hello')
  load().keep()
  const [file] = kept()
  const sound = readFileSync(file!)
  for (const damaged of [Buffer.alloc(0), sound.subarray(0, -1), Buffer.from(sound).fill(0, 200, 210)]) {
    writeFileSync(file!, damaged)
    const loaded = load()
    assert.equal(loaded.exports.say(), 'hello')
    loaded.keep()
    assert.notDeepEqual(readFileSync(file!), damaged)
  }
})

test('a bundle runs where nothing can be written', (t) => {
  const { dist, load } = bundleOf(t, 'hello')
  writeFileSync(join(dist, '.compiled'), 'a file, and no folder')
  const loaded = load()
  loaded.keep()
  assert.equal(loaded.exports.say(), 'hello')
})
