import assert from 'node:assert/strict'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readOptions as readBenchOptions } from '../../bench/kit/options.ts'
import { readOptions as readSoakOptions } from '../../bench/soak/options.ts'
import { readOptions as readChaosOptions } from '../chaos/options.ts'
import { readOptions as readPowerOptions } from '../power/options.ts'
import { readOptions as readFuzzOptions } from '../hostile/options.ts'
import { blocksOf, commandsOf, headCommandsOf, headed, pages, quotedCommands, read, root } from './documents.ts'
import { exceptionFor } from './exceptions.ts'
import { tools, runScript } from './shell.ts'
import { openFolder } from '../support/folder.ts'

/* Commands inside sentences and at the top of files, and those that take too long to run here. */

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

/** All npm commands in any document. */
const toNpm = [
  ...quotedCommands(),
  ...pages.flatMap(blocksOf).flatMap(({ page, code }) => commandsOf(code).map((command) => ({ page, command }))),
].filter(({ command }) => command.startsWith('npm '))

const isOurs = (name: string) => name in scripts
/** npm commands that are not scripts of ours. */
const ITS_OWN = new Set(['ci', 'init', 'install', 'pack', 'publish'])

test('every script that a document names is one of ours', () => {
  const unknown = toNpm.filter(({ command }) =>
    command.split(' && ').some((part) => {
      const [, verb = '', name = ''] = part.split(' ')
      return verb === 'run' ? !isOurs(name) : !ITS_OWN.has(verb) && !isOurs(verb)
    }),
  )
  assert.deepEqual(unknown, [])
})

/** The arguments after `npm run <script> --`. */
const argumentsOf = (script: string) =>
  toNpm
    .map(({ command }) => command)
    .filter((command) => command.startsWith(`npm run ${script} -- `))
    .map((command) => command.split(' ').slice(4))

test('the load suite accepts every command line in the documents', () => {
  const usage = read('bench/index.ts').split('*/')[0]!
  const named = argumentsOf('bench')
  assert.ok(named.length > 0)
  for (const [what = '', ...options] of named) {
    assert.match(usage, new RegExp(`^ \\* {3}(\\w+, )*${what}\\b`, 'm'), `the usage lists ${what}`)
    readBenchOptions(options)
  }
})

test('the fault suites accept every command line in the documents', () => {
  const lines = [...argumentsOf('chaos'), ...argumentsOf('fuzz')]
  assert.ok(lines.length > 0)
  for (const options of argumentsOf('chaos')) assert.ok(readChaosOptions(options, {}).minutes > 0)
  for (const options of argumentsOf('fuzz')) assert.ok(readFuzzOptions(options).inputs > 0)
  for (const options of argumentsOf('power-loss')) assert.ok(readPowerOptions(options).cuts > 0)
  for (const options of argumentsOf('soak')) assert.ok(readSoakOptions(options).minutes > 0)
})

test('every command named inside a sentence exists', async (t) => {
  const named = new Set(
    quotedCommands().flatMap(
      ({ command }) => /^npx nano-gateway ((?:[a-z][a-z-]* ?)+)/.exec(command)?.[1]?.trim() ?? [],
    ),
  )
  assert.ok(named.size > 0)
  const script = [...named].map((words) => `npx nano-gateway ${words} --help`).join('\n')
  const { output, errors, code } = await runScript(t, script, openFolder(t), tools)
  assert.equal(code, 0, errors)
  for (const words of named) assert.match(output, new RegExp(`^Usage: nano-gateway ${words}\\b`, 'm'))
})

test('the heads of the files in deploy/ can be followed, but for the container engine', async (t) => {
  const folder = openFolder(t)
  cpSync(join(root, 'deploy'), folder, { recursive: true })
  const commands = headed.filter((file) => file.startsWith('deploy/')).flatMap(headCommandsOf)
  assert.ok(commands.includes('cp env.example .env'))
  const script = commands.filter((command) => !exceptionFor(command)).join('\n')
  const { errors, code } = await runScript(t, script, folder, tools)
  assert.equal(code, 0, errors)
  assert.ok(existsSync(join(folder, '.env')))
})

test('the commands of a rolling restart take one gateway out of the balancer and put it back', async (t) => {
  const folder = openFolder(t)
  cpSync(join(root, 'deploy'), folder, { recursive: true })
  const isOut = (name: string) => existsSync(join(folder, 'nginx/out', name))
  const services = new Set([...read('deploy/compose.yaml').matchAll(/^ {2}([\w-]+):/gm)].map(([, name = '']) => name))
  const lines = pages
    .flatMap(blocksOf)
    .flatMap(({ code }) => commandsOf(code))
    .filter((command) => command.includes('docker compose'))
  for (const [, name = ''] of lines.join('\n').matchAll(/docker compose (?:exec|up -d --no-deps --build) ([\w-]+)/g)) {
    assert.ok(services.has(name), `compose.yaml has ${name}`)
  }
  const [out, back, ...rest] = pages
    .flatMap(blocksOf)
    .flatMap(({ code }) => commandsOf(code))
    .filter((command) => command.includes('nginx/out/'))
  assert.deepEqual(rest, [])
  assert.equal((await runScript(t, out!, folder, tools)).code, 0)
  assert.ok(isOut('gateway-a'))
  assert.match(
    read('deploy/nginx/nginx.conf'),
    /^ +if \(-f \/etc\/nginx\/gateway\/out\/gateway-a\) \{ set \$gateways gateway_without_a; \}$/m,
  )
  assert.equal((await runScript(t, back!, folder, tools)).code, 0)
  assert.ok(!isOut('gateway-a'))
})
