import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openGateway } from '../support/gateway.ts'

/*
 * Commands of the documents are run as they stand, page by page, each page in one shell. A fence says what its block is:
 * `sh` is run and must succeed, `sh refused` must be refused by the gateway, and `console` is for people: it starts
 * servers, needs another machine, or shows where something of the reader's own belongs. Those are listed.
 */

const root = resolve(import.meta.dirname, '../..')
const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((page) =>
  page.endsWith('.md'),
)

interface Block {
  fence: string
  code: string
  line: number
}

function blocksOf(page: string): Block[] {
  const source = readFileSync(join(root, page), 'utf8')
  return [...source.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].map(({ 1: fence = '', 2: code = '', index }) => ({
    fence: fence.trim(),
    code,
    line: source.slice(0, index).split('\n').length,
  }))
}

/** Fences of things that are shown and not typed into a terminal. */
const SHOWN = new Set(['', 'json', 'ts', 'js', 'python', 'php', 'sql', 'html'])

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function openFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'nano-gateway-docs-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// `npm test` has built by now, and then this takes no time; where it has not, no test should have to wait for it.
execFileSync(process.execPath, [join(root, 'scripts/build.mjs')], { stdio: 'inherit' })

/** One gateway for all pages, and an `npx` that runs our own command line, as it was built. */
async function openShared(t: Pick<TestContext, 'after'>) {
  const folder = openFolder(t)
  const script = `#!/bin/sh
[ "$1" = nano-gateway ] || exit 127
shift
exec '${process.execPath}' '${join(root, 'dist/cli.js')}' "$@"
`
  writeFileSync(join(folder, 'npx'), script, { mode: 0o755 })
  return {
    gateway: await openGateway(t as TestContext, { DEVNET_TREASURY_NANO: '1000000' }),
    receiver: await freePort(),
    path: `${folder}:${process.env.PATH}`,
    compiled: join(folder, 'compiled'),
  }
}

const closing: (() => unknown)[] = []
let opened: ReturnType<typeof openShared> | undefined
/** Opened by the first page that needs it, closed after the last. */
const shared = () => (opened ??= openShared({ after: (close) => void closing.unshift(close as () => unknown) }))

interface Outcome {
  output: string
  errors: string
  code: number | null
}

/** Runs a script to its end; whatever it left running goes with the folder's shell. */
async function runScript(t: TestContext, script: string, folder: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, detached: true })
  t.after(() => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {
      // It has ended, with everything it started.
    }
  })
  let output = ''
  let errors = ''
  shell.stdout.on('data', (chunk: Buffer) => (output += String(chunk)))
  shell.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
  const [code] = (await once(shell, 'close')) as [number | null]
  return { output, errors, code }
}

for (const page of pages) {
  const toRun = blocksOf(page).filter(({ fence }) => fence === 'sh' || fence === 'sh refused')
  if (toRun.length === 0) continue
  test(`the commands of ${page} work when they are pasted one after the other`, async (t) => {
    const { gateway, receiver, path, compiled } = await shared()
    const folder = openFolder(t)
    const here = (text: string) =>
      text.replaceAll('http://127.0.0.1:8080', gateway.url).replaceAll(/\b9000\b/g, String(receiver))
    const mark = '-----8<-----'
    const script = toRun.map(({ code }) => `echo '${mark}'\n${here(code)}\necho\n`).join('')
    const own = { PATH: path, DATA_DIR: gateway.folder, NANO_KEY: gateway.app.createdKey, NODE_COMPILE_CACHE: compiled }
    const { output, errors, code } = await runScript(t, script, folder, { ...process.env, ...own })
    const outputs = output.split(`${mark}\n`).slice(1)
    for (const [at, { fence, line }] of toRun.entries()) {
      const text = outputs[at]
      assert.ok(text !== undefined, `${page}:${line} was not reached.\n${output}\n${errors}`)
      const refused = /"error":|forged:/.test(text)
      assert.equal(refused, fence === 'sh refused', `${page}:${line} answered\n${text}`)
    }
    assert.equal(code, 0, `${page} ended with ${code}\n${output}\n${errors}`)
  })
}

test('every block says whether it is run, and those for people are listed', async (t) => {
  for (const close of closing) await close()
  const unknown: string[] = []
  for (const page of pages) {
    for (const { fence, code, line } of blocksOf(page)) {
      if (fence === 'console') t.diagnostic(`not run: ${page}:${line}: ${code.trim().split('\n')[0]}`)
      else if (!SHOWN.has(fence) && !/^sh( refused)?$/.test(fence)) unknown.push(`${page}:${line} says ${fence}`)
      // What is shown and not typed must not look as if it could be.
      else if (SHOWN.has(fence) && /^(curl|npx|npm|export NANO) /m.test(code))
        unknown.push(`${page}:${line} is a command`)
    }
  }
  assert.deepEqual(unknown, [])
})
