import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { openApart } from '../support/apart.ts'
import { openFolder } from '../support/folder.ts'
import { openGateway } from '../support/gateway.ts'
import { isThorough } from '../support/thorough.ts'
import { root } from './documents.ts'

/*
 * Common generators make a client from the OpenAPI document; it must compile, and a call through it must work. openapi-typescript is tested in
 * `generated-client.test.ts`.
 */

const findGenerators = openApart(join(import.meta.dirname, 'generators'), 'nano-gateway-generators', { optional: true })

const CALL = `const account = 'nano_3t6k35gi95xu6tergt6p69ck76ogmitsa8mnijtpxm9fkcm736xtoncuohr3'\n`

interface Generator {
  /** Its program in `node_modules`, and the arguments that generate `client/` from `openapi.json`. */
  command: readonly string[]
  files?: (url: string) => Readonly<Record<string, string>>
  /** A program that prints the balance of an account. */
  program(url: string): string
}

const GENERATORS: Readonly<Record<string, Generator>> = {
  orval: {
    command: ['orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs'],
    // This generator writes a file for each schema, so two names must not differ in letter case alone.
    files: (url) => ({
      'orval.config.mjs': `export default { gateway: { input: './openapi.json', output: { target: './client/gateway.ts', schemas: './client/model', client: 'fetch', mode: 'single', baseUrl: '${url}' } } }`,
    }),
    program: () =>
      `import { accountBalance } from './client/gateway'\n${CALL}const reply = await accountBalance({ account })\nif (reply.status !== 200) throw new Error(reply.data.message)\nconsole.log(reply.data.balance)\n`,
  },
  '@hey-api/openapi-ts': {
    command: ['@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'client', '-c', '@hey-api/client-fetch'],
    program: (url) =>
      `import { accountBalance } from './client'\nimport { client } from './client/client.gen'\n${CALL}client.setConfig({ baseUrl: '${url}' })\nconst { data } = await accountBalance({ body: { account }, throwOnError: true })\nconsole.log(data.balance)\n`,
  },
  'swagger-typescript-api': {
    command: [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      '-p',
      'openapi.json',
      '-o',
      'client',
      '-n',
      'gateway.ts',
    ],
    program: (url) =>
      `import { Api } from './client/gateway'\n${CALL}const { data } = await new Api({ baseUrl: '${url}' }).actions.accountBalance({ account })\nconsole.log(data.balance)\n`,
  },
}

const TSC =
  '--noEmit --strict --target es2022 --lib es2023,dom,dom.iterable --module esnext --moduleResolution bundler --types node --pretty false'

function run(folder: string, args: readonly string[]): Promise<string> {
  return new Promise((done, fail) => {
    const options = { cwd: folder, maxBuffer: 2 ** 26 }
    execFile(process.execPath, args, options, (error, output, errors) =>
      error ? fail(new Error(`${args.join(' ')} failed:\n${output}${errors}`)) : done(output),
    )
  })
}

for (const [name, { command, files, program }] of Object.entries(GENERATORS)) {
  test(`a client that ${name} generates compiles and reads a balance`, async (t) => {
    if (!isThorough) return t.skip('npm test -- --thorough runs it')
    const place = await findGenerators()
    if ('missing' in place) return t.skip(place.missing)
    const { url } = await openGateway(t)
    const folder = openFolder(t)
    symlinkSync(join(place.folder, 'node_modules'), join(folder, 'node_modules'))
    const contents = {
      'package.json': '{"type":"module"}',
      'openapi.json': await (await fetch(`${url}/openapi.json`)).text(),
      'program.ts': program(url),
      ...files?.(url),
    }
    for (const [file, text] of Object.entries(contents)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    const [entry, ...args] = command
    await run(folder, [join(folder, 'node_modules', entry!), ...args])
    await run(folder, [
      join(root, 'node_modules/typescript/bin/tsc'),
      ...TSC.split(' '),
      '--typeRoots',
      join(root, 'node_modules/@types'),
      'program.ts',
    ])
    assert.equal(
      await run(folder, ['--import', `file://${root}/node_modules/tsx/dist/esm/index.mjs`, 'program.ts']),
      '0\n',
    )
  })
}
