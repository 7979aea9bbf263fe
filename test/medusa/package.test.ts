import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packMedusa } from '../support/packed-medusa.ts'

/* `@nano-gateway/medusa` as published: installed from its packed file into an empty folder. */

test('the package is small, has types, does not depend on Medusa, and loads as Medusa loads it', (t) => {
  const { folder, bytes, files } = packMedusa()
  t.diagnostic(`${Math.ceil(bytes / 1000)} KB packed, ${files.length} files`)
  assert.ok(bytes < 45_000, `${bytes} bytes`)
  const known =
    /^(package\.json|README\.md|LICENSE|\.medusa\/server\/src\/api\/.+\/route\.js|dist\/(admin\/)?index\.js|dist\/medusa\/.+\.d\.ts|example\/[\w.-]+\.(m?js|json))$/
  assert.deepEqual(
    files.filter((file) => !known.test(file)),
    [],
  )
  const home = join(folder, 'node_modules/@nano-gateway/medusa')
  const importsOf = (file: string) => {
    const imported = [...readFileSync(join(home, file), 'utf8').matchAll(/^import .*?"([^"]+)";$/gm)]
    return [...new Set(imported.map(([, from]) => /^(@[^/]+\/)?[^/]+/.exec(from!)![0]))].sort()
  }
  assert.deepEqual(importsOf('dist/index.js'), ['@noble/curves', '@noble/hashes'])
  // The extension must use the dashboard's own React.
  assert.deepEqual(importsOf('dist/admin/index.js'), ['@medusajs/js-sdk', '@medusajs/ui', 'react'])
  // Medusa loads its configuration's modules with `require` and uses the default export.
  const program = `
    const { default: found } = require('@nano-gateway/medusa')
    const [service] = found.services
    let refused = ''
    try { service.validateOptions({}) } catch (error) { refused = error.message }
    console.log(JSON.stringify([found.module, service.identifier, service._isPaymentProvider, refused]))`
  const said = execFileSync(process.execPath, ['--no-warnings', '-e', program], { cwd: folder, encoding: 'utf8' })
  assert.deepEqual(JSON.parse(said), ['payment', 'nano', true, 'Option `url` of @nano-gateway/medusa: it is missing.'])
})
