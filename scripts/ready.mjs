// Prepares `npm start` and the tests: installs the packages of the lock file if any are missing, and builds. The quick tests need no build (`--packages`).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

function packagesOf(file) {
  const path = join(root, file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {}
}

/** npm records what it has installed. An optional package may be missing, because it is for another platform. */
function isInstalled() {
  const installed = packagesOf('node_modules/.package-lock.json')
  return Object.entries(packagesOf('package-lock.json')).every(
    ([path, { version, optional, link }]) =>
      !path.startsWith('node_modules/') || optional || link || installed[path]?.version === version,
  )
}

function install() {
  console.log('Installing packages, once …')
  const npm = process.env.npm_execpath
  const [program, first] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []]
  const options = ['ci', '--include=dev', '--no-audit', '--no-fund']
  const { status } = spawnSync(program, [...first, ...options], { cwd: root, stdio: 'inherit' })
  if (status === 0) return
  console.error('The packages could not be installed; `npm ci` shows why.')
  process.exit(1)
}

if (!isInstalled()) install()
if (!process.argv.includes('--packages')) await import('./build.mjs')
