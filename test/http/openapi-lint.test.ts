import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ask, openGateway } from '../support/gateway.ts'
import { openFolder } from '../support/folder.ts'

/* Checks the OpenAPI document with redocly: all recommended rules, none switched off. */

const CLI = resolve(import.meta.dirname, '../../node_modules/@redocly/cli/bin/cli.js')

interface Lint {
  totals: { errors: number; warnings: number }
  problems: { ruleId: string; message: string; location: { pointer: string }[] }[]
}

function lint(t: TestContext, document: object): Promise<Lint> {
  const folder = openFolder(t)
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
  const options = ['lint', 'openapi.json', '--extends', 'recommended', '--format', 'json', '--max-problems', '1000']
  // Switches off redocly's telemetry and update checks.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  return new Promise((done, fail) => {
    execFile(process.execPath, [CLI, ...options], { cwd: folder, env, maxBuffer: 2 ** 26 }, (_error, text, told) => {
      try {
        done(JSON.parse(text) as Lint)
      } catch {
        fail(new Error(`redocly said:\n${text}\n${told}`))
      }
    })
  })
}

test('redocly finds nothing wrong with the document, and nothing to warn of; examples pass their schemas', async (t) => {
  const { url } = await openGateway(t, { BASE_URL: 'https://rpc.example' })
  const document = (await ask(`${url}/openapi.json`, { method: 'GET' })).json<Record<string, unknown>>()
  const { totals, problems } = await lint(t, document)
  const told = problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)
  assert.deepEqual([told.slice(0, 20), totals.errors, totals.warnings], [[], 0, 0])
  // The linter must have reported this error.
  const { paths } = document as { paths: Record<string, { post: Record<string, unknown> }> }
  delete paths['/actions/version']!.post.operationId
  assert.equal((await lint(t, document)).totals.warnings, 1)
})
