import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { test } from 'node:test'
import { openFolder } from '../support/folder.ts'
import { openGateway } from '../support/gateway.ts'
import { blocksOf, commandsOf, root } from './documents.ts'

/* The client that docs/calling.md generates: its command, its program, and the type errors that it must report. */

const PAGE = 'docs/calling.md'
const LOCAL = 'http://127.0.0.1:8080'

interface Ended {
  code: number
  text: string
}

function run(folder: string, args: string[]): Promise<Ended> {
  return new Promise((done) => {
    const child = execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_error, output, errors) =>
      done({ code: child.exitCode ?? -1, text: `${output}${errors}` }),
    )
  })
}

const check = (folder: string, file: string) =>
  run(folder, [
    join(root, 'node_modules/typescript/bin/tsc'),
    ...[
      '--noEmit',
      '--strict',
      '--target',
      'es2024',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--pretty',
      'false',
      file,
    ],
  ])

/** Each of these must be a type error; `@ts-expect-error` fails if it is not. */
const WRONG = `
import createClient from 'openapi-fetch'
import type { paths } from './gateway.d.ts'

const gateway = createClient<paths>({ baseUrl: '${LOCAL}' })
const account = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'
const { data } = await gateway.POST('/actions/account_balance', { body: { account } })
// @ts-expect-error -- no answer has this member
data?.balanse
// @ts-expect-error -- an amount is a text
const balance: number | undefined = data?.balance
// @ts-expect-error -- the account is needed
await gateway.POST('/actions/account_balance', { body: {} })
// @ts-expect-error -- and is a text
await gateway.POST('/actions/account_balance', { body: { account: 7 } })
// @ts-expect-error -- no action has this name
await gateway.POST('/actions/account_balanc', { body: { account } })
const { data: info } = await gateway.POST('/actions/account_info', { body: { account } })
// @ts-expect-error -- the ledger may have refused
info?.frontier
// @ts-expect-error -- a path needs its id
await gateway.GET('/check/{id}')
export { balance }
`

test('types generated from a running gateway fit a program that reads a balance, and refuse one that misreads it', async (t) => {
  const gateway = await openGateway(t)
  const folder = openFolder(t)
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')

  const blocks = blocksOf(PAGE)
  const [command] = blocks
    .flatMap(({ code }) => commandsOf(code))
    .filter((line) => line.startsWith('npx openapi-typescript '))
  const [, , ...args] = command!.replace(LOCAL, gateway.url).split(' ')
  const hook = pathToFileURL(join(import.meta.dirname, 'typescript-5.mjs')).href
  const cli = join(root, 'node_modules/openapi-typescript/bin/cli.js')
  const generated = await run(folder, ['--import', hook, cli, ...args])
  assert.equal(generated.code, 0, generated.text)

  const program = blocks.find(({ fence, code }) => fence === 'ts' && code.includes("from 'openapi-fetch'"))!.code
  writeFileSync(join(folder, 'balance.ts'), program.replace(LOCAL, gateway.url))
  const fits = await check(folder, 'balance.ts')
  assert.deepEqual(fits, { code: 0, text: '' })
  assert.match(program, /data\.balance\b/)
  const { code, text } = await run(folder, ['--import', 'tsx', 'balance.ts'])
  assert.deepEqual([code, text], [0, '0\nAccount not found\n'])

  writeFileSync(join(folder, 'wrong.ts'), WRONG)
  assert.deepEqual(await check(folder, 'wrong.ts'), { code: 0, text: '' })
})
