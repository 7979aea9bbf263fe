// What `npm start` and the tests need before them: the packages that the lock file names, installed where they are missing, and a build, which the quick
// tests do without (`--packages`).
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

function packagesOf(file) {
  const path = join(root, file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {}
}

/** npm writes down what it has installed. A package that is optional may be missing: it is for another machine. */
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
