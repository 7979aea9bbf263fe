import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { DOUBLE, PLUGIN, unpackPlugin } from './woo-shop.ts'

/* Static checks of the WooCommerce plug-in's files. */

const root = resolve(import.meta.dirname, '../..')
const read = (...parts: string[]) => readFileSync(join(root, ...parts), 'utf8')

test('every file of the plug-in can be read by PHP, calls what exists, escapes what it prints and translates what it says', () => {
  const files = readdirSync(PLUGIN, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.php'))
  for (const file of files) {
    const { status, stdout } = spawnSync('php', ['-l', join(PLUGIN, file)], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  }
  const { stdout, stderr, status } = spawnSync('php', [join(DOUBLE, 'check.php'), PLUGIN], { encoding: 'utf8' })
  assert.deepEqual([stdout, stderr, status], ['', '', 0])
})

test('the plug-in checks signatures with the very lines that every receiver in PHP is given', () => {
  const example = read('docs/examples/verify-webhook.php')
  const inPlugin = '<?php\n\nnamespace NanoGateway\\WooCommerce;\n\nuse RuntimeException;\n'
  assert.equal(read('integrations/woocommerce/includes/verify-webhook.php'), example.replace(/^<\?php\n/, inPlugin))
})

test('the zip holds every file of the plug-in and its licence, under the version of the gateway', (t) => {
  const unpacked = unpackPlugin(t)
  const list = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  assert.deepEqual(list(unpacked), [...list(PLUGIN), 'LICENSE'].sort())
  for (const file of ['nano-gateway.php', 'includes/Settle.php']) {
    assert.equal(readFileSync(join(unpacked, file), 'utf8'), read('integrations/woocommerce', file))
  }
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const main = read('integrations/woocommerce/nano-gateway.php')
  assert.deepEqual(main.match(/(?<= \* Version: |const VERSION = ')[\d.]+/g), [version, version])
})
